/** What npm says of advisories is told from no answer. */
import * as assert from 'uvu/assert'
import { auditVerdict } from '../tools/release/audit-verdict.ts'
import { suite } from './support/suite.ts'

const report = (vulnerabilities: object) =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { dependencies: { total: 412 } } })

suite('npm audit', (test) => {
  test('a report without advisories is clean', () =>
    assert.equal(auditVerdict(report({})), { kind: 'clean', dependencies: 412 }))
  test('one with some names package, range and severity', () =>
    assert.equal(
      auditVerdict(report({ b: { severity: 'low', range: '*' }, a: { severity: 'critical', range: '<1.2.3' } })),
      { kind: 'found', packages: ['a <1.2.3: critical', 'b *: low'] },
    ))
  for (const [name, printed, why] of [
    ['a registry that refuses it', '{"message":"405 Method Not Allowed","statusCode":405}', '405 Method Not Allowed'],
    ['no network', '{"message":"connect ECONNREFUSED","error":{"summary":""}}', 'connect ECONNREFUSED'],
    ['nothing', '', 'npm printed ""'],
    ['null', 'null', 'npm printed "null"'],
    ['no JSON', '<html>', 'npm printed "<html>"'],
  ] as const)
    test(`${name} is no answer, and never clean`, () =>
      assert.equal(auditVerdict(printed), { kind: 'unanswered', why }))
})
