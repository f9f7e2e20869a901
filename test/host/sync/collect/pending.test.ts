/** What is collected for node pools: pods without a node, nodes that are idle, and what begins an evaluation. */
import * as assert from 'uvu/assert'
import { nodeDetails, type PodObject, toSnapshot } from '../../../../src/facts/inventory/index.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import type { Informer, MakeInformer } from '../../../../src/host/sync/collect/collector.ts'
import { IdleNodes, PendingCollector } from '../../../../src/host/sync/collect/pending.ts'
import { type ProjectedNode, trimNode } from '../../../../src/host/sync/nodes/projected-node.ts'
import { type Node, timeText } from '../../../../src/kube/index.ts'
import { suite } from '../../../support/suite.ts'

const MINUTE = 60_000
const START = Date.parse('2026-11-20T12:00:00Z')
const pod = (name: string, nodeName: string | undefined, more: object = {}, kind?: string) =>
  ({
    metadata: {
      name,
      namespace: 'n',
      uid: `uid-${name}`,
      ...(kind && { ownerReferences: [{ kind, name: 'o', controller: true }] }),
    },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    ...more,
  }) as KubeObject & PodObject
const refused = (reason = 'Unschedulable') => ({
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason }] },
})
const node = (name: string) => ({ metadata: { name, uid: `uid-${name}` } }) as Node
const NAMES = ['a', 'b']

/** A collector whose watch a test drives: put and remove an object as the API server would. */
function collecting(seed: ReadonlyMap<string, { uid?: string; idleSince?: string }> = new Map()) {
  let changes = 0
  let query: unknown
  const items = new Map<string, unknown>()
  let received: (object: KubeObject) => unknown = () => undefined
  const makeInformer: MakeInformer = <T>(resource: Parameters<MakeInformer>[0]): Informer<T> => {
    query = resource.query?.fieldSelector
    received = resource.trim
    return { start: async () => {}, isSynced: true, items: () => items as Map<string, T> }
  }
  const idle = new IdleNodes()
  idle.seed(seed)
  const trim = trimNode([], true)
  const nodes = (): ProjectedNode[] => NAMES.map((name) => trim(node(name)))
  const collector = new PendingCollector({ makeInformer, nodes, idle, onChange: () => changes++ })
  const put = (...objects: KubeObject[]) => {
    for (const object of objects) {
      const kept = received(object)
      const key = `${object.metadata.namespace}/${object.metadata.name}`
      if (kept === undefined) items.delete(key)
      else items.set(key, kept)
    }
  }
  const idleSince = (minute: number) => collector.part(START + minute * MINUTE).nodes?.map((one) => one.idleSince)
  return {
    collector,
    put,
    remove: (name: string) => items.delete(`n/${name}`),
    changes: () => changes,
    idleSince,
    query,
  }
}
const at = (minute: number) => timeText(START + minute * MINUTE)

suite('what is collected for pools', (test) => {
  const PODS = [
    pod('agent', 'a', {}, 'DaemonSet'),
    pod('web', 'a'),
    pod('new', undefined, refused()),
    pod('gated', undefined, refused('SchedulingGated')),
    pod('static', 'b', {}, 'Node'),
    pod('done', 'b', { status: { phase: 'Succeeded' } }),
  ]
  test('is what nodefit inventory --pods writes', () => {
    const details = new Map(NAMES.map((name) => [name, nodeDetails(node(name))]))
    const { spec } = toSnapshot(PODS, {
      ...{ name: 'x', cluster: 'x', nodes: NAMES, observedAt: at(0) },
      completion: { details, earlier: new Map() },
    }) as { spec: Record<string, unknown> }
    const { nodes, daemonSets, namespaces, pending } = spec
    for (const list of [PODS, [...PODS].reverse()]) {
      const { collector, put } = collecting()
      put(...list)
      assert.equal(collector.part(START), { nodes, daemonSets, namespaces, pending })
    }
  })
  test('asks for pods with and without a node in one watch', () =>
    assert.is(collecting().query, 'status.phase!=Succeeded,status.phase!=Failed'))
})

suite('an idle node', (test) => {
  test('is idle since the first snapshot without a pod that blocks it', () => {
    const { put, remove, idleSince } = collecting()
    put(pod('web', 'a'))
    assert.equal(idleSince(0), [undefined, at(0)])
    remove('web')
    assert.equal(idleSince(5), [at(5), at(0)])
    assert.equal(idleSince(9), [at(5), at(0)])
  })
  test('is idle anew where a pod came and went between two snapshots', () => {
    const { put, remove, idleSince } = collecting()
    assert.equal(idleSince(0), [at(0), at(0)])
    put(pod('web', 'a'), pod('agent', 'b', {}, 'DaemonSet'))
    remove('web')
    assert.equal(idleSince(5), [at(5), at(0)])
  })
  test('is idle since what Git has, where it is still idle and the same node', () => {
    const seed = new Map([
      ['a', { uid: 'uid-a', idleSince: at(-30) }],
      ['b', { uid: 'uid-of-another', idleSince: at(-30) }],
    ])
    assert.equal(collecting(seed).idleSince(0), [at(-30), at(0)])
    const busy = collecting(seed)
    busy.put(pod('web', 'a'))
    assert.equal(busy.idleSince(0), [undefined, at(0)])
    busy.remove('web')
    assert.equal(busy.idleSince(1)?.[0], at(1))
  })
})

suite('an evaluation begins', (test) => {
  test('when a pod begins to wait, or waits for another reason', () => {
    const { put, changes, collector, remove } = collecting()
    put(pod('x', undefined, { status: {} }))
    assert.is(changes(), 1)
    put(pod('x', undefined, { status: {} }))
    assert.is(changes(), 1, 'the same again')
    put(pod('x', undefined, refused()))
    assert.is(changes(), 2)
    remove('x')
    collector.part(START)
    put(pod('x', undefined, refused()))
    assert.is(changes(), 3, 'another of its name')
  })
  test('not when a pod starts or ends on a node', () => {
    const { put, changes } = collecting()
    put(pod('web', 'a'), pod('done', 'a', { status: { phase: 'Failed' } }))
    assert.is(changes(), 0)
  })
})
