/** The faults that `npm run mutants` tries: what the syntax offers, which are chosen, and that those written by hand are still there. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { ROOT } from '../tools/build/bundle.ts'
import { choose, hasRules, quotaOf } from '../tools/mutants/choose.ts'
import { applied, keyOf } from '../tools/mutants/mutant.ts'
import { NAMED } from '../tools/mutants/named.ts'
import { marked, placesIn } from '../tools/mutants/places.ts'
import { UNSEEN } from '../tools/mutants/unseen.ts'
import { suite } from './support/suite.ts'

const sourceOf = (file: string) => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')
const faultsIn = (text: string) => {
  const { mutants } = placesIn('src/plan/sizing/x.ts', text)
  return mutants.map((mutant) => applied(text, mutant))
}

const FAULTS: Array<[name: string, text: string, faults: string[]]> = [
  ['a condition', 'if (a) b', ['if (!(a)) b']],
  ['a comparison', 'x = a < b', ['x = a <= b']],
  ['and, or', 'x = a && b', ['x = a || b']],
  ['a default', 'x = a ?? b', ['x = b']],
  ['not', 'x = !a', ['x = a']],
  ['a number', 'x = 9', ['x = 10']],
  ['a large number', 'x = 9n', ['x = 10n']],
  ['a sum, but not of texts', "x = a + b + 'c'", ["x = a - b + 'c'"]],
  ['a filter', 'x = a.filter(b)', ['x = a']],
  ['some, every', 'x = a.some(b)', ['x = a.every(b)']],
  ['spreads', 'x = [...a, b]', ['x = [ b]']],
  ['the last of a list', 'x = [a, b]', ['x = [a, ]']],
  ['a call for its effect', 'a.add(b)', ['{}']],
  ['what a function gives', 'function f(): A[] { return a }', ['function f(): A[] { return []; return a }']],
  ['a method that objects have of their own', 'x = a.toString()', []],
  ['which of two is first, and not by how much', 'x = a < b ? -1 : 1', ['x = a <= b ? -1 : 1']],
  ['neither types, nor what is thrown', 'const x: 1 | 2 = y; throw new E(a && b)', []],
]

suite('faults that the syntax offers', (test) => {
  for (const [name, text, faults] of FAULTS) test(name, () => assert.equal(faultsIn(text), faults))
  test('a mark in every block, also where a function is an expression', () => {
    const text = 'const f = (a) => a && { b() { return 1 } }'
    const { blocks, mutants } = placesIn('src/plan/sizing/x.ts', text)
    assert.is(marked(text, blocks, 5), 'const f = (a) => (__seen[5] = 1, (a && { b() { __seen[6] = 1; return 1 } }))')
    assert.equal(
      mutants.map(({ block }) => block),
      [0, 1],
    )
  })
  test('the same faults whatever else is in the file', () => {
    const text = 'x = [a < b, c && d, !e, 7, f > g, h.filter(i), j ?? k]'
    const keys = (whole: string) => choose(placesIn('src/plan/sizing/x.ts', whole).mutants, 5, 'seed').map(keyOf)
    assert.is(keys(text).length, 5)
    assert.equal(keys(`// a line\n${text}`), keys(text))
  })
})

suite('which files are tried', (test) => {
  test('one that the full run leaves out has rules all the same, lists of codes and of exports have none', () => {
    assert.equal(['src/face/expect/read-test.ts', 'src/plan/sizing/retained.ts'].map(quotaOf), [0, 5])
    assert.equal(
      [
        'src/face/expect/read-test.ts',
        'src/plan/pool/codes.ts',
        'src/plan/pool/index.ts',
        'src/host/cli/generated/x.ts',
      ].map(hasRules),
      [true, false, false, false],
    )
  })
  test('a run without a fault fails, and says how the files are tried', () => {
    const args = ['--import', 'tsx', 'tools/mutants.ts', '--only', 'src/face/expect/read-test.ts']
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    assert.is(status, 1)
    assert.match(stderr, 'no fault is tried in src/face/expect/read-test.ts: files that the full run leaves out')
  })
})

suite('faults written by hand', (test) => {
  for (const { what, file, from, to } of NAMED)
    test(what, () => {
      assert.is(sourceOf(file).split(from).length, 2, `${file} has not exactly one of: ${from}`)
      assert.is.not(from, to)
    })
  test('what nobody could see has a reason, once', () => {
    assert.is(new Set(UNSEEN.map(([key]) => key)).size, UNSEEN.length)
    for (const [key, reason] of UNSEEN) assert.ok(reason.length > 10, key)
  })
})
