/** What `nodefit build` says without being asked. */
import * as assert from 'uvu/assert'
import { CODES, type Code } from '../../src/all-codes.ts'
import { plan } from '../../src/plan.ts'
import { explained } from '../../src/view/index.ts'
import { codes, daemonSet, inventory, listOf, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const UNASKED: Array<[code: Code, isSaid: boolean]> = [
  ['PolicySummary', true],
  ['OrderSummary', true],
  ['NodesWithoutAgent', true],
  ['NoNewPods', true],
  ['NodesNotEligible', true],
  ['GuardsNotChecked', true],
  ['FluxSubstitutes', true],
  ['GroupSized', false],
]

suite('said without being asked', (test) => {
  for (const [code, isSaid] of UNASKED)
    test(`${code}: ${isSaid ? 'yes' : 'no'}`, () => {
      const info = { code, severity: 'info' as const, roles: CODES[code].roles, message: code, sentence: code }
      assert.is(explained([info], false).length, isSaid ? 1 : 0)
    })
  test('the summary, and every node that goes without', () => {
    const taint = (effect: string) => ({ taints: [{ key: 'x', effect }] })
    const nodes = inventory([
      shape({ [TYPE]: 'm5' }, ['a']),
      shape({ [TYPE]: 'm5' }, ['b'], '4', '16Gi', taint('NoSchedule')),
      shape({ [TYPE]: 'm5' }, ['c'], '4', '16Gi', taint('NoExecute')),
    ])
    const agent = daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] })
    const { findings } = plan(listOf([nodes, policy(), agent]))
    assert.equal(codes(explained(findings, false)), ['PolicySummary', 'NodesWithoutAgent', 'NoNewPods'])
    assert.is(explained(findings, true).length, findings.length)
  })
})
