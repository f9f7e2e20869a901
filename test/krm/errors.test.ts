/** What cannot be read is called by its name, and the line is that of the object and not of the host's stream. */
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
    'ConfigMap b (sub/b.yaml) is not YAML that nodefit reads: duplicated mapping key, line 9: c: 2',
  ],
  'no file': [
    `${ITEM('a')}  data: [\n`,
    'ConfigMap a is not YAML that nodefit reads: unexpected end of the stream within a flow collection, line 5: data: [',
  ],
  'no name': [
    `${ITEM('a')}- apiVersion: v1 # first\n  kind: Y\n  kind: X\n`,
    'item 1, which begins with "- apiVersion: v1 # first", is not YAML that nodefit reads: duplicated mapping key, line 3: kind: X',
  ],
  'no object': [`${ITEM('a')}- text\n`, 'item 1, which begins with "- text", is not a Kubernetes object but a string'],
  'an error behind text at the margin': [
    `${ITEM('a')}  data:\n    a: "b\n- c\n"\n${ITEM('d')}  e: f: g\n`,
    'ConfigMap d is not YAML that nodefit reads: bad indentation of a mapping entry, line 5: e: f: g',
  ],
  'a quote that is never closed': [
    `${ITEM('a')}  b: "c\n${ITEM('d')}${ITEM('e')}`,
    'ConfigMap a is not YAML that nodefit reads: unexpected end of the stream within a double quoted scalar, line 5: b: "c',
  ],
  'a long line': [
    `${ITEM('a')}  b: !c ${'d'.repeat(1000)}\n`,
    `ConfigMap a is not YAML that nodefit reads: unknown scalar tag !<!c>, line 5: b: !c ${'d'.repeat(54)}…`,
  ],
  'what is around the items': [
    `${ITEM('a')}functionConfig:\n  a: 1\n  a: 2\n`,
    'what surrounds the items of the ResourceList is not YAML that nodefit reads: duplicated mapping key, line 5: a: 2',
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
      /^X a is not YAML that nodefit reads: duplicated mapping key, line 3: "kind": "Y"/,
    )
  })
  for (const [character, words] of [
    ['\u0085', 'U+0085 at offset 4'],
    ['\u2028', 'U+2028 at offset 4'],
    ['\u001b', 'U+001B at offset 4'],
  ] as const)
    test(`a raw character is called as Unicode calls it: ${words}`, () =>
      assert.throws(
        () => readAnyYaml(`a: b${character}`, 'c.yaml'),
        ({ message }: Error) =>
          message ===
          `c.yaml holds the raw character ${words}: write it as an escape in double quotes, or leave it out`,
      ))
  test('lines are counted from the one that is given', () =>
    assert.throws(() => readAnyYaml('a: 1\na: 2\n', 'b.yaml', 40), /^b\.yaml is not YAML .*, line 41: a: 2$/))
})

suite('two lists of items', (test) => {
  for (const [name, text] of Object.entries(TWICE))
    test(`${name}: refused`, () =>
      assert.throws(
        () => readResourceList(text),
        (error: unknown) =>
          error instanceof KrmError && error.code === 'YamlSyntax' && /items|duplicated/.test(error.message),
      ))
})
