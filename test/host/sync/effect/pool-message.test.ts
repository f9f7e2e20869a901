/** What a commit says of what pools render: claims, documents of nodes and records, none of which is a group. */
import * as assert from 'uvu/assert'
import { objectChanges } from '../../../../src/host/sync/effect/object-changes.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { type Decided, decide, decideAgain, deployment, type Scene } from '../../../support/pools.ts'
import { suite } from '../../../support/suite.ts'

const waiting = ['a', 'b'].map((name) => ({ name, cpu: '3' }))
const IDLE: Scene = { nodes: [{ name: 'small-000001', idle: 600, claim: {} }] }
const MANY: Scene = {
  pools: [{ limits: { maxNodes: 0 } }],
  pods: Array.from({ length: 50 }, (_, index) => ({ name: `p${index}`, cpu: '3' })),
}
const MD: Scene = {
  pools: [{ policy: { output: { kind: 'MachineDeployment', name: 'small-md' } } }],
  ...{ pods: waiting, snapshot: { machines: [] }, more: [deployment(0) as KubernetesObject] },
}
const said = ({ plan }: Decided) => objectChanges(plan)

suite('a commit about pools', (test) => {
  test('names each claim that it adds', () => {
    const { brief, lines } = said(decide({ pods: waiting }))
    assert.is(brief, 'small: 2 NodeSmithClaims added')
    assert.equal(lines, [
      'PoolPolicy kubenodesmith/small',
      '  added NodeSmithClaim kubenodesmith/small-000001',
      '  added NodeSmithClaim kubenodesmith/small-000002',
    ])
  })
  test('names the node that is marked', () => {
    const { brief, lines } = said(decide(IDLE))
    assert.is(brief, 'small: 1 Node added')
    assert.equal(lines.slice(1), ['  added Node small-000001'])
  })
  test('counts what it does not list', () => {
    const { brief, lines } = said(decide(MANY))
    assert.is(brief, 'small: 50 NodeSmithClaims added')
    assert.equal([lines.length, lines.at(-1)], [42, '  and 10 more'])
  })
  test('leaves a user’s object to what is said of those', () =>
    assert.equal(said(decide(MD)), { brief: '', lines: [] }))
  test('says nothing where nothing changes', () =>
    assert.equal(said(decideAgain(decide({ pods: waiting }))), { brief: '', lines: [] }))
})
