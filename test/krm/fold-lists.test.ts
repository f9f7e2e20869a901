import fc from 'fast-check'
import { load } from 'js-yaml'
import * as assert from 'uvu/assert'
import { KrmError } from '../../src/krm/error.ts'
import { READ_SCHEMA } from '../../src/krm/go-scalar.ts'
import { foldLists, readYaml } from '../../src/krm/read-yaml.ts'
import { suite } from '../support/suite.ts'

const entries = (count: number, indent = '', word = 'node') =>
  Array.from({ length: count }, (_, index) => `${indent}- ${word}-${index}.example\n`).join('')
const names = (count: number, word = 'node') => Array.from({ length: count }, (_, index) => `${word}-${index}.example`)

/** Texts with a list that is long enough, where it is one and where it only looks like one. */
const READ: Record<string, string> = {
  'a list of its own': entries(20),
  'a list that ends the text without a line break': entries(20).trimEnd(),
  'a list in a map': `a:\n${entries(20, '  ')}b: 1\n`,
  'a list at the column of its key': `a:\n${entries(20)}b: 1\n`,
  'lists beside each other': `a:\n${entries(20)}b:\n${entries(30, '    ')}`,
  'a list in a list': `- - first-word\n${entries(20, '  ')}- other-word\n`,
  'a list of more than one run': entries(1203),
  'other entries before, between and after': `- 1\n${entries(17)}- a: b\n- true\n${entries(18)}- [c]\n`,
  'words of five letters among them': `${entries(16)}- false\n- a\n- null\n${entries(16)}`,
  'an entry that goes on in the next line': `${entries(20)}    and more\n- last-word\n`,
  'an entry that is a map after all': `${entries(20)}- some-key: value\n`,
  comments: `${entries(16)}# one\n${entries(16)}- word-one # two\n`,
  'an anchor before and an alias behind': `a: &list\n${entries(20)}b: *list\n`,
  'a literal block': `a: |\n${entries(20, '  ')}b: 1\n`,
  'a folded block': `a: >-\n${entries(20, '  ')}`,
  'a literal block beside a list': `a: |\n${entries(20, '  ')}b:\n${entries(20, '  ')}`,
  'a double-quoted text': `a: "one\n${entries(20, '  ')}  two"\n`,
  'a single-quoted text': `a: 'one\n${entries(20, '  ')}  two'\n`,
  'a plain text of many lines': `a: one\n${entries(20, '  ')}`,
  'a plain text within brackets': `a: [one\n${entries(20, '  ')}  ]\n`,
  'the mark itself': `- \ue0000\n${entries(20)}`,
  'the mark within quotes': `a: "\ue0000"\nb:\n${entries(20)}`,
  'the mark as an escape': `- "\\ue0000"\n${entries(20)}`,
  'the mark as a long escape': `- "\\U0000E0000"\n${entries(20)}`,
  'white space that only Unicode knows, in the next line': `${entries(20)}  \u00a0\n  \u3000\n`,
  'a first line that ends in two characters': entries(20).replace('\n', '\r\n'),
  'maps without values': entries(20).replaceAll('example', 'example:'),
  'a tag of its own before the list': `a: !!seq\n${entries(20)}`,
  'a tag that names no type': `a: ! b\nc:\n${entries(20)}`,
  'line breaks of two characters': entries(20).replaceAll('\n', '\r\n'),
  'words of 253 characters': `- ${'w'.repeat(253)}\n`.repeat(20),
  'words of 254 characters': `- ${'w'.repeat(254)}\n`.repeat(20),
  'words of five characters': '- wordy\n'.repeat(20),
}

const plainly = (text: string) => load(text, { schema: READ_SCHEMA })

suite('long lists of words', (test) => {
  for (const [name, text] of Object.entries(READ)) {
    test(`read as they stand: ${name}`, () => assert.equal(readYaml(text), plainly(text)))
  }
  test('a list is folded, and unfolds to its words', () => {
    const folded = foldLists(`a:\n${entries(600, '  ')}b: 1\n`)
    assert.ok(folded !== undefined && folded.text.length < 100)
    assert.equal(load(folded.text, { schema: folded.schema }), { a: names(600), b: 1 })
    assert.ok(folded.isRead())
  })
  test('what stands in a text is not taken for a list', () => {
    const folded = foldLists(`a: |\n${entries(20, '  ')}`)
    assert.ok(folded !== undefined)
    load(folded.text, { schema: folded.schema })
    assert.not(folded.isRead())
  })
  test('short lists, and lists of what need not be words, are left to the parser', () => {
    for (const text of [entries(15), '- true\n'.repeat(100), '- 12345678\n'.repeat(100), '- a: bcdefgh\n'.repeat(100)])
      assert.is(foldLists(text), undefined)
  })
  test('an error behind a list is named at its line', () => {
    try {
      readYaml(`a:\n${entries(40)}b: [\n`)
    } catch (error) {
      assert.ok(error instanceof KrmError && error.message.endsWith('line 42: b: ['), String(error))
      return
    }
    assert.unreachable('it was read')
  })
  test('a list of 300,000 long words takes no stack', () => {
    const text = `- ${'w'.repeat(250)}\n`.repeat(300_000)
    assert.is((readYaml(text) as string[]).length, 300_000)
  })
  test('a list is left to the parser where it is less than half of the text', () => {
    assert.ok(foldLists(`a:\n${entries(20)}b: ${'x'.repeat(200)}\n`) !== undefined)
    assert.is(foldLists(`a:\n${entries(20)}b: ${'x'.repeat(500)}\n`), undefined)
  })
  test('no tag reaches what is folded', () => {
    const tagged = `a:\n${entries(20)}b: !<tag:nodefit.dev,2026:folded-list> x0\n`
    assert.throws(() => readYaml(tagged), /unknown scalar tag/)
  })
  test('any text of such lines is read as the parser reads it', () => {
    const line = fc.tuple(
      fc.constantFrom('', '', '', '  ', '    '),
      fc.constantFrom(
        '- wordy-one',
        '- wordy-two',
        '- wordy-two',
        '- true',
        '- k: |',
        'key-a:',
        'key-b: >',
        '  wordy',
        '#',
        '',
      ),
      fc.integer({ min: 1, max: 24 }),
    )
    const text = fc
      .array(line, { maxLength: 8 })
      .map((lines) =>
        lines
          .map(([indent, content, times]) => `${indent}${content}\n`.repeat(/^- w/.test(content) ? times : 1))
          .join(''),
      )
    const outcome = (read: () => unknown) => {
      try {
        return { value: read() }
      } catch {
        return 'refused'
      }
    }
    fc.assert(
      fc.property(text, (yaml) =>
        assert.equal(
          outcome(() => readYaml(yaml)),
          outcome(() => plainly(yaml)),
          yaml,
        ),
      ),
      { numRuns: 2000 },
    )
  })
})
