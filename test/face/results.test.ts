/** In what order a host is told: it may show the first lines alone. */
import * as assert from 'uvu/assert'
import { judge } from '../../src/core/index.ts'
import { toResults } from '../../src/face/index.ts'
import { DEFAULT_OPTIONS } from '../../src/kinds/render-options.ts'
import { BY_HARM, type Finding, type Severity } from '../../src/krm/finding.ts'
import { CODES, type Code } from '../../src/rules/all-codes.ts'
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
    assert.match(results[0]?.message ?? '', /^GroupSized: GroupSized \(and 2 more: nodefit build --all/)
    assert.is(results[1]?.message, 'GroupSized: GroupSized')
  })
  test('are all shown to whoever gives the code a severity', () => {
    const options = { ...DEFAULT_OPTIONS, severity: new Map([['GroupSized', 'info' as const]]) }
    assert.is(toResults(judge([sized('a'), sized('a')], options)).length, 2)
  })
})

suite('summaries of many policies', (test) => {
  const summary = (name: string) => ({
    ...finding('PolicySummary', 'info'),
    subject: { apiVersion: 'v1', kind: 'SizingPolicy', metadata: { name } },
  })
  const codesOf = (names: readonly string[], ...more: Finding[]) =>
    toResults([...names.map(summary), finding('GroupAdded', 'info'), ...more]).map(({ tags }) => tags?.code)
  const WARNINGS = [
    finding('HoleOnPurpose', 'warning'),
    finding('TotalGrows', 'warning'),
    finding('LosesAgent', 'warning'),
  ]
  test('leave room for harm in the four results that kpt shows', () => {
    const shown = codesOf(['a', 'b', 'c', 'd'], ...WARNINGS, finding('Uncovered', 'error'))
    assert.equal(shown.slice(0, 4), ['Uncovered', 'PolicySummary', 'LosesAgent', 'TotalGrows'])
    assert.equal(shown.slice(4), ['HoleOnPurpose', ...Array(4).fill('PolicySummary'), 'GroupAdded'])
  })
  test('name their policies in one result before', () => {
    const [first] = toResults([...['a', 'b', 'c', 'd', 'e'].map(summary), ...WARNINGS])
    assert.is(first?.message, 'PolicySummary: 5 summaries behind the warnings: a, b, c and 2 more')
    assert.is(first?.resourceRef, undefined)
  })
  test('of three policies, or beside no warning, come first', () => {
    assert.equal(codesOf(['a', 'b', 'c'], ...WARNINGS).slice(0, 4), [...Array(3).fill('PolicySummary'), 'LosesAgent'])
    assert.equal(codesOf(['a', 'b', 'c', 'd']).slice(0, 5), [...Array(4).fill('PolicySummary'), 'GroupAdded'])
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
