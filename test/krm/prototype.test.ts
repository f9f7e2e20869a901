/** Keys that mean something to JavaScript are keys like any other. */
import * as assert from 'uvu/assert'
import { annotate, edit, isDeepEqual, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { readAnyYaml, readYaml } from '../../src/krm/read-yaml.ts'
import { writeFlowYaml, writeYaml } from '../../src/krm/write-yaml.ts'
import { suite } from '../support/suite.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const ITEM = `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n  data:\n    __proto__:\n      polluted: "yes"\n    constructor: {prototype: {polluted: 1}} # kept\n    toString: a\n`
const own = (key: string, value: unknown) => Object.fromEntries([[key, value]])

suite('keys of the prototype', (test) => {
  const list = readResourceList(HEAD + ITEM)
  const [item] = list.items
  if (item === undefined) throw new Error('no item')
  const data = item.object.data as Record<string, unknown>

  test('are read as members, and come out byte for byte', () => {
    assert.equal(Object.keys(data), ['__proto__', 'constructor', 'toString'])
    assert.is(Object.getPrototypeOf(data), Object.prototype)
    assert.is(writeResourceList(list), HEAD + ITEM)
    assert.is(({} as Record<string, unknown>).polluted, undefined)
  })
  test('are merged as members', () => {
    const { b } = readAnyYaml('a: &a {__proto__: {polluted: 1}}\nb: {<<: *a, c: 1}\n') as { b: object }
    assert.equal(Object.keys(b), ['__proto__', 'c'])
    assert.is((b as Record<string, unknown>).polluted, undefined)
  })
  test('are refused in what is worked on, however they are written', () => {
    for (const text of ['a: [{__proto__: 1}]', '"\\x5f_proto__": 1', 'a: &a {__proto__: {b: 1}}\nc: {<<: *a}'])
      assert.throws(() => readYaml(text), /has the key __proto__/)
    assert.equal(Object.keys(readYaml('constructor: 1') as object), ['constructor'])
  })
  test('twice they are refused', () => {
    for (const key of ['__proto__', 'constructor'])
      assert.throws(() => readAnyYaml(`${key}: 1\n${key}: 2\n`), /duplicated mapping key/)
  })
  test('are written, and read back', () => {
    for (const yaml of [writeYaml(data), writeFlowYaml(data)]) assert.ok(isDeepEqual(readAnyYaml(yaml), data), yaml)
  })
  test('stay in an item that is edited', () => {
    const marked = annotate(item, { b: 'c' })
    assert.is(marked.text, item.text?.replace('name: a\n', 'name: a\n  annotations:\n    b: c\n'))
    const edited = edit(item, (object) => ({ ...object, more: 1 }))
    assert.is(edited.text, `${item.text}more: 1\n`)
    assert.equal(Object.keys(edited.object.data as object), Object.keys(data))
  })
  test('are changed, added and removed as any other', () => {
    const change = (members: object) => edit(item, (object) => ({ ...object, data: members }))
    const { constructor: _, ...without } = data
    assert.not.match(change(without).text ?? '', 'constructor')
    assert.match(change({ ...data, ...own('__proto__', 'b') }).text ?? '', '__proto__: b\n')
    const [plain] = readResourceList(`${HEAD}- {apiVersion: v1, kind: X, metadata: {name: a}, data: {b: c}}\n`).items
    if (plain === undefined) throw new Error('no item')
    const added = edit(plain, (object) => ({
      ...object,
      data: { b: 'c', ...own('__proto__', 'd'), ...own('constructor', 'e') },
    }))
    assert.match(added.text ?? '', 'data: {b: c, __proto__: d, constructor: e}')
  })
  test('differ from what is inherited', () => {
    assert.not(isDeepEqual({}, own('__proto__', Object.prototype)))
    assert.not(isDeepEqual(own('constructor', {}), {}))
    assert.not(isDeepEqual(own('__proto__', { a: 1 }), own('__proto__', { a: 2 })))
    assert.ok(isDeepEqual(own('__proto__', { a: 1 }), own('__proto__', { a: 1 })))
    assert.ok(isDeepEqual({ toString: undefined }, {}))
  })
})
