/** In what order a host is told: it may show the first lines alone. */
import * as assert from 'uvu/assert'
import { CODES, type Code } from '../../src/all-codes.ts'
import type { Finding, Severity } from '../../src/finding/index.ts'
import { toResults } from '../../src/view/index.ts'
import { suite } from '../support/suite.ts'

const finding = (code: Code, severity: Severity): Finding => ({
  code,
  severity,
  roles: CODES[code].roles,
  message: code,
  sentence: code,
})

suite('results', (test) => {
  for (const summary of ['PolicySummary', 'OrderSummary'] as const)
    test(`errors, ${summary}, warnings, the rest; of one kind as they came`, () => {
      const findings = [
        finding('GroupSized', 'info'),
        finding('GroupAdded', 'info'),
        finding('HoleOnPurpose', 'warning'),
        finding(summary, 'info'),
        finding('Uncovered', 'error'),
      ]
      assert.equal(
        toResults(findings).map(({ tags }) => tags?.code),
        ['Uncovered', summary, 'HoleOnPurpose', 'GroupSized', 'GroupAdded'],
      )
    })
})
