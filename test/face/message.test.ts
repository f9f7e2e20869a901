/** Whom a line of text is about. */
import * as assert from 'uvu/assert'
import { messageOf } from '../../src/face/explain.ts'
import { briefLines, plain, reportLines } from '../../src/face/index.ts'
import type { Finding } from '../../src/krm/finding.ts'
import { CODES } from '../../src/rules/all-codes.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { policy } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const said = (sentence: string, name: unknown = 'agent'): Finding => ({
  code: 'E',
  severity: 'error',
  sentence,
  message: `${sentence}. Mend it.`,
  subject: policy({}, name as string),
})

const ROWS: Array<[name: string, finding: Finding, before: string]> = [
  ['of a group of a policy', said('group value:m5.large: the memory limit was raised'), 'agent: '],
  ['of a container of the same name', said('group default: limitCPU of agent is less than one step'), 'agent: '],
  ['of a policy whose name another begins with', said('agent2 and others: have no nodes'), 'agent: '],
  ['of a policy that is named so', said('group default has no nodes', 'g'), 'g: '],
  ['that begins with the name', said('agent: 2 groups: 3 nodes'), ''],
  ['that begins with what is rendered', said('agent-m5-large for value:m5.large'), ''],
  ['that begins with an object', said('DaemonSet logging/other is new: there was none'), ''],
  ['that names the policy in its midst', said('nodefit.dev/v1 SizingPolicy agent is not known: which?'), ''],
  [
    'of a package',
    { ...said('the input has no earlier output, so guards are not checked'), roles: CODES.GuardsNotChecked.roles },
    '',
  ],
  ['of something whose name is none', said('group default: is odd', 5), ''],
  ['of nothing in particular', { ...said('there are no nodes'), subject: undefined }, ''],
]

suite('a sentence', (test) => {
  for (const [name, finding, before] of ROWS)
    test(name, () => assert.is(messageOf(finding), `${before}${finding.message}`))
  test('in both views of text', () => {
    const plan = { failed: true, packages: [], findings: [said('group g: is odd')] } as unknown as Plan
    assert.equal(briefLines(plan), ['nodefit: E: agent: group g: is odd. Mend it.'])
    assert.equal(reportLines(plan, false, plain), ['nodefit: error: E: agent: group g: is odd. Mend it.'])
  })
})
