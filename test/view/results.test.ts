/** In what order a host is told: it may show the first lines alone. */
import * as assert from 'uvu/assert'
import { CODES, type Code } from '../../src/all-codes.ts'
import { BY_HARM, type Finding, type Severity } from '../../src/finding/index.ts'
import { DEFAULT_OPTIONS } from '../../src/policy/render-options.ts'
import { toResults } from '../../src/view/index.ts'
import { judge } from '../../src/world/index.ts'
import { suite } from '../support/suite.ts'

const finding = (code: Code, severity: Severity): Finding => ({
  code,
  severity,
  roles: CODES[code].roles,
  message: code,
  sentence: code,
})

suite('the order by harm', (test) => {
  test('names codes that there are', () => {
    // its finding comes with the check of shared host paths
    const reserved = ['StatePathShared']
    assert.equal(
      BY_HARM.filter((code) => !Object.hasOwn(CODES, code) && !reserved.includes(code)),
      [],
    )
  })
  test('puts what runs agents twice or takes them away before labels and taints, within a severity', () => {
    const found = ['GroupTainted', 'BelowEarlier', 'TotalGrows', 'OwnedElsewhere', 'HostPortHeld'] as const
    const codes = [...found.map((code) => finding(code, 'warning')), finding('LabelOnNoNode', 'error')]
    assert.equal(
      toResults(codes).map(({ tags }) => tags?.code),
      ['LabelOnNoNode', 'OwnedElsewhere', 'HostPortHeld', 'TotalGrows', 'BelowEarlier', 'GroupTainted'],
    )
  })
})

suite('results about each group', (test) => {
  const subject = (name: string) => ({ apiVersion: 'v1', kind: 'SizingPolicy', metadata: { name } })
  const sized = (name: string) => ({ ...finding('GroupSized', 'info'), subject: subject(name) })
  test('are one of each subject, with how many more there are', () => {
    const results = toResults([sized('a'), sized('b'), sized('a'), sized('a')])
    assert.is(results.length, 2)
    assert.match(results[0]?.message ?? '', /^GroupSized: GroupSized \(and 2 more: nodefit build --explain/)
    assert.is(results[1]?.message, 'GroupSized: GroupSized')
  })
  test('are all shown to whoever gives the code a severity', () => {
    const options = { ...DEFAULT_OPTIONS, severity: new Map([['GroupSized', 'info' as const]]) }
    assert.is(toResults(judge([sized('a'), sized('a')], options)).length, 2)
  })
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
