/** Items that nobody looks at may hold what is refused elsewhere: they go out as they came. */
import * as assert from 'uvu/assert'
import { annotate, edit, type Item, KrmError, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { suite } from '../support/suite.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const ITEM = (yaml: string) =>
  `- apiVersion: apps/v1\n  kind: Deployment # kept\n  metadata:\n    name: a\n    annotations:\n      config.kubernetes.io/path: 'a.yaml'\n  spec:\n${yaml.replaceAll(/^/gm, '    ')}\n`
const OTHER = '- apiVersion: v1\n  kind: Service\n  metadata:\n    name: b\n'
const looksAt =
  (...kinds: string[]) =>
  ({ kind }: { kind: string }) =>
    kinds.includes(kind)

const REFUSED: Record<string, string> = {
  'a tag of its own': 'a: !foo b',
  'a binary tag': 'a: !!binary aGk=',
  'duplicate keys': 'a:\n  b: 1\n  b: 2',
  'a list as a key': '? [a, b]\n: c',
  'a long key': `? ${'k'.repeat(2000)}\n: v`,
  'aliases beyond number': `a: &a b\nc: [${Array(100).fill('*a').join(', ')}]`,
  'aliases that multiply': Array.from(
    { length: 20 },
    (_, level) => `b${level}: &b${level} [${Array(3).fill(level === 0 ? 'x' : `*b${level - 1}`)}]`,
  ).join('\n'),
  'an escaped surrogate': 'a: "\\ud800"',
  'an alias to nothing': 'a: *none',
}

const opaqueItem = (text: string): Item => {
  const [item] = readResourceList(text, looksAt()).items
  if (item === undefined) throw new Error('no item')
  return item
}

suite('opaque items', (test) => {
  for (const [name, yaml] of Object.entries(REFUSED)) {
    const text = HEAD + ITEM(yaml) + OTHER
    test(`${name}: known by its identity, byte for byte`, () => {
      const list = readResourceList(text, looksAt('ConfigMap'))
      const [item, other] = list.items
      assert.match(item?.opaque?.message ?? '', /^Deployment a \(a\.yaml\) /)
      assert.equal(item?.object, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a', annotations: { 'config.kubernetes.io/path': 'a.yaml' } },
      })
      assert.is(other?.opaque, undefined)
      assert.is(writeResourceList(list), text)
    })
    test(`${name}: refused where it is looked at, or nobody says`, () => {
      for (const read of [() => readResourceList(text, looksAt('Deployment')), () => readResourceList(text)])
        assert.throws(
          read,
          (error: unknown) => error instanceof KrmError && error.message.startsWith('Deployment a (a.yaml)'),
        )
    })
  }
  test('with anchors and quotes about its keys', () => {
    const text = `${HEAD}- {"apiVersion": v1, metadata: {name: a}, &k 'kind': X, "spec": {a: !foo b}}\n`
    assert.equal(opaqueItem(text).object, { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } })
  })
  test('in JSON as well', () => {
    const item = '{"apiVersion": "v1", "spec": {"a": 1, "a": 2}, "kind": "X", "metadata": {"name": "a"}}'
    const json = `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [${item}]}`
    const list = readResourceList(json, looksAt())
    assert.equal(list.items[0]?.object, { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } })
    assert.match(writeResourceList(list), item)
    assert.throws(() => readResourceList(json), /^X a cannot be read as YAML/)
  })
  const broken: Record<string, string> = {
    'two kinds': ITEM('a: 1').replace('  spec:', '  kind: X\n  spec:'),
    'two metadata': ITEM('a: 1').replace('  spec:', '  metadata: {name: b}\n  spec:'),
    'metadata that is refused': ITEM('a: 1').replace('name: a', 'name: !foo a'),
    'no kind': ITEM('a: !foo b').replace(/ kind: .*\n/, 'b: c\n'),
    'text that does not end': ITEM('a: "b').replace('apps/v1', 'v1'),
    'brackets that do not close': ITEM('a: [b, !foo c'),
  }
  for (const [name, item] of Object.entries(broken)) {
    test(`${name}: an error, whoever looks`, () =>
      assert.throws(
        () => readResourceList(HEAD + item + OTHER, looksAt()),
        (error: unknown) => error instanceof KrmError,
      ))
  }
  test('one whose text holds what looks like an item is not cut', () => {
    const text =
      HEAD +
      ITEM('a: !foo "b\n').replace(/\s+$/, '\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: c}\n"\n') +
      OTHER
    const list = readResourceList(text, looksAt())
    assert.equal(
      list.items.map(({ object }) => object.kind),
      ['Deployment', 'Service'],
    )
    assert.is(writeResourceList(list), text)
  })
  test('its metadata can be changed, and nothing is lost', () => {
    const marked = annotate(opaqueItem(HEAD + ITEM('a: !foo b # kept')), { c: 'd' })
    assert.ok(marked.opaque instanceof KrmError)
    assert.is(marked.object.metadata.annotations?.c, 'd')
    const text = writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: [marked], results: [] })
    assert.is(text, HEAD + ITEM('a: !foo b # kept').replace("'a.yaml'\n", "'a.yaml'\n      c: d\n"))
  })
  test('a mark and another member of its metadata in one change', () => {
    const changed = edit(opaqueItem(HEAD + ITEM('a: !foo b')), (object) => {
      const { metadata } = object
      return {
        ...object,
        metadata: { ...metadata, annotations: { ...metadata.annotations, c: 'true' }, labels: { d: 'e' } },
      }
    })
    const text = writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: [changed], results: [] })
    assert.is(
      text,
      HEAD + ITEM('a: !foo b').replace("'a.yaml'\n", '\'a.yaml\'\n      c: "true"\n    labels:\n      d: e\n'),
    )
  })
  test('nothing else can', () => {
    const item = opaqueItem(HEAD + ITEM('a: !foo b'))
    assert.throws(
      () => edit(item, (object) => ({ ...object, spec: {} })),
      /^Deployment a contains YAML that nodefit does not read/,
    )
    assert.throws(() => edit(item, (object) => ({ ...object, kind: 'X' })), /cannot be changed/)
    assert.is(
      edit(item, (object) => object),
      item,
    )
  })
  test('its metadata is not looked for in its text', () => {
    const text = HEAD + ITEM('a: !foo "\n').replace(/\s+$/, '\nmetadata:\n  name: a\n"\n')
    assert.throws(() => annotate(opaqueItem(text), { c: 'd' }), /cannot be changed/)
  })
})
