/** Quoted text over several lines that Go reads wherever its lines begin; the values are those that kpt and kubectl give. */
import * as assert from 'uvu/assert'
import { annotate, edit, type Item, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { readYaml } from '../../src/krm/read-yaml.ts'
import { suite } from '../support/suite.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const ITEM = (name: string, data = '') => `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: ${name}\n${data}`

const READ: Record<string, readonly [text: string, value: unknown]> = {
  'the closing quote at the margin': ['a:\n  b: "one\n    two\n"\n', { a: { b: 'one two ' } }],
  'lines at the margin': ['a:\n  b: "one\ntwo\n  three"\n', { a: { b: 'one two three' } }],
  'single quotes': ["a:\n  b: 'it''s\n\ny\n'\n", { a: { b: "it's\ny " } }],
  'an escaped line break': ['a:\n  b: "e\\\nf \\\n   g"\n', { a: { b: 'ef g' } }],
  'escaped quotes': ['a:\n  b: "one\n\\"two\\\\\n"\n  c: d\n', { a: { b: 'one "two\\ ', c: 'd' } }],
  'within brackets': ['a:\n  c: {k: "v\nw", l: [\n1,\n2]}\n', { a: { c: { k: 'v w', l: [1, 2] } } }],
  'many lines within brackets': [
    `a:\n  c: [\n${'1,\n'.repeat(40)}2]\nd: {\n${'e: 1,\nf: [\n]}\n'}`,
    { a: { c: [...Array.from({ length: 40 }, () => 1), 2] }, d: { e: 1, f: [] } },
  ],
  'line breaks of two characters': ['a:\r\n  b: "one\r\ntwo\r\n"\r\n', { a: { b: 'one two ' } }],
  'what looks like YAML': [
    'a:\n  b: "one\n- c: d\nitems:\n# no comment"\n',
    { a: { b: 'one - c: d items: # no comment' } },
  ],
  'the other quote': [`a:\n  b: "it's\nso"\n  c: 'a "\nb" '\n`, { a: { b: "it's so", c: 'a " b" ' } }],
}

const WITHIN = `  data:\n    text: "one\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: none\nitems:\nfunctionConfig:\ntwo"\n    more: 'three\n'\n`

/** Lists that come out byte for byte. */
const SAME: Record<string, readonly [text: string, names: readonly string[]]> = {
  'a closing quote at the margin': [`${HEAD}${ITEM('a', '  data:\n    b: "one\n"\n')}${ITEM('b')}`, ['a', 'b']],
  'what looks like an item': [
    `${HEAD}${ITEM('a', WITHIN)}# comment\n${ITEM('b', WITHIN)}${ITEM('c')}`,
    ['a', 'b', 'c'],
  ],
  'the same in items that are indented': [
    `${HEAD}${(ITEM('a') + ITEM('b')).replaceAll(/^/gm, '  ').trimEnd()}\n    data: {b: "one\n  - apiVersion: v1\n"}\n`,
    ['a', 'b'],
  ],
  'lines at every column in items that are indented': [
    `${HEAD}  - apiVersion: v1\n    kind: A\n    metadata: {name: a} # kept\n    b: "one\n two\n  - three\n- four\nfive"\n`,
    ['a'],
  ],
  'several texts in one item': [
    `${HEAD}${ITEM('a', '  b: "c\n- d"\n  e: \'f\n- g\'\n  h: "\n- i"\n')}${ITEM('b')}`,
    ['a', 'b'],
  ],
  'comments above and between': [
    `${HEAD}- # head\n  apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  b: 'c\n- d'\n\n# second\n${ITEM('b')}`,
    ['a', 'b'],
  ],
}

const NAMES = (count: number) => '- node-one.example\n'.repeat(count)

/** What is wrong behind an open bracket, however many lines are below it. */
const OPEN: Record<string, readonly [text: string, said: RegExp]> = {
  'a bracket that is never closed': [
    `a:\n- [b\n${NAMES(5000)}`,
    /unexpected end of the stream within a flow collection/,
  ],
  'one with line breaks of two characters': [
    `a:\n- [b\n${NAMES(5000)}`.replaceAll('\n', '\r\n'),
    /unexpected end of the stream within a flow collection/,
  ],
  'one with something else behind it': [`a:\n- [b\n${NAMES(5000)}c: d\ne: f\n`, /line 5003: c: d/],
  'one behind another that is closed': [
    `a:\n- [b,\n${'c,\n'.repeat(20)}d]\n- [e\n${NAMES(3000)}`,
    /unexpected end of the stream within a flow collection/,
  ],
  'a mistake behind one that is closed': [`a: {b: [\n${'c,\n'.repeat(20)}d]}\ne: f: g\n`, /line 23: e: f: g/],
}

suite('quoted text over several lines', (test) => {
  for (const [name, [text, value]] of Object.entries(READ))
    test(`${name} is read as Go reads it`, () => assert.equal(readYaml(text), value))
  for (const [name, [text, said]] of Object.entries(OPEN))
    test(`${name} is refused for what it is`, () => assert.throws(() => readYaml(text), said))
  for (const [name, [text, names]] of Object.entries(SAME)) {
    test(`${name}: byte for byte`, () => {
      const list = readResourceList(text)
      assert.equal(
        list.items.map(({ object }) => object.metadata.name),
        names,
      )
      assert.is(writeResourceList(list), text)
    })
  }
  test('the functionConfig behind such an item, and one that holds such text before it', () => {
    const config =
      'functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: f\n  data:\n    a: "one\nitems:\n- b\n"\n'
    const behind = readResourceList(`${HEAD}${ITEM('a', WITHIN)}${config}`)
    assert.equal(behind.functionConfig?.object.data, { a: 'one items: - b ' })
    const before = readResourceList(HEAD.replace('items:\n', `${config}items:\n${ITEM('a', WITHIN)}`))
    assert.equal(before.functionConfig?.object.data, { a: 'one items: - b ' })
    assert.is(before.items.length, 1)
  })
  test('a list that ends in dots', () => {
    const list = readResourceList(`${HEAD}${ITEM('a', WITHIN)}${ITEM('b')}...\n`)
    assert.is(writeResourceList(list), `${HEAD}${ITEM('a', WITHIN)}${ITEM('b')}`)
  })
  test('items behind a key of its own layout are not cut', () => {
    const config = 'functionConfig:\n  a: "one\nitems:\n- b\n"\n'
    const items = '? items\n: - apiVersion: v1\n    kind: X\n    metadata: {name: a}\n'
    assert.throws(() => readResourceList(HEAD.replace('items:\n', config + items)), /the key items twice/)
  })
  test('a mark is set in the metadata and not in the text', () => {
    const [item] = readResourceList(`${HEAD}${ITEM('a', '  data:\n    b: "one\nmetadata:\n  name: a\n"\n')}`).items
    if (item === undefined) throw new Error('no item')
    const written = (changed: Item) =>
      readYaml(writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: [changed], results: [] }))
    const wanted = { name: 'a', annotations: { c: 'd' } }
    assert.equal((written(annotate(item, { c: 'd' })) as { items: object[] }).items, [
      { ...item.object, metadata: wanted },
    ])
    const edited = edit(item, (object) => ({ ...object, extra: 1 }))
    assert.equal((written(edited) as { items: object[] }).items, [{ ...item.object, extra: 1 }])
  })
  test('thousands of lines at the margin, and quotes that never close', () => {
    const lines = 'line\n'.repeat(20_000)
    assert.is((readYaml(`a:\n  b: "${lines}"\n`) as { a: { b: string } }).a.b.length, lines.length)
    for (const [quote, line] of [
      ['"', 'l\\"'],
      ["'", "l''"],
    ] as const) {
      const { a } = readYaml(`a:\n  b: ${quote}${`${line}\n`.repeat(10_000)}${quote}\n`) as { a: { b: string } }
      assert.is(a.b.length, 30_000)
    }
    assert.throws(() => readYaml(`a:\n  b: "${lines}\n`), /within a double quoted scalar/)
    assert.throws(() => readYaml(`a:\n${`  b: "c\nd"\n`.repeat(20_000)}`), /deficient indentation|duplicated/)
    const many = HEAD + ITEM('a', '  b: "c\n- d\n"\n').repeat(1_000)
    assert.is(writeResourceList(readResourceList(many)), many)
  })
})
