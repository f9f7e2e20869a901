/** What a test renders: its package, with the test's own nodes and objects in place of theirs. */
import * as assert from 'uvu/assert'
import { inventoryOfNodes, itemsOfTest } from '../../../src/face/expect/test-items.ts'
import { newItem } from '../../../src/krm/index.ts'
import { memberOf } from '../../../src/krm/map.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { config, daemonSet, inventory, node, policy, shape } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { nodefitTest, readValid } from './support.ts'

const EXPECT = { expect: { groups: {} } }
const snapshot = {
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: { name: 'prod' },
  spec: { cluster: 'prod' },
}
const ours = (name: string) => daemonSet({}, { name, annotations: { 'nodefit.dev/owner': 'SizingPolicy/agent' } })
const prod = inventory([shape({}, ['a'])])
const test2 = { ...inventory([shape({}, ['b'])]), metadata: { name: 'test' } }
const named = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`
const itemsFor = (spec: object, objects: readonly KubernetesObject[], metadata: object = {}) =>
  itemsOfTest(readValid({ ...EXPECT, ...spec }, 't', metadata), objects.map(newItem)).map(({ object }) => object)

suite('what a test renders', (test) => {
  const all = [policy(), daemonSet(), prod, test2, snapshot, ours('agent-m5'), nodefitTest(EXPECT), node('n', {})]
  const ROWS: Array<[what: string, spec: object, names: string[]]> = [
    [
      'its package as it is, without tests and what was rendered',
      {},
      [
        'SizingPolicy agent',
        'DaemonSet agent',
        'NodeInventory prod',
        'NodeInventory test',
        'WorkloadSnapshot prod',
        'Node n',
      ],
    ],
    [
      'what was rendered, too, where it is the earlier output',
      { earlier: true, inventory: 'test' },
      ['SizingPolicy agent', 'DaemonSet agent', 'NodeInventory test', 'WorkloadSnapshot prod', 'DaemonSet agent-m5'],
    ],
    [
      'its own nodes instead of all that the package knows of nodes',
      { nodes: [{ name: 'x' }] },
      ['SizingPolicy agent', 'DaemonSet agent', 'NodeInventory nodes-of-the-test'],
    ],
    [
      'its own objects, in place of those of the same identity',
      { inventory: 'prod', objects: [daemonSet(), config({})] },
      ['SizingPolicy agent', 'NodeInventory prod', 'WorkloadSnapshot prod', 'DaemonSet agent', 'RenderConfig config'],
    ],
    [
      'an inventory of its own',
      { inventory: 'own', objects: [{ ...prod, metadata: { name: 'own' } }] },
      ['SizingPolicy agent', 'DaemonSet agent', 'WorkloadSnapshot prod', 'NodeInventory own'],
    ],
  ]
  for (const [what, spec, names] of ROWS) test(what, () => assert.equal(itemsFor(spec, all).map(named), names))
  test('nothing of another package', () => {
    const of = (path: string) => ({ annotations: { 'internal.config.kubernetes.io/package-path': path } })
    const objects = ['a', 'b'].map((path) => policy({}, path, of(path)))
    assert.equal(itemsFor({}, objects, of('b')).map(named), ['SizingPolicy b'])
  })
  test('objects of the test are of its file, and keep their annotations; those of people are not copied', () => {
    const annotations = {
      'internal.config.kubernetes.io/path': 'tests.yaml',
      'internal.config.kubernetes.io/index': '3',
      'config.kubernetes.io/local-config': 'true',
    }
    const [own] = itemsFor({ objects: [daemonSet({}, { annotations: { a: 'b' } })] }, [], { annotations })
    const { 'config.kubernetes.io/local-config': _, ...place } = annotations
    assert.equal(own?.metadata.annotations, { a: 'b', ...place })
  })
  const CLUSTERS: Array<[what: string, objects: KubernetesObject[], cluster: string]> = [
    ['its policy', [prod, config({ cluster: 'two' }), policy({ cluster: 'one' })], 'one'],
    ['its RenderConfig', [prod, config({ cluster: 'two' }), policy()], 'two'],
    ['its inventory', [policy(), prod], 'prod'],
    ['nothing', [policy(), daemonSet()], 'test'],
  ]
  test('its own objects are rendered beside its own nodes, and name their cluster', () => {
    const items = itemsFor({ nodes: [{ name: 'x' }], objects: [config({ cluster: 'own' })] }, [policy(), daemonSet()])
    assert.equal(items.map(named), [
      'SizingPolicy agent',
      'DaemonSet agent',
      'RenderConfig config',
      'NodeInventory nodes-of-the-test',
    ])
    assert.is(memberOf(items.at(-1)?.spec, 'cluster'), 'own')
  })
  for (const [what, objects, cluster] of CLUSTERS)
    test(`nodes are of the cluster that the package names: by ${what}`, () => {
      const own = itemsFor({ nodes: [{ name: 'x' }] }, objects).find(({ kind }) => kind === 'NodeInventory')
      assert.is(memberOf(own?.spec, 'cluster'), cluster)
    })
})

suite('nodes of a test', (test) => {
  const shapesOf = (...lines: Parameters<typeof inventoryOfNodes>[0]) =>
    (inventoryOfNodes(lines, { cluster: 'c' }).spec as { shapes: Record<string, unknown>[]; nodeCount: number }).shapes
  const USUAL = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' }
  test('have a hostname, an operating system and an architecture', () => {
    assert.equal(shapesOf({ name: 'a', type: 'm5', cpu: 4, memory: '16Gi', labels: { x: '1' } }), [
      {
        labels: { ...USUAL, 'kubernetes.io/hostname': 'a', 'node.kubernetes.io/instance-type': 'm5', x: '1' },
        ready: 'True',
        allocatable: { cpu: 4, memory: '16Gi' },
        nodes: ['a'],
      },
    ])
  })
  test('may lack a label, report nothing, be tainted, cordoned and not ready', () => {
    const taints = [{ key: 'a', effect: 'NoSchedule' as const }]
    const labels = { 'kubernetes.io/os': null, 'kubernetes.io/arch': 'arm64' }
    assert.equal(shapesOf({ name: 'a', labels, taints, ready: false, unschedulable: true }), [
      {
        labels: { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/hostname': 'a' },
        taints,
        ready: 'False',
        unschedulable: true,
        allocatable: {},
        nodes: ['a'],
      },
    ])
  })
  test('with a count are numbered from 1; none is a type that no node has', () => {
    const counted = inventoryOfNodes([{ name: 'a', count: 2 }, { name: 'b', count: 0 }, { name: 'c' }], {
      cluster: 'c',
      now: '2026-11-20T12:00:00Z',
    })
    const { nodeCount, shapes, observedAt } = counted.spec as {
      nodeCount: number
      shapes: Array<{ nodes: string[]; labels: object }>
      observedAt: string
    }
    assert.is(nodeCount, 3)
    assert.is(observedAt, '2026-11-20T12:00:00Z')
    assert.equal(
      shapes.map(({ nodes }) => nodes),
      [['a-1'], ['a-2'], [], ['c']],
    )
    assert.equal(shapes[2]?.labels, USUAL)
  })
})
