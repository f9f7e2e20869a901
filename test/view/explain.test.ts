/** What `nodefit build` says without being asked. */
import * as assert from 'uvu/assert'
import { plan } from '../../src/plan.ts'
import { explained } from '../../src/view/index.ts'
import { codes, daemonSet, inventory, listOf, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

suite('said without being asked', (test) => {
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
