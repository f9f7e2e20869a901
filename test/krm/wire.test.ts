import * as assert from 'uvu/assert'
import { annotate, edit, KrmError, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { suite } from '../support/suite.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n'
const ITEM = (name: string) => `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: ${name}\n`

/** ResourceLists as hosts write them; each must come out byte for byte. */
const SAME: Record<string, string> = {
  'one item': `${HEAD}items:\n${ITEM('a')}`,
  'comments around and within': `${HEAD}items:\n- # head\n  apiVersion: v1 # line\n  kind: ConfigMap\n  metadata:\n    # inner\n    name: a # name\n  data: {b: c} # tail\n  # end\n${ITEM('b')}`,
  'a comment at the margin': `${HEAD}items:\n${ITEM('a')}# between\n${ITEM('b')}`,
  'numbers and dates as they were written': `${HEAD}items:\n${ITEM('a')}  data:\n    mode: 0644\n    big: 12345678901234567890\n    float: 1.10\n    date: 2024-01-01\n    on: yes\n`,
  'literal text with list markers': `${HEAD}items:\n${ITEM('a')}  data:\n    text: |\n      - not an item\n      items:\n      functionConfig:\n`,
  'indented items': `${HEAD}items:\n  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: a\n  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: b\n`,
  'a functionConfig behind': `${HEAD}items:\n${ITEM('a')}functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: function-input\n  data:\n    c: on\n`,
  'blank lines': `${HEAD}items:\n${ITEM('a')}\n\n${ITEM('b')}`,
  'the same object twice': `${HEAD}items:\n${ITEM('a')}${ITEM('a')}`,
  'flow style items': `${HEAD}items:\n- {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}\n${ITEM('b')}`,
  'brackets at the column of their key': `${HEAD}items:\n${ITEM('a')}  data:\n    args: [\n      a, # first\n      b, # second\n    ]\n    map: {\n    c: d\n    }\n`,
  'anchors within an item': `${HEAD}items:\n${ITEM('a')}  data:\n    one: &x value\n    two: *x\n`,
  'other wire versions': `apiVersion: config.kubernetes.io/v1alpha1\nkind: ResourceList\nitems:\n${ITEM('a')}`,
  'no items': `${HEAD}items: []\n`,
  'carriage returns': `${HEAD}items:\n- apiVersion: v1\r\n  kind: ConfigMap\r\n  metadata:\r\n    name: a\r\n`,
}

suite('the wire', (test) => {
  for (const [name, text] of Object.entries(SAME)) {
    test(`${name}: byte for byte`, () => assert.is(writeResourceList(readResourceList(text)), text))
  }
  test('what stands elsewhere than in kpt is read too', () => {
    const moved = `items:\n${ITEM('a')}kind: ResourceList\napiVersion: config.kubernetes.io/v1\n`
    assert.is(writeResourceList(readResourceList(moved)), SAME['one item'])
    assert.is(readResourceList(`\uFEFF---\n${SAME['one item']}`).items.length, 1)
  })
  test('JSON keeps its numbers', () => {
    const json = JSON.stringify(
      {
        apiVersion: 'config.kubernetes.io/v1',
        kind: 'ResourceList',
        items: [{ apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, n: 1.5 }],
      },
      null,
      2,
    ).replace('1.5', '1.50')
    const list = readResourceList(json)
    assert.is(list.items[0]?.object.n, 1.5)
    assert.match(writeResourceList(list), '"n": 1.50')
    assert.equal(readResourceList(writeResourceList(list)).items[0]?.object, list.items[0]?.object)
  })
  test('results that came in stay, before ours', () => {
    const list = readResourceList(`${SAME['one item']}results:\n- message: before\n  severity: info\n`)
    const out = writeResourceList({ ...list, results: [...list.results, { message: 'after', severity: 'error' }] })
    assert.match(out, /message: before[\s\S]*message: after/)
  })
  test('the text of an item is a document of its own', () => {
    const [item] = readResourceList(SAME['comments around and within'] ?? '').items
    assert.is(item?.text?.split('\n')[0], '# head')
    assert.match(item?.text ?? '', /^metadata:\n {2}# inner\n {2}name: a # name$/m)
  })
})

suite('what is no ResourceList', (test) => {
  const refused: Record<string, [text: string, code: string]> = {
    'nothing at all': ['', 'EmptyInput'],
    blanks: [' \n\n', 'EmptyInput'],
    'another kind': ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n', 'NotAResourceList'],
    'another group': ['apiVersion: foo/v1\nkind: ResourceList\nitems: []\n', 'NotAResourceList'],
    'a version nobody knows': [
      'apiVersion: config.kubernetes.io/v9\nkind: ResourceList\nitems: []\n',
      'NotAResourceList',
    ],
    'items missing': [HEAD, 'NotAResourceList'],
    'items null': [`${HEAD}items:\n`, 'NotAResourceList'],
    'an item that is text': [`${HEAD}items:\n- text\n`, 'NotAnObject'],
    'an item that is empty': [`${HEAD}items:\n-\n`, 'NotAnObject'],
    'an item without kind': [`${HEAD}items:\n- apiVersion: v1\n  metadata: {name: a}\n`, 'NotAnObject'],
    'labels that are a list': [
      `${HEAD}items:\n- apiVersion: v1\n  kind: X\n  metadata: {name: a, labels: [b]}\n`,
      'NotAnObject',
    ],
    'a list': ['- a\n- b\n', 'NotAResourceList'],
    'text cut in a quote': [`${HEAD}items:\n- apiVersion: "v1\n`, 'YamlSyntax'],
  }
  for (const [name, [text, code]] of Object.entries(refused)) {
    test(`${name} is ${code}`, () => {
      assert.throws(
        () => readResourceList(text),
        (error: unknown) => error instanceof KrmError && error.code === code,
        `${name}: ${code}`,
      )
    })
  }
})

suite('edit', (test) => {
  const [item] = readResourceList(
    `${HEAD}items:\n- # head\n  apiVersion: apps/v1 # line\n  kind: DaemonSet\n  metadata:\n    name: a # name\n    annotations:\n      x: "1" # mode\n  spec:\n    mode: 0644 # octal\n    list:\n    - name: one\n      # about image\n      image: old # pinned\n    - name: two\n    text: |\n      kept\n`,
  ).items
  if (item === undefined) throw new Error('no item')

  test('nothing changed gives the very item back', () => {
    assert.is(
      edit(item, (object) => object),
      item,
    )
    assert.is(annotate(item, { x: '1' }), item)
  })
  test('only the lines of what changed change', () => {
    const edited = edit(item, (object) => {
      const spec = structuredClone(object.spec) as { list: Array<Record<string, unknown>>; extra?: object }
      Object.assign(spec.list[0] ?? {}, { image: 'new' })
      spec.extra = { yes: 'on' }
      return { ...object, spec }
    })
    assert.is(
      edited.text,
      item.text?.replace('image: old', 'image: new').replace('    kept\n', '    kept\n  extra:\n    "yes": "on"\n'),
    )
  })
  test('an entry is removed with its line', () => {
    const edited = edit(item, (object) => ({ ...object, spec: { ...(object.spec as object), mode: undefined } }))
    assert.not.match(edited.text ?? '', 'mode: 0644')
    assert.match(edited.text ?? '', '# about image')
  })
  const KEPT: Array<[name: string, from: string, change: object, to: string]> = [
    [
      'an entry added to a map in front of one that goes',
      'a:\n  b: 1 # kept\nc: 2\nd: 3 # kept\n',
      { a: { b: 1, e: 4 }, c: undefined },
      'a:\n  b: 1 # kept\n  e: 4\nd: 3 # kept\n',
    ],
    [
      'an entry added to a map at the end, and one behind that map',
      'a: 0644 # kept\nb:\n  c: 1 # kept\n',
      { b: { c: 1, d: 2 }, e: 3 },
      'a: 0644 # kept\nb:\n  c: 1 # kept\n  d: 2\ne: 3\n',
    ],
    [
      'an entry added to each of three maps that end together',
      'a:\n  b:\n    c: 1 # kept\n',
      { a: { b: { c: 1, d: 2 }, e: 3 }, f: 4 },
      'a:\n  b:\n    c: 1 # kept\n    d: 2\n  e: 3\nf: 4\n',
    ],
    [
      'an entry added to a list at the end, and one behind that list',
      'a:\n- 1 # kept\n',
      { a: [1, 2], b: 3 },
      'a:\n- 1 # kept\n- 2\nb: 3\n',
    ],
  ]
  for (const [name, from, change, to] of KEPT)
    test(`${name}: the rest keeps its text`, () => {
      const head = 'apiVersion: v1\nkind: X\nmetadata:\n  name: a\n'
      const indented = `${head}${from}`.replaceAll(/^(?=.)/gm, '  ').replace(/^ {2}/, '- ')
      const [read] = readResourceList(`${HEAD}items:\n${indented}`).items
      if (read === undefined) throw new Error('no item')
      assert.is(edit(read, (object) => ({ ...object, ...change })).text, head + to)
    })
  test('annotations are set and removed, and the map goes when it is empty', () => {
    assert.match(annotate(item, { y: 'off' }).text ?? '', 'x: "1" # mode\n    y2'.replace('y2', '"y": "off"'))
    const bare = annotate(item, { x: null })
    assert.is(bare.object.metadata.annotations, undefined)
    assert.not.match(bare.text ?? '', 'annotations')
    assert.match(bare.text ?? '', 'name: a # name')
  })
  const ANNOTATED = [
    ...['  annotations:\n    x: a\n  name: a\n', '  name: a\n  annotations:\n    x: "1"\n    y: http://a/b\n'],
    ...["  name: a\n  annotations:\n      x: 'b c'\n  labels:\n    x: a\n", '  name: a\n  annotations: {}\n'],
    ...['  name: a\n  annotations:\n    x: |\n      y: 1\n', '  name: a # kept\n  annotations:\n    x: a\n'],
    ...[
      '  name: a\n  annotations:\n    x:\n      a\n',
      '  name: a\n  annotations:\n    x: a\n      b\n',
      '  name: a\n',
    ],
    ...[
      '  name: a\n  labels:\n    annotations:\n      x: a\n',
      '  name: a\n  annotations:\n    x: "\\""\n  finalizers:\n  - a\n',
    ],
    ...['  name: a\n  labels:\n    annotations: b\n', '    name: a\n    labels:\n      b: c\n', '  name: a\n\n'],
    ...['  name: a\n  annotations:\n', '  name: a\n  labels:\n    annotations:\n  annotations:\n    x: a\n    k: b\n'],
  ]
  for (const metadata of ANNOTATED)
    test(`a mark is written as any edit would write it: ${JSON.stringify(metadata)}`, () => {
      for (const after of ['', 'spec: 1\n']) {
        const text = `apiVersion: v1\nkind: X\nmetadata:\n${metadata}${after}`.replaceAll(/^(?=.)/gm, '  ')
        const [read] = readResourceList(`${HEAD}items:\n${text.replace(/^ {2}/, '- ')}`).items
        if (read === undefined) throw new Error('no item')
        const marks = { 'example.com/local': 'true' }
        const edited = edit(read, (object) => {
          const annotations = { ...object.metadata.annotations, ...marks }
          return { ...object, metadata: { ...object.metadata, annotations } }
        })
        const marked = annotate(read, marks)
        assert.is(marked.text, edited.text)
        assert.equal(marked.object, edited.object)
      }
    })
  test('anchors elsewhere stay; where an edit would part an alias from its anchor, it is printed anew', () => {
    const [aliased] = readResourceList(
      `${HEAD}items:\n- apiVersion: v1\n  kind: X\n  metadata:\n    name: a\n    labels: &l {b: c} # kept\n  copy: *l\n  mode: 0644\n`,
    ).items
    if (aliased === undefined) throw new Error('no item')
    const marked = annotate(aliased, { a: 'b' })
    assert.match(marked.text ?? '', 'labels: &l {b: c} # kept')
    assert.match(marked.text ?? '', 'mode: 0644')
    const parted = edit(aliased, (object) => ({ ...object, copy: { other: 'd' } }))
    assert.equal(parted.object.copy, { other: 'd' })
    assert.equal(parted.object.metadata.labels, { b: 'c' })
  })
  test('within brackets only what differs changes', () => {
    const [flow] = readResourceList(
      `${HEAD}items:\n- {apiVersion: v1, kind: X, metadata: {name: a, annotations: {b: 'c'}}, mode: 0644, on: yes} # kept\n`,
    ).items
    if (flow === undefined) throw new Error('no item')
    assert.is(
      annotate(flow, { d: 'on' }).text,
      `{apiVersion: v1, kind: X, metadata: {name: a, annotations: {b: 'c', d: "on"}}, mode: 0644, on: yes} # kept\n`,
    )
    assert.is(annotate(annotate(flow, { d: 'on' }), { d: null }).text, flow.text)
  })
  test('an item added to a list leaves the others as they are', () => {
    const longer = edit(item, (object) => {
      const spec = object.spec as { list: object[] }
      return { ...object, spec: { ...spec, list: [...spec.list, { name: 'three', on: 'off' }] } }
    })
    assert.is(longer.text, item.text?.replace('  - name: two\n', '  - name: two\n  - name: three\n    "on": "off"\n'))
  })
  test('the object given to the change is a copy', () => {
    edit(item, (object) => {
      object.kind = 'Changed'
      return object
    })
    assert.is(item.object.kind, 'DaemonSet')
  })
})
