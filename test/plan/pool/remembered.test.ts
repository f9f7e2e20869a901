/** What a pool reads back of earlier runs: how many machines were asked for, which objects are machines, and the number of the next name. */
import * as assert from 'uvu/assert'
import { isLocalConfig, withoutWireAnnotations } from '../../../src/krm/identity.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { listOf } from '../../support/objects.ts'
import {
  type Decided,
  decide,
  decideObjects,
  deployment,
  type Scene,
  STATIC,
  sceneObjects,
  WRITTEN,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const NODEPOOL = { policy: { output: STATIC } }
const waiting = (...names: string[]) => names.map((name) => ({ name, cpu: '3', memory: '1Gi' }))
const full = (name: string) => ({ name, used: 'full' as const, claim: null })
const find = ({ plan }: Decided, kind: string) =>
  plan.items.map(({ object }) => object).find((one) => one.kind === kind)
const replicasOf = (decided: Decided, kind: string) =>
  (find(decided, kind)?.spec as { replicas?: number } | undefined)?.replicas
const isRead = ({ kind }: KubernetesObject) => kind === 'NodeInventory' || kind === 'WorkloadSnapshot'
/** What a run rendered, with the snapshot and the inventory of a later scene. */
const later = ({ plan }: Decided, scene: Scene): KubernetesObject[] => [
  ...plan.items.map(({ object }) => withoutWireAnnotations(object)).filter((one) => !isRead(one)),
  ...sceneObjects(scene).filter(isRead),
]

suite('what pools remember', (test) => {
  test('of the replicas of a NodePool those that have a node are not in flight', () => {
    const first = decide({ pools: [NODEPOOL], pods: waiting('a', 'b') })
    assert.is(replicasOf(first, 'NodePool'), 2)
    const scene = { pools: [NODEPOOL], nodes: [full('n1'), full('n2')], pods: waiting('c', 'd') }
    const second = decideObjects(later(first, scene))
    assert.equal([second.errors, replicasOf(second, 'NodePool')], [[], 4])
    const oneJoined = { pools: [NODEPOOL], nodes: [full('n1')], pods: waiting('c', 'd') }
    const third = decideObjects(later(first, oneJoined))
    assert.equal([third.errors, replicasOf(third, 'NodePool')], [[], 3], 'one is in flight')
    const idle = decideObjects(later(first, { pools: [NODEPOOL], nodes: [full('n1'), full('n2')] }))
    assert.equal([idle.errors, replicasOf(idle, 'NodePool')], [[], 2], 'both have joined')
  })
  const HIDDEN = { keepsFiles: false, allow: ['NeedsEarlierOutput'] }
  for (const [name, options, replicas] of [
    ['where the earlier output is in the input, Git counts', undefined, 3],
    ['where it is hidden, the cluster counts', HIDDEN, 2],
  ] as const)
    test(`replicas of a MachineDeployment that differ in Git and in the cluster: ${name}`, () => {
      const machines = [
        { name: 'small-md-x-a', namespace: 'kubenodesmith', owner: 'small-md', nodeName: 'node-a' },
        { kind: 'MachineDeployment', name: 'small-md', namespace: 'kubenodesmith', replicas: 2 },
      ]
      const objects = sceneObjects({
        pools: [{ policy: { output: { kind: 'MachineDeployment', name: 'small-md' } } }],
        nodes: [{ ...full('node-a'), more: { machine: 'small-md-x-a' } }],
        more: [deployment(3, WRITTEN)],
        snapshot: { machines },
      })
      const decided = decideObjects(objects, options)
      assert.equal([decided.errors, replicasOf(decided, 'MachineDeployment')], [[], replicas])
    })
  const STREAM = { keepsFiles: false }
  /** Renders scene after scene as a stream, each with the output of the one before. */
  const stream = (scenes: readonly Scene[]) => {
    let earlier: KubernetesObject[] = []
    return scenes.map((scene) => {
      const decided = decideObjects(sceneObjects(scene), { ...STREAM, earlier: listOf(earlier.map(copy)) })
      assert.equal(decided.errors, [])
      earlier = decided.plan.items
        .map(({ object }) => withoutWireAnnotations(object))
        .filter(({ metadata }) => !isLocalConfig(metadata.annotations))
      return earlier
    })
  }
  const records = (objects: readonly KubernetesObject[] = []) =>
    objects.filter(({ kind }) => kind === 'ConfigMap').map(({ data }) => data)
  test('the record of the next name is no machine of a template', () => {
    const template = { apiVersion: 'proxmox.alperen.cloud/v1alpha1', kind: 'VirtualMachine' }
    const pools = [{ policy: { output: { kind: 'Template', template } } }]
    const runs = stream([
      { pools, pods: waiting('a') },
      { pools, pods: waiting('a', 'b') },
    ])
    assert.equal(runs.map(records), [[{ nextClaim: '2' }], [{ nextClaim: '3' }]])
    assert.is(runs[1]?.filter(({ kind }) => kind === 'VirtualMachine').length, 2)
  })
  test('the record stays once it is there, whatever a user wrote into it', () => {
    const [first = []] = stream([{ pods: waiting('a') }])
    const edited = first
      .filter(({ kind }) => kind === 'ConfigMap')
      .map((one) => ({ ...copy(one), data: { nextClaim: '1' } }))
    const after = decideObjects(sceneObjects({}), { ...STREAM, earlier: listOf(edited) })
    assert.equal([after.errors, records(after.plan.items.map(({ object }) => object))], [[], [{ nextClaim: '1' }]])
  })
  test('a package that has the record keeps it, and its policy gets no number', () => {
    const [first = []] = stream([{ pods: waiting('a') }])
    const objects = [...sceneObjects({}), ...first.filter(({ kind }) => kind === 'ConfigMap').map(copy)]
    const decided = decideObjects(objects)
    const { annotations = {} } = find(decided, 'PoolPolicy')?.metadata ?? {}
    assert.equal([decided.errors, records(decided.plan.items.map(({ object }) => object))], [[], [{ nextClaim: '2' }]])
    assert.is(annotations['nodefit.dev/next-claim'], undefined)
  })
})

function copy(object: KubernetesObject): KubernetesObject {
  return structuredClone(object)
}
