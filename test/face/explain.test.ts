/** What `nodefit build` says without being asked. */
import * as assert from 'uvu/assert'
import { explained } from '../../src/face/index.ts'
import { CODES, type Code } from '../../src/rules/all-codes.ts'
import { plan } from '../../src/rules/run.ts'
import { codes, daemonSet, inventory, listOf, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

/** The infos that a command does not show by default, and where a reader finds what they say. */
const NOT_SHOWN: Partial<Record<Code, string>> = {
  GroupSized: 'the table has the amounts, nodefit explain how they are computed',
  GroupAdded: 'a row of the table: new',
  GroupChanged: 'a row of the table, with amounts before and after; PodsRestart has the other reasons',
  GroupTainted: 'the table counts no pods there; a warning where a pod ran',
  GroupRemoved: 'a row of the table: removed',
  GroupReleased: 'a row of the table: released',
  EmptyGroup: 'a row of the table with 0 nodes',
  PodsPlaced: 'counted in the summary; nodefit explain has the machines',
  LimitRaised: 'the amount in the table; nodefit explain has the rule',
}

suite('what a command shows by default', (test) => {
  for (const code of Object.keys(CODES) as Code[])
    test(`${code}: ${NOT_SHOWN[code] ?? 'shown'}`, () => {
      const { severity, roles } = CODES[code]
      const shown = explained([{ code, severity, roles, message: code, sentence: code }], false)
      assert.is(shown.length, NOT_SHOWN[code] === undefined ? 1 : 0)
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
    assert.equal(codes(explained(findings, false)), [
      'PolicySummary',
      'TotalGrows',
      'NodesWithoutAgent',
      'NoNewPods',
      'StaticTemplateRetired',
    ])
    assert.is(explained(findings, true).length, findings.length)
  })
})
