/**
 * Functions that are written with the TypeScript SDK of kpt and stand before or behind ours in a pipeline: what they read of
 * ours, what we read of theirs, and what their helper makes of a result.
 */
import console from 'node:console'
import { FileFormat, parse, stringify } from 'kpt-functions/dist/src/io.js'
import { kubernetesObjectResult } from 'kpt-functions/dist/src/result.js'
import * as assert from 'uvu/assert'
import { toResults } from '../../src/face/index.ts'
import { render } from '../../src/face/render.ts'
import { identityOf } from '../../src/krm/identity.ts'
import { readResourceList, writeResourceList } from '../../src/krm/index.ts'
import type { Item, KubernetesObject, ResourceList, Result } from '../../src/krm/types.ts'
import { goldenLists } from '../support/lists.ts'
import { listOf } from '../support/objects.ts'
import { AMBIGUOUS } from '../support/strings.ts'
import { suite } from '../support/suite.ts'

// their reader replaces the global console
globalThis.console = console

type Objects = readonly KubernetesObject[]
const readByThem = (text: string) => parse(text, FileFormat.YAML)
const byIdentity = (objects: Objects) =>
  [...objects].sort((a, b) => (JSON.stringify([a.kind, a.metadata]) < JSON.stringify([b.kind, b.metadata]) ? -1 : 1))
const objectsOf = ({ items }: ResourceList) => byIdentity(items.map(({ object }) => object))
const isUnique = (items: readonly Item[]) =>
  new Set(items.map(({ object }) => identityOf(object))).size === items.length
/** What we write of the golden packages; of objects with one identity theirs would keep the last. */
const WRITTEN = goldenLists()
  .filter(({ before }) => before !== undefined && isUnique(before))
  .map(({ before = [] }) =>
    writeResourceList(render({ apiVersion: 'config.kubernetes.io/v1', items: before, results: [] })),
  )

suite('functions of the TypeScript SDK', (test) => {
  test('read the objects that we rendered', () => {
    assert.ok(WRITTEN.length > 20)
    for (const text of WRITTEN)
      assert.equal(byIdentity(readByThem(text).getAll() as unknown as Objects), objectsOf(readResourceList(text)))
  })
  test('write a list that we render to the same objects', () => {
    for (const text of WRITTEN) {
      const theirs = readResourceList(stringify(readByThem(text), FileFormat.YAML))
      assert.equal(objectsOf(render(theirs)), objectsOf(render(readResourceList(text))))
    }
  })
  test('read text that other readers may take for something else', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, values: AMBIGUOUS }
    const [read] = readByThem(writeResourceList(listOf([object]))).getAll() as unknown as Objects
    assert.equal(read?.values, AMBIGUOUS)
  })

  const subject = (annotations: Record<string, string>, namespace?: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...(namespace === undefined ? {} : { namespace }), annotations },
  })
  const SUBJECTS: Array<[name: string, subject: ReturnType<typeof subject>]> = [
    ['in a file', subject({ 'internal.config.kubernetes.io/path': 'a.yaml' }, 'logging')],
    [
      'at a place in a file',
      subject({ 'internal.config.kubernetes.io/path': 'a.yaml', 'internal.config.kubernetes.io/index': '2' }),
    ],
    ['as hosts wrote it before', subject({ 'config.kubernetes.io/path': 'a.yaml', 'config.kubernetes.io/index': '1' })],
    ['without a file', subject({}, 'logging')],
  ]
  /** What their helper gives without fields that are empty, which a reader of the specification takes for values. */
  const filled = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, member) => {
      if (typeof member !== 'object' || member === null) return member === '' ? undefined : member
      return Object.keys(member).length === 0 ? undefined : member
    })
  const resultOf = (object: KubernetesObject): Result | undefined =>
    toResults([{ code: 'NoNodes', severity: 'error', sentence: 'a', message: 'a', subject: object }])[0]
  for (const [name, object] of SUBJECTS)
    test(`a result is what their helper makes of it: ${name}`, () =>
      assert.equal(
        resultOf(object),
        filled(kubernetesObjectResult('NoNodes: a', object, undefined, 'error', { code: 'NoNodes' })),
      ))
  test('the first document of a file has an index, which their helper takes for none', () => {
    const first = subject({ 'internal.config.kubernetes.io/path': 'a', 'internal.config.kubernetes.io/index': '0' })
    assert.equal(resultOf(first)?.file, { path: 'a', index: 0 })
    assert.is(kubernetesObjectResult('a', first).file?.index, undefined)
  })
})
