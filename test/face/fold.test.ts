import * as assert from 'uvu/assert'
import { folded } from '../../src/face/explain.ts'
import type { Finding, Severity } from '../../src/krm/finding.ts'
import { suite } from '../support/suite.ts'

const finding = (severity: Severity, code: string, message = code): Finding => ({
  severity,
  code,
  message,
  sentence: message,
})
const times = (count: number, severity: Severity, code: string) =>
  Array.from({ length: count }, (_, index) => finding(severity, code, `${code} ${index + 1}`))

const CASES: Array<[name: string, findings: Finding[], lines: string[], whole: number]> = [
  ['nothing', [], [], 0],
  [
    'the most severe first, else in their order',
    [finding('info', 'B'), finding('warning', 'C'), finding('info', 'A'), finding('error', 'D')],
    ['D', 'C', 'B', 'A'],
    4,
  ],
  ['warnings of one code are one line', times(4, 'warning', 'A'), ['A 1 +3'], 4],
  [
    'those of one code that stand apart, too',
    [...times(2, 'info', 'A'), finding('info', 'B'), finding('info', 'A')],
    ['A 1 +2', 'B'],
    4,
  ],
  ['a code of two severities is two kinds', [finding('info', 'A'), finding('warning', 'A')], ['A', 'A'], 2],
  [
    'each error is to be mended, up to ten of a kind',
    times(12, 'error', 'A'),
    [...times(9, 'error', 'A').map(({ message }) => message), 'A 10 +2'],
    12,
  ],
  ['ten errors are whole', times(10, 'error', 'A'), times(10, 'error', 'A').map(({ message }) => message), 10],
]

suite('findings of one kind', (test) => {
  for (const [name, findings, lines, whole] of CASES)
    test(name, () => {
      const texts = folded(findings).map(({ finding: { message }, more }) =>
        more === 0 ? message : `${message} +${more}`,
      )
      assert.equal(texts, lines)
      const all = folded(findings, true)
      assert.is(all.length, whole)
      assert.ok(all.every(({ more }) => more === 0))
    })
})
