/** However a list is cut, its items are those of the whole text as a parser reads it. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { KrmError, type ResourceList, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { readAnyYaml } from '../../src/krm/read-yaml.ts'
import { leastCount } from '../support/least-count.ts'
import { suite } from '../support/suite.ts'

const LINES = [
  '- apiVersion: v1\n  kind: A\n  metadata: {name: a}',
  '- # head\n  apiVersion: v1\n  kind: B\n  metadata:\n    name: b',
  '- {apiVersion: v1, kind: C, metadata: {name: c}}',
  '  one: "',
  "  two: '",
  '  three: |',
  '  four: >-\n    folded',
  '  five: [',
  '  six: {a: b,',
  '  seven: plain',
  '  eight: !own "',
  '  nine: 1\n  nine: 2',
  'metadata:\n  name: a',
  '    deep: text',
  '  text',
  'text',
  '"',
  "'",
  '  "',
  "  '",
  ']',
  '}',
  '"]',
  '  \\',
  '\\"',
  "''",
  '# comment',
  '  # comment',
  '',
  'items:',
  '"items":',
  'functionConfig:',
  '  apiVersion: v1\n  kind: F\n  metadata: {name: f}',
  'results: []',
  '...',
  '---',
  '-',
  '- ',
  '-\n  apiVersion: v1\n  kind: D\n  metadata: {name: d}',
  '? items\n: []',
  '<<: {items: []}',
]

const outcome = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof KrmError) return undefined
    throw error
  }
}
const objectsOf = (list: ResourceList) => list.items.map(({ object }) => object)
const identities = (objects: readonly object[]) =>
  objects.map((object) => {
    const { apiVersion, kind, metadata } = object as Record<string, unknown>
    return { apiVersion, kind, metadata }
  })

suite('cuts', (test) => {
  const wild = fc.constantFrom(...LINES)
  const noise = fc.array(wild, { maxLength: 4 }).map((lines) => lines.join('\n'))
  const key = fc.integer({ min: 0, max: 99 }).map((number) => `  key-${number}:`)
  const field = fc.oneof(
    fc.tuple(key, noise).map(([name, words]) => `${name} "one\n${words.replaceAll(/["\\]/g, '\\$&')}\n"`),
    fc.tuple(key, noise).map(([name, words]) => `${name} 'one\n${words.replaceAll("'", "''")}'`),
    fc.tuple(key, noise).map(([name, words]) => `${name} |\n${words.replaceAll(/^/gm, '    ')}`),
    fc.tuple(key, noise).map(([name, words]) => `${name} [\n"${words.replaceAll(/["\\]/g, '\\$&')}"\n]`),
  )
  const item = fc.tuple(fc.constantFrom(...LINES.slice(0, 2)), fc.array(field, { maxLength: 3 }))
  const valid = item.map(([head, fields]) => [head, ...fields].join('\n'))
  const body = fc.array(fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: wild }), { maxLength: 6 })
  const frame = fc.constantFrom(
    (text: string) => `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${text}`,
    (text: string) => `items:\n${text}kind: ResourceList\napiVersion: config.kubernetes.io/v1\n`,
    (text: string) => `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n${text}`,
  )
  const text = fc.tuple(frame, body).map(([around, lines]) => around(lines.map((line) => `${line}\n`).join('')))
  test('any text is read as it is read whole, and written so that it is read again', () => {
    let [runs, read] = [0, 0]
    fc.assert(
      fc.property(text, (yaml) => {
        runs++
        const whole = outcome(() => readAnyYaml(yaml)) as { items: object[] } | undefined
        const list = outcome(() => readResourceList(yaml))
        if (list !== undefined) {
          read++
          assert.equal(objectsOf(list), whole?.items, yaml)
          assert.equal(
            outcome(() => readResourceList(writeResourceList(list)))?.items.map(({ object }) => object),
            whole?.items,
          )
        }
        const opaque = outcome(() => readResourceList(yaml, () => false))
        if (list !== undefined) assert.equal(identities(objectsOf(opaque ?? list)), identities(objectsOf(list)), yaml)
        if (opaque !== undefined) {
          const again = readResourceList(writeResourceList(opaque), () => false)
          assert.equal(identities(objectsOf(again)), identities(objectsOf(opaque)), yaml)
        }
      }),
      { numRuns: 400, seed: Number(process.env.SEED ?? 20_261_121) },
    )
    assert.ok(read >= leastCount(runs, 0.13), `${read} of ${runs} were read`)
  })
})
