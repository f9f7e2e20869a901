/**
 * What cannot be read is called by its name. A host's text is not its author's file: lines were added to it, left out and joined. Of
 * an item the line itself is said, and no number.
 */
import * as assert from 'uvu/assert'
import { KrmError, readResourceList } from '../../src/krm/index.ts'
import { readAnyYaml } from '../../src/krm/read-yaml.ts'
import { suite } from '../support/suite.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const ITEM = (name: string) => `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: ${name}\n`
const PATH = "    annotations:\n      internal.config.kubernetes.io/path: 'sub/b.yaml'\n"

const SAID: Record<string, readonly [text: string, sentence: string]> = {
  'kind, name and file': [
    `${ITEM('a')}${ITEM('b')}${PATH}  data:\n    c: 1\n    c: 2\n${ITEM('d')}`,
    'ConfigMap b (sub/b.yaml) cannot be read as YAML: duplicated mapping key, in the line: c: 2',
  ],
  'no file': [
    `${ITEM('a')}  data: [\n`,
    'ConfigMap a cannot be read as YAML: unexpected end of the stream within a flow collection, in the line: data: [',
  ],
  'no name': [
    `${ITEM('a')}- apiVersion: v1 # first\n  kind: Y\n  kind: X\n`,
    'item 1, which begins with "- apiVersion: v1 # first", cannot be read as YAML: duplicated mapping key, in the line: kind: X',
  ],
  'no object': [`${ITEM('a')}- text\n`, 'item 1, which begins with "- text", is not a Kubernetes object but a string'],
  'an error behind text at the margin': [
    `${ITEM('a')}  data:\n    a: "b\n- c\n"\n${ITEM('d')}  e: f: g\n`,
    'ConfigMap d cannot be read as YAML: bad indentation of a mapping entry, in the line: e: f: g',
  ],
  'a quote that is never closed': [
    `${ITEM('a')}  b: "c\n${ITEM('d')}${ITEM('e')}`,
    'ConfigMap a cannot be read as YAML: unexpected end of the stream within a double quoted scalar, in the line: b: "c',
  ],
  'a long line': [
    `${ITEM('a')}  b: !c ${'d'.repeat(1000)}\n`,
    `ConfigMap a cannot be read as YAML: unknown scalar tag !<!c>, in the line: b: !c ${'d'.repeat(54)}…`,
  ],
  'a kind that is null': [
    `${ITEM('a')}- {"kind": null, "metadata": {"name": "b"}}\n`,
    'item 1, which begins with "- {"kind": null, "metadata": {"name": "b"}}", has no apiVersion and kind',
  ],
  'a kind that is null, and another below it': [
    `${ITEM('a')}- apiVersion: v1\n  kind: NULL\n  metadata:\n    name: b\n  spec:\n    ref:\n      kind: C\n`,
    'item 1, which begins with "- apiVersion: v1", has no apiVersion and kind',
  ],
  'what is around the items': [
    `${ITEM('a')}functionConfig:\n  a: 1\n  a: 2\n`,
    'what surrounds the items of the ResourceList cannot be read as YAML: duplicated mapping key, in the line: a: 2',
  ],
  'far behind in a long line': [
    `${ITEM('a')}  b: {c: ${'d'.repeat(100)}, e: 1, e: 2, f: ${'g'.repeat(100)}}\n`,
    `ConfigMap a cannot be read as YAML: duplicated mapping key, in the line: …${'d'.repeat(32)}, e: 1, e: 2, f: ${'g'.repeat(11)}…`,
  ],
  'lines of the host, and the second document of a file': [
    `${ITEM('a')}${PATH}      internal.config.kubernetes.io/index: '1'\n      config.k8s.io/id: '2'\n  c: 1\n  c: 2\n`,
    'ConfigMap a (sub/b.yaml) cannot be read as YAML: duplicated mapping key, in the line: c: 2',
  ],
  'a line indented by a tab': [
    `${ITEM('a')}${ITEM('b')}${PATH}  data:\n\tc: d\n${ITEM('e')}functionConfig:\n  a: 1\n`,
    'ConfigMap b (sub/b.yaml) cannot be read as YAML: end of the stream or a document separator is expected, in the line: \\tc: d',
  ],
  'a line indented by a tab in the last item, behind a wide margin': [
    `${ITEM('a')}${ITEM('b')}  data:\n\t c: d\n`.replaceAll(/^(?!\t)/gm, '  '),
    'ConfigMap b cannot be read as YAML: end of the stream or a document separator is expected, in the line: \\tc: d',
  ],
  'a raw character': [
    `${ITEM('a')}${ITEM('b')}${PATH}  data:\n    c: d\u0085e\n${ITEM('f')}`,
    'ConfigMap b (sub/b.yaml) contains the raw character U+0085 instead of an escape in double quotes, in the line: c: d\\u0085e',
  ],
  'a raw character in the one name': [
    `${ITEM('a')}- apiVersion: v1\u001b\n  b: c\n`,
    'item 1, which begins with "- apiVersion: v1\\u001B", contains the raw character U+001B instead of an escape in double quotes, in the line: - apiVersion: v1\\u001B',
  ],
  'a raw character far behind in a line, in an item with text at the margin': [
    `${ITEM('a')}  b: "\n- c\n"\n${ITEM('d')}  e: "${'f'.repeat(100)}\u0085\n- g\n"\n`,
    `ConfigMap d contains the raw character U+0085 instead of an escape in double quotes, in the line: …${'f'.repeat(40)}\\u0085`,
  ],
  'a raw character around the items': [
    `${ITEM('a')}functionConfig:\n  a: \u0085\n`,
    'the input contains the raw character U+0085 instead of an escape in double quotes, line 9: a: \\u0085',
  ],
}

const TWICE: Record<string, string> = {
  'in lines': `${HEAD}${ITEM('a')}items:\n${ITEM('b')}`,
  'empty behind': `${HEAD}${ITEM('a')}items: []\n`,
  'empty before': `${HEAD.replace('items:', 'items: []')}items:\n${ITEM('a')}`,
  'in quotes behind': `${HEAD}${ITEM('a')}"items": []\n`,
  'in brackets': `${HEAD.replace('items:\n', '')}items: []\nitems: [{apiVersion: v1, kind: X, metadata: {name: a}}]\n`,
  'in JSON': '{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "items": []}',
}

suite('errors of syntax', (test) => {
  for (const [name, [items, sentence]] of Object.entries(SAID)) {
    test(`${name}: said`, () => {
      try {
        readResourceList(HEAD + items)
      } catch (error) {
        assert.is((error as Error).message, sentence)
        return
      }
      assert.unreachable('it was read')
    })
  }
  test('in JSON as well', () => {
    const json = `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [\n {\n  "kind": "X",\n  "kind": "Y", "metadata": {"name": "a"}}]}`
    assert.throws(
      () => readResourceList(json),
      /^X a cannot be read as YAML: duplicated mapping key, in the line: "kind": "Y", "metadata": \{"name": "a"\}\}$/,
    )
    assert.throws(
      () => readResourceList(json.replace('"name"', '"\u0085"').replace('"kind": "Y",', '')),
      /^item 0, .* contains the raw character U\+0085 .*, in the line: "metadata": \{"\\u0085": "a"\}\}$/,
    )
  })
  for (const [character, words] of [
    ['\u0085', '0085'],
    ['\u2028', '2028'],
    ['\u001b', '001B'],
  ] as const)
    test(`a raw character is called as Unicode calls it: U+${words}`, () =>
      assert.throws(
        () => readAnyYaml(`c: d\na: b${character}`, 'c.yaml', 7),
        ({ message }: Error) =>
          message ===
          `c.yaml contains the raw character U+${words} instead of an escape in double quotes, line 8: a: b\\u${words}`,
      ))
  test('lines are counted from the one that is given', () =>
    assert.throws(() => readAnyYaml('a: 1\na: 2\n', 'b.yaml', 40), /^b\.yaml cannot be read as YAML.*, line 41: a: 2$/))
})

suite('the key items twice', (test) => {
  for (const [name, text] of Object.entries(TWICE))
    test(`${name}: refused`, () =>
      assert.throws(
        () => readResourceList(text),
        (error: unknown) =>
          error instanceof KrmError && error.code === 'YamlSyntax' && /items|duplicated/.test(error.message),
      ))
})
