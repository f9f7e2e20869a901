/** Patterns of others: they match what the regular expressions of JavaScript match, and none makes a run take long. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { Effort, globPattern, wholePattern } from '../../src/krm/pattern.ts'
import { suite } from '../support/suite.ts'

const LETTERS = fc.constantFrom('a', 'b', 'c', '-', '.', '1', 'ü')
const text = fc.array(LETTERS, { maxLength: 5 }).map((letters) => letters.join(''))
const atom = fc.constantFrom('a', 'b', 'c', '.', '\\.', '\\d', '\\W', '[ab]', '[^a-c]', '[a-b1-]', 'ü', '-')
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('piece'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((all) => all.map((parts) => parts.join('')).join('|')),
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2 },
        atom,
        tie('pattern').map((inner) => `(${inner})`),
        tie('pattern').map((inner) => `(?:${inner})`),
      ),
      fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{1,}', '*?'),
    )
    .map((parts) => parts.join('')),
}))

suite('patterns of others', (test) => {
  test('match as those of JavaScript', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        const matches = wholePattern(source)
        assert.ok(matches, source)
        const wanted = new RegExp(`^(?:${source})$`, 'su')
        for (const one of texts) assert.is(matches(one), wanted.test(one), `${source} of ${one}`)
      }),
      { numRuns: 1000 },
    )
  })
  test('globs match as those of JavaScript', () => {
    const glob = fc.array(fc.oneof(LETTERS, fc.constantFrom('*', '?')), { maxLength: 8 }).map((all) => all.join(''))
    fc.assert(
      fc.property(glob, text, (source, one) => {
        const escaped = source
          .replace(/[.+^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')
        assert.is(globPattern(source)(one), new RegExp(`^${escaped}$`, 'su').test(one), `${source} of ${one}`)
      }),
      { numRuns: 1000 },
    )
  })
  for (const [source, fits, other] of [
    ['(?i)Node-Agent', 'NODE-agent', 'node_agent'],
    ['^fluent-bit.*$', 'fluent-bit-m5', 'x-fluent-bit'],
    ['a|^b$|c', 'b', 'ab'],
    ['[]a]+', ']a', 'b'],
    ['[\\w-]{3,5}', 'a-1', 'a-1-2-3'],
    ['', '', 'a'],
    ['\\t', '\t', 't'],
  ] as const)
    test(`${source} matches ${fits}, and not ${other}`, () =>
      assert.equal([wholePattern(source)?.(fits), wholePattern(source)?.(other)], [true, false]))
  for (const source of [
    '(',
    '[',
    'a**',
    '*a',
    'a{1001}',
    'a{2,1}',
    '(?=a)',
    '(?<x>a)',
    '\\b',
    '\\1',
    'a$b',
    '[b-a]',
    '[[:alpha:]]',
    '\\',
  ])
    test(`${source} is not read`, () => assert.is(wholePattern(source), undefined))
  test('no pattern takes long, and one of too many states is not read', () => {
    const name = 'a'.repeat(253)
    for (const source of ['(a|a)*b', '(a*)*b', '(a|aa)+$', '(.*){20}b', `${'a?'.repeat(253)}${'a'.repeat(253)}`])
      assert.type(wholePattern(source)?.(name), 'boolean', source)
    assert.is(globPattern(`${'*a'.repeat(100)}*b`)(name), false)
    assert.is(globPattern('*'.repeat(100_000))(name), true)
    assert.is(globPattern('?a'.repeat(100_000))(name), false)
    assert.is(wholePattern('((a{1000}){1000}){1000}'), undefined)
    assert.is(wholePattern('('.repeat(100_000)), undefined)
  })
})

suite('the effort of patterns', (test) => {
  test('is that of all patterns and names together, and none is matched once it is spent', () => {
    const effort = new Effort(5_000)
    const first = wholePattern('(a?a?)*b', effort)
    assert.is(first?.('aab'), true)
    let count = 0
    while (!effort.isSpent && count < 10_000) {
      first?.('a'.repeat(60))
      count++
    }
    assert.ok(effort.isSpent && count > 5, `${count} names`)
    assert.is(first?.('aab'), false)
    assert.is(wholePattern('a', effort), undefined)
    assert.is(globPattern('a', effort)('a'), false)
  })
  test('suffices for a thousand patterns and a thousand names', () => {
    const effort = new Effort()
    for (let pattern = 0; pattern < 1_000; pattern++) {
      const matches = wholePattern(`agent-${pattern}-(small|large)-.+`, effort)
      for (let name = 0; name < 1_000; name += 10) matches?.(`agent-${name}-small-node-group`)
    }
    assert.not(effort.isSpent)
  })
  test('sets of states are made anew where there are too many', () => {
    const matches = wholePattern('(a|b)*a(a|b){12}')
    const random = (seed: number) =>
      Array.from({ length: 50 }, (_, at) => ((seed * 7 + at * at) % 3 === 0 ? 'a' : 'b')).join('')
    for (let seed = 0; seed < 300; seed++) {
      const text = random(seed)
      assert.is(matches?.(text), text.at(-13) === 'a', text)
    }
  })
})
