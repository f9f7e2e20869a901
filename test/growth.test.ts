/** What is twice as large takes about twice as many steps, not four times. Steps are counted: a busy machine changes nothing. */
import * as assert from 'uvu/assert'
import type * as Render from '../src/face/render.ts'
import type * as SplitStream from '../src/host/files/objects-in.ts'
import type * as ReadYaml from '../src/krm/read-yaml.ts'
import { counted } from './support/counted.ts'
import { daemonSet, inventory, listOf, OS, policy, shape, TYPE } from './support/objects.ts'
import { order } from './support/orders.ts'
import { suite } from './support/suite.ts'

/** Twice, and what sorting adds. */
const MOST = 2.5

const yaml = await counted<typeof ReadYaml>('src/krm/read-yaml.ts')
const json = await counted<typeof SplitStream>('src/host/files/objects-in.ts')
const core = await counted<typeof Render>('src/face/render.ts')

type Row = readonly [name: string, size: number, stepsOf: (size: number) => number]

const read = (text: string) => yaml.stepsOf(() => yaml.room.readYaml(text))
const refused = (text: string) => yaml.stepsOf(() => assert.throws(() => yaml.room.readYaml(text)))
const TEXTS: readonly Row[] = [
  ['escaped quotes at the margin', 2000, (size) => read(`a:\n  b: "${'l\\"\n'.repeat(size)}"\n`)],
  ['doubled quotes at the margin', 2000, (size) => read(`a:\n  b: '${"l''\n".repeat(size)}'\n`)],
  ['lines in a quote that never closes', 2000, (size) => refused(`a:\n  b: "${'line\n'.repeat(size)}\n`)],
  ['quotes over two lines', 2000, (size) => refused(`a:\n${'  b: "c\nd"\n'.repeat(size)}`)],
  ['JSON objects', 2000, (size) => json.stepsOf(() => json.room.jsonValues('{}'.repeat(size)))],
  ['JSON brackets that never close', 2000, (size) => json.stepsOf(() => json.room.jsonValues('{'.repeat(size)))],
  [
    'escapes in a JSON string',
    2000,
    (size) => json.stepsOf(() => json.room.jsonValues(`{"a":"${'\\\\'.repeat(size)}"}{}`)),
  ],
]

const fleet = (types: number, each: number) =>
  inventory(
    Array.from({ length: types }, (_, type) =>
      shape(
        { [OS]: 'linux', [TYPE]: `m${type}.large` },
        Array.from({ length: each }, (_, at) => `n-${type}-${at}`),
        '4',
        '16Gi',
      ),
    ),
  )
const rendered = (...objects: Parameters<typeof listOf>[0]) =>
  core.stepsOf(() => {
    const { results } = core.room.render(listOf(objects))
    assert.equal(
      results.filter(({ severity }) => severity === 'error').map(({ message }) => message),
      [],
    )
  })
const RENDERS: readonly Row[] = [
  ['nodes of a type', 50, (each) => rendered(daemonSet(), policy(), fleet(20, each))],
  ['types of node', 20, (types) => rendered(daemonSet(), policy(), fleet(types, 20))],
  ['nodes with a Ticket each', 50, (each) => rendered(order(), fleet(20, each))],
]

suite('twice as large', (test) => {
  for (const [name, size, stepsOf] of [...TEXTS, ...RENDERS])
    test(name, () => {
      const [once, twice] = [stepsOf(size), stepsOf(2 * size)]
      assert.ok(once > 0)
      assert.ok(twice < MOST * once, `${size}: ${once} steps, ${2 * size}: ${twice}`)
    })
  test('what is quadratic is seen', () => {
    const squared = (size: number) =>
      json.stepsOf(() => {
        for (let at = 1; at <= size; at++) json.room.jsonValues('{}'.repeat(at))
      })
    assert.ok(squared(40) > MOST * squared(20))
  })
})
