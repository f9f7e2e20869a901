/** What the runner of the tests makes of what a file wrote. */
import * as assert from 'uvu/assert'
import { chosenFiles } from '../tools/test/choose.ts'
import { verdictOf } from '../tools/test/verdict.ts'
import { suite } from './support/suite.ts'

const totals = (total: number, passed: number) => `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   0\n`
const MISSING = 'not run: kustomize is not installed\n'

const VERDICTS: Array<[name: string, output: string, isComplete: boolean, passed: number, failed: number]> = [
  ['all pass', totals(3, 3), true, 3, 0],
  ['one fails', totals(3, 2), false, 2, 1],
  ['two fail', totals(3, 1), false, 1, 2],
  ['all pass, and the process ends with an error', totals(3, 3), false, 3, 1],
  ['no test', totals(0, 0), true, 0, 1],
  ['nothing at all', '', true, 0, 1],
  ['no test, since a program is missing', MISSING + totals(0, 0), true, 0, 0],
  ['a program is missing for one of the tests', MISSING + totals(2, 2), true, 2, 0],
  ['a program is missing, and a test fails', MISSING + totals(2, 1), false, 1, 1],
  ['a program is missing, and the process ends with an error', MISSING, false, 0, 1],
]

suite('what a file wrote', (test) => {
  for (const [name, output, isComplete, passed, failed] of VERDICTS)
    test(name, () => {
      const verdict = verdictOf(output, isComplete)
      assert.equal([verdict.passed, verdict.failed], [passed, failed])
    })
  test('a file without tests says why', () => {
    assert.is(verdictOf('', true).why, 'a test file must add tests')
    assert.is(verdictOf(MISSING, true).why, MISSING.trim())
    assert.is(verdictOf(totals(1, 1), true).why, '')
  })
})

suite('which files are run', (test) => {
  const parts = [[], ['--hosts'], ['--long']].map((args) => chosenFiles(args).files)
  test('each is in one of the three parts', () => {
    const files = parts.flat()
    assert.is(new Set(files).size, files.length)
    assert.equal(files.toSorted(), [...chosenFiles(['test.ts']).files])
  })
  test('without a host those of test/ and of Node', () => {
    const [node = [], hosts = [], long = []] = parts
    assert.ok(node.every((file) => /^(test|e2e\/node)\//.test(file)))
    assert.ok(hosts.every((file) => /^e2e\/(?!node|long)[a-z-]+\//.test(file)))
    assert.ok(long.every((file) => file.startsWith('e2e/long/')))
    for (const files of parts) assert.ok(files.length > 0)
  })
  test('words narrow a part, and alone look everywhere', () => {
    assert.ok(chosenFiles(['argocd']).files.some((file) => file.startsWith('e2e/argocd/')))
    assert.equal(chosenFiles(['--hosts', 'kube/quota']).files, [])
    assert.is(chosenFiles(['kube/quota']).files.length, 1)
  })
  test('all faults are put in where all that is long is run', () => {
    assert.ok(chosenFiles(['--long']).withMutants)
    for (const args of [[], ['--hosts'], ['--long', '--sample'], ['--long', 'fleets']])
      assert.not(chosenFiles(args).withMutants)
  })
})
