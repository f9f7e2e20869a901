/** Which DaemonSet would serve the new nodes of a pool, and the shape to declare where that is a remainder. */
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonSet, policy } from '../../support/objects.ts'
import { type Decided, DYNAMIC, decideObjects, POOL_LABEL, type PoolScene, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const container = { name: 'agent', image: 'agent:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }
const agents = (nodeGroupLabel: string, pod: object = {}): KubernetesObject[] => [
  policy({ nodeGroupLabel }),
  daemonSet({ containers: [container], ...pod }),
]
const LARGE = { name: 'n1', claim: null, labels: { [POOL_LABEL]: 'large' } }
const plan = (objects: readonly KubernetesObject[], pool: PoolScene = {}, nodes: object[] = [LARGE]) =>
  decideObjects([...sceneObjects({ pools: [pool], nodes: nodes as [] }), ...objects])
const said = ({ plan: { findings } }: Decided) =>
  findings.flatMap(({ code, sentence }) => (code === 'NewNodesInRemainder' ? [sentence] : []))
const shapeIn = (decided: Decided) => parse(said(decided)[0]?.replace(/^.* is (?=\{)/, '') ?? '')

const BY_POOL = agents(POOL_LABEL)
const labels = {
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'node-role.kubernetes.io/worker': '',
  [POOL_LABEL]: 'small',
}

suite('the node group of a pool’s new nodes', (test) => {
  test('is told where a remainder would serve them, with the shape to declare', () => {
    const decided = plan(BY_POOL)
    assert.equal(decided.errors, [])
    assert.match(said(decided)[0] ?? '', /^small: DaemonSet agent-remainder would serve its new nodes/)
    assert.equal(shapeIn(decided), { labels, allocatable: { cpu: '3900m', memory: '8192Mi', pods: '110' }, nodes: [] })
  })
  test('has the taints and resources of the pool, less what is reserved', () => {
    const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' }]
    const machines = [{ cpuCores: 2, memoryMiB: 1024, pods: 30, resources: { 'example.com/gpu': 1 } }]
    const decided = plan(agents(POOL_LABEL, { tolerations: [{ operator: 'Exists' }] }), {
      policy: { taints, machines, reserved: { cpu: '250m', memory: '24Mi' } },
    })
    const allocatable = { cpu: '1750m', memory: '1000Mi', pods: '30', 'example.com/gpu': '1' }
    assert.equal(shapeIn(decided), { labels, taints, allocatable, nodes: [] })
  })
  test('is told of a pool that Karpenter scales, too', () =>
    assert.is(said(plan(BY_POOL, { policy: { output: DYNAMIC } })).length, 1))
  test('is known once the shape is declared, and its DaemonSet is sized for it', () => {
    const before = plan(BY_POOL)
    const declared: KubernetesObject = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'NodeInventory',
      metadata: { name: 'planned' },
      spec: {
        ...{ cluster: 'prod', observedAt: '2026-01-15T10:00:00Z', labelKeys: ['*'], nodeCount: 0 },
        shapes: [shapeIn(before)],
      },
    }
    const decided = plan([...BY_POOL, declared])
    assert.equal([decided.errors, said(decided)], [[], []])
    const names = decided.plan.items.map(({ object }) => object.metadata.name)
    assert.ok(names.includes('agent-small'), names.join(' '))
  })
  for (const [name, objects, pool, nodes] of [
    ['their group is known', BY_POOL, {}, [LARGE, { name: 'n2' }]],
    [
      'they lack the label',
      agents('node.kubernetes.io/instance-type'),
      {},
      [{ ...LARGE, labels: { ...LARGE.labels, 'node.kubernetes.io/instance-type': 'a' } }],
    ],
    ['no pod may run there', BY_POOL, { policy: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, [LARGE]],
    [
      'there is no remainder',
      [policy({ nodeGroupLabel: POOL_LABEL, remainder: false }), ...BY_POOL.slice(1)],
      {},
      [LARGE],
    ],
    ['there is no policy', [], {}, [LARGE]],
  ] as const)
    test(`is not told where ${name}`, () => {
      const decided = plan(objects, pool, [...nodes])
      assert.equal([decided.errors, said(decided)], [[], []])
    })
})
