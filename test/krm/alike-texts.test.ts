import fc from 'fast-check'
import { load } from 'js-yaml'
import * as assert from 'uvu/assert'
import { AlikeTexts, outlineOf, wordsBy } from '../../src/krm/alike-texts.ts'
import { KrmError } from '../../src/krm/error.ts'
import { READ_SCHEMA } from '../../src/krm/go-scalar.ts'
import { readResourceList } from '../../src/krm/index.ts'
import { readAnyYaml } from '../../src/krm/read-yaml.ts'
import { leastCount } from '../support/least-count.ts'
import { suite } from '../support/suite.ts'

const plainly = (text: string) => load(text, { schema: READ_SCHEMA })

/** Reads texts one after another; `parsed` are those that had to be parsed, outlines included. */
function reading() {
  const alike = new AlikeTexts()
  const parsed: string[] = []
  const parse = (text: string) => {
    parsed.push(text)
    return plainly(text)
  }
  return { parsed, read: (text: string) => alike.read(text, parse) ?? parse(text) }
}

/** Texts by two words, which are values of their own. */
const FILLED: Record<string, (one: string, two: string) => string> = {
  'words of maps': (one, two) => `a: ${one}\nb:\n  c: ${two}\n`,
  'words of lists': (one, two) => `- ${one}\n- - ${two}\n  - k: ${one}\n`,
  'a word on the line below its key': (one, two) => `a:\n  ${one}\nb: ${two}\n`,
  'quoted words': (one, two) => `a: '${one}'\nb: "${two}"\n`,
  'quoted numbers and times': (one, two) => `a: '${one.length}'\nb: "2026-11-20T13:07:0${two.length % 10}Z"\n`,
  'words that Go knows in quotes': (one, two) => `a: 'true'\nb: "null"\nc: ${one}\nd: ${two}\n`,
  'words in brackets of several lines': (one, two) => `a: {b: 1,\n  c: ${one}\n  }\nd: ${two}\n`,
  'keys with dots and slashes': (one, two) => `example.com/a: ${one}\nx_y-z: ${two}\n`,
  'line breaks of two characters': (one, two) => `a: ${one}\r\nb: ${two}\r\n`,
  'the key of the prototype': (one, two) => `__proto__: ${one}\na:\n  __proto__: ${two}\n`,
  'no line break at the end': (one, two) => `a: ${one}\nb: ${two}`,
  'integers, also of one digit': (one, two) => `a: ${one.length}\nb:\n  - ${10 ** 14 + two.length}\nc: 0\n`,
  'uids, times and signatures': (one, two) =>
    `a: 1111111${one.length % 10}-1111-4222-8333-000000000002\nb: 2026-11-20T13:07:0${two.length % 10}Z\nc: -_${'7'.repeat(40)}${one.length}g\n`,
  'a text that is one word': (one, two) => `${one}-${two}`,
}

/** Texts by two words, at least one of which is not a value of its own, or is one twice. */
const NOT_FILLED: Record<string, (one: string, two: string) => string> = {
  'a literal block': (one, two) => `a: |\n  b: ${one}\nc: ${two}\n`,
  'a folded block': (one, two) => `a: >-\n  - ${one}\nc: ${two}\n`,
  'a text of several lines': (one, two) => `a: ${one}\n  and more\nc: ${two}\n`,
  'a quoted text of several lines': (one, two) => `a: "x\n  b: ${one}\n  "\nc: ${two}\n`,
  'an integer that begins a text of several lines': (one, two) => `a: ${one.length}\n  and more\nc: ${two}\n`,
  'the mark of integers': (one, two) => `a: \ue001\nb: ${one}\nc: ${two}\n`,
  'an integer that is a text by its block': (one, two) => `a: |-\n  ${one.length}\nb: ${one}\nc: ${two}\n`,
  'an integer that is a folded text': (one, two) => `a: >-\n  ${one.length}\nb: ${one}\nc: ${two}\n`,
  'an integer with a tag': (one, two) => `a: !!str\n  ${one.length}\nb: ${one}\nc: ${two}\n`,
  'an integer that stands for others': (one, two) => `a: ${one.length}\nb: [700000000000000]\nc: ${two}\n`,
  'an alias': (one, two) => `a: &x\n  b: ${one}\nc: *x\nd: ${two}\n`,
  'a merged map': (one, two) => `a: &x\n  b: ${one}\nc:\n  <<: *x\nd: ${two}\n`,
  'the mark itself': (one, two) => `a: \ue000\nb: ${one}\nc: ${two}\n`,
  'the mark as an escape': (one, two) => `a: "\\ue0000"\nb: ${one}\nc: ${two}\n`,
  'another mark as an escape': (one, two) => `a: "\\ue0009"\nb: ${one}\nc: ${two}\n`,
  'the mark as an escape in a key': (one, two) => `"\\ue000": 1\nb: ${one}\nc: ${two}\n`,
}

const WORDS = ['node-a', 'node-b.example', 'x', 'True-ish', 'n', 'nullable', 'yes', 'E5', 'inf']

suite('texts that differ in words only', (test) => {
  for (const [name, make] of Object.entries(FILLED)) {
    test(`are parsed twice, then filled: ${name}`, () => {
      const { read, parsed } = reading()
      const texts = WORDS.map((word, index) => make(word, WORDS.at(-1 - index) ?? ''))
      for (const text of texts) assert.equal(read(text), plainly(text), text)
      assert.is(parsed.length, 2)
    })
  }
  for (const [name, make] of Object.entries(NOT_FILLED)) {
    test(`are parsed each: ${name}`, () => {
      const { read, parsed } = reading()
      for (const word of WORDS) assert.equal(read(make(word, 'other')), plainly(make(word, 'other')))
      // and at most one outline
      assert.ok(parsed.length >= WORDS.length)
    })
  }
  test('words that Go does not read as strings are no words', () => {
    const { read } = reading()
    for (const word of [
      'one',
      'two',
      'true',
      'True',
      'TRUE',
      'false',
      'null',
      'Null',
      'NULL',
      '~',
      '0644',
      '1e3',
      '.inf',
    ])
      assert.equal(read(`a: ${word}\n`), plainly(`a: ${word}\n`), word)
  })
  test('what is nearly an integer, a uid, a time or a signature is read as Go reads it', () => {
    const { read } = reading()
    const near = [
      ...[
        '7',
        '8',
        '0',
        '07',
        '-7',
        '1_0',
        '0x1f',
        '1e400',
        '999999999999999',
        '9999999999999999',
        '18446744073709551616',
      ],
      ...[
        '11111111-1111-4222-8333-000000000002',
        '11111111-1111-4222-8333-00000000000',
        '2026-11-20T13:07:00Z',
        '2026-11-20',
      ],
      ...[
        '7'.repeat(50),
        `${'7'.repeat(50)}e`,
        `0x${'f'.repeat(50)}`,
        `0b${'1'.repeat(50)}`,
        `${'7'.repeat(50)}g`,
        '-.inf',
      ],
    ]
    for (const text of [...near, ...near]) assert.equal(read(`a: ${text}\n`), plainly(`a: ${text}\n`), text)
    for (const text of [...near, ...near]) assert.equal(read(`a: ${text} b\n`), plainly(`a: ${text} b\n`), text)
  })
  test('a long text is parsed', () => {
    const { read, parsed } = reading()
    const long = `a: word\nb: ${'1'.repeat(1 << 14)}\n`
    for (const text of [long, long, long]) read(text)
    assert.is(parsed.length, 3)
  })
  test('what they have in common is one value, which cannot be changed', () => {
    const { read } = reading()
    const [, one, two] = ['a', 'b', 'c'].map((word) => read(`a: ${word}\nb:\n  c: [1]\n`) as { b: { c: number[] } })
    assert.is(one?.b, two?.b)
    assert.throws(() => one?.b.c.push(2), TypeError)
  })
  test('the words between what an outline has are those of making it, and of no other text', () => {
    const value = fc.constantFrom(
      ...WORDS,
      '7',
      '07',
      "'7'",
      '"a b"',
      "'a: b'",
      'true',
      '- x',
      'a: b',
      '',
      'x #',
      '"\\n"',
    )
    const line = fc.tuple(fc.constantFrom('', '  ', '- ', '  - a: '), fc.constantFrom('', 'k: ', 'k/l.m: '), value)
    const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.map((parts) => parts.join('')).join('\n'))
    const end = fc.constantFrom('', '\n', '\r\n')
    let [runs, found] = [0, 0]
    fc.assert(
      fc.property(text, text, end, end, fc.boolean(), (one, two, endOfOne, endOfTwo, isAlike) => {
        runs++
        const left = outlineOf(one + endOfOne)
        // a text of the same lines with other words, or any other
        const right = isAlike ? one.replaceAll('node-a', 'x').replaceAll("'7'", "'x y'") + endOfOne : two + endOfTwo
        const other = outlineOf(right)
        assert.ok(left !== undefined && other !== undefined)
        const words = wordsBy(left.outline)(right)
        if (words !== undefined) found++
        if (words === undefined && right.includes('\r')) return
        assert.equal(words, other.outline === left.outline ? other.words : undefined)
      }),
      { numRuns: 2000 },
    )
    assert.ok(found >= leastCount(runs, 0.43), `${found} of ${runs}`)
  })
  test('outlines are forgotten, the oldest first', () => {
    const { read, parsed } = reading()
    const text = (outline: number, word: string) => `a${outline}: ${word}\n`
    for (let outline = 0; outline < 65; outline++) for (const word of ['a', 'b']) read(text(outline, word))
    const before = parsed.length
    read(text(64, 'c'))
    read(text(1, 'c'))
    assert.is(parsed.length, before)
    read(text(0, 'c'))
    assert.is(parsed.length, before + 1)
  })
  test('an error is that of the text', () => {
    const alike = new AlikeTexts()
    const errorOf = (text: string, using?: AlikeTexts) => {
      try {
        readAnyYaml(text, 'the object', 7, using)
      } catch (error) {
        if (error instanceof KrmError) return error.message
        throw error
      }
      return undefined
    }
    for (const word of ['one', 'two', 'three']) {
      const text = `a: ${word}\nb: [\n`
      assert.is(errorOf(text, alike), errorOf(text))
      assert.match(errorOf(text) ?? '', 'line 8: b: [')
    }
  })
  test('the items of a list keep their own words and texts', () => {
    const item = (name: string) => `- apiVersion: v1\n  kind: Service\n  metadata:\n    name: ${name}\n`
    const names = ['a', 'b', 'c', 'd']
    const head = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
    const { items } = readResourceList(head + names.map(item).join(''))
    assert.equal(
      items.map(({ object }) => object.metadata.name),
      names,
    )
    assert.equal(
      items.map(({ text }) => /name: (.*)/.exec(text ?? '')?.[1]),
      names,
    )
  })
  test('any texts of such lines are read as the parser reads them', () => {
    const line = fc.tuple(
      fc.constantFrom('', '', '  ', '    ', '- ', '  - '),
      fc.constantFrom(
        'WORD',
        'k: WORD',
        "k: 'WORD'",
        'l: "WORD"',
        'm:',
        'k: |',
        'l: >',
        'k: "',
        '# k: WORD',
        '&x WORD',
        '*x',
        '',
      ),
    )
    const outcome = (read: () => unknown) => {
      try {
        const value = read()
        // an alias within its own anchor is a value without an end, which is refused later
        JSON.stringify(value)
        return { value }
      } catch {
        return 'refused'
      }
    }
    const word = fc.constantFrom(...WORDS, 'true', 'null', '7', 'a: b', '')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 7 }), fc.array(word, { minLength: 3, maxLength: 5 }), (lines, words) => {
        const { read } = reading()
        const outline = lines.map(([indent, content]) => `${indent}${content}\n`).join('')
        for (const [index, one] of words.entries()) {
          let count = index
          const text = outline.replaceAll('WORD', () => (count++ % 2 === 0 ? one : (words[0] ?? '')))
          const expected = outcome(() => plainly(text))
          assert.equal(
            outcome(() => read(text)),
            expected,
            text,
          )
        }
      }),
      { numRuns: 3000 },
    )
  })
})
