/** The cluster that the caller of a run names: what is of another one fails, and of several inventories its own is taken. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, node, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, nodes, nodesAt, order } from '../support/orders.ts'
import { said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const OTHER = {
  ...inventory([shape({ [TYPE]: 'r5.large' }, ['b'])], { cluster: 'other' }),
  metadata: { name: 'other' },
}
const AGENT = [policy(), daemonSet()]

const RUNS: Array<[name: string, objects: KubernetesObject[], cluster: string, errors: string[]]> = [
  ['its own nodes', [NODES, ...AGENT], 'prod', []],
  ['the nodes of another cluster', [NODES, ...AGENT], 'other', ['WrongCluster']],
  [
    'a policy of another one',
    [NODES, policy({ cluster: 'other' }), daemonSet()],
    'prod',
    ['WrongCluster', 'WrongCluster'],
  ],
  [
    'a policy of another one, whose nodes are there',
    [OTHER, policy({ cluster: 'other' }), daemonSet()],
    'prod',
    ['WrongCluster'],
  ],
  ['a RenderConfig that repeats it', [NODES, ...AGENT, config({ cluster: 'prod' })], 'prod', []],
  ['a RenderConfig of another one', [NODES, ...AGENT, config({ cluster: 'other' })], 'prod', ['WrongCluster']],
  ['an Order with the nodes of another one', [nodesAt(NOON, nodes('a')), order()], 'elsewhere', ['WrongCluster']],
  ['Nodes, which do not name theirs', [node('a', { [TYPE]: 'x' }), ...AGENT], 'prod', []],
]

suite('a run for one cluster', (test) => {
  for (const [name, objects, cluster, errors] of RUNS)
    test(`${name}: ${errors.length > 0 ? 'fails' : 'is rendered'}`, () => {
      assert.equal(errorsOf(plan(listOf(objects), { cluster })), errors)
    })
  test('of several inventories the one of its cluster is taken', () => {
    assert.equal(errorsOf(plan(listOf([NODES, OTHER, ...AGENT]))), ['SeveralClusters'])
    const result = plan(listOf([NODES, OTHER, ...AGENT]), { cluster: 'other' })
    assert.equal(errorsOf(result), [])
    const groups = result.packages.flatMap(({ changes }) => changes.map(({ after }) => after?.object.metadata.name))
    assert.ok(groups.includes('agent-r5-large'), groups.join())
    assert.not.ok(groups.includes('agent-m5-large'), groups.join())
  })
  test('the message names both', () =>
    assert.match(
      said(plan(listOf([NODES, ...AGENT, config({ cluster: 'other' })]), { cluster: 'prod' }), 'WrongCluster').join(),
      'RenderConfig config is for cluster other, but the run is for cluster prod',
    ))
})
