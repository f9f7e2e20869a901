/** What a program is told that shows a run in one place. */
import * as assert from 'uvu/assert'
import { briefLines } from '../../src/face/report.ts'
import type { Finding, Severity } from '../../src/krm/finding.ts'
import { CODES } from '../../src/rules/all-codes.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { suite } from '../support/suite.ts'

const finding = (severity: Severity, code: string, message: string): Finding =>
  ({ severity, code, message, sentence: message }) as Finding
const errors = (count: number) => Array.from({ length: count }, (_, index) => finding('error', 'E', `e${index + 1}`))
const WARNING = finding('warning', 'W', 'w')
const SUMMARY: Finding = { ...finding('info', 'PolicySummary', 's'), roles: CODES.PolicySummary.roles }
const long = `${'a'.repeat(2000)}b`

const CASES: Array<[name: string, failed: boolean, findings: Finding[], lines: string[]]> = [
  ['nothing to say', false, [], []],
  [
    'warnings and summaries, but no other info',
    false,
    [SUMMARY, finding('info', 'GroupSized', 'g'), WARNING],
    ['nodefit: W: w', 'nodefit: PolicySummary: s'],
  ],
  ['of a run that failed its errors alone', true, [SUMMARY, WARNING, ...errors(1)], ['nodefit: E: e1']],
  ['three errors are all there', true, errors(3), ['nodefit: E: e1', 'nodefit: E: e2', 'nodefit: E: e3']],
  [
    'of more how many there are',
    true,
    [...errors(5), WARNING],
    ['nodefit: E: e1', 'nodefit: E: e2', 'nodefit: E: e3', 'nodefit: and 2 more'],
  ],
  [
    'a message on one line, and no longer than a screen shows',
    true,
    [finding('error', 'E', 'one\n  two\u001b[0m'), finding('error', 'E', long)],
    ['nodefit: E: one two\\u{1b}[0m', `nodefit: E: ${'a'.repeat(499)}...${'a'.repeat(497)}b`],
  ],
]

suite('a run in brief', (test) => {
  for (const [name, failed, findings, lines] of CASES)
    test(name, () => assert.equal(briefLines({ failed, findings } as unknown as Plan), lines))
})
