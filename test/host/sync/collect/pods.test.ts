/** What is kept of pods, and what it comes to. */
import * as assert from 'uvu/assert'
import { type PodObject, toSnapshot } from '../../../../src/facts/inventory/index.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { type KeptPod, keptPod, podsCollector } from '../../../../src/host/sync/collect/pods.ts'
import { suite } from '../../../support/suite.ts'
import { watchOf } from './support.ts'

const pod = (name: string, node: string | undefined, requests: object = {}, more: object = {}, daemonSet?: string) =>
  ({
    metadata: {
      name,
      namespace: 'n',
      uid: `uid-${name}`,
      labels: { app: 'x' },
      ...(daemonSet && { ownerReferences: [{ kind: 'DaemonSet', name: daemonSet, controller: true }] }),
    },
    spec: { nodeName: node, containers: [{ name: 'c', env: [{ name: 'E' }], resources: { requests } }] },
    ...more,
  }) as KubeObject & PodObject
const PODS = [
  pod('one', 'a', { memory: '1Gi', cpu: '100m' }),
  pod('two', 'a', { cpu: '100m', memory: '1Gi', 'example.com/gpu': 1 }),
  pod('three', 'b'),
  pod('agent-a', 'a', { cpu: '50m' }, {}, 'agent'),
  pod('agent-b', 'b', { cpu: '0.05' }, {}, 'agent'),
  pod('elsewhere', 'gone', { cpu: 8 }),
]
const NODES = ['b', 'a', 'empty']

suite('what is kept of a pod', (test) => {
  const kept = (one: KubeObject) => keptPod(one, new Map())
  const ROWS: Array<[name: string, from: KubeObject, isKept: boolean]> = [
    ['on a node', pod('x', 'a'), true],
    ['without a node', pod('x', undefined), false],
    ['with no node yet', pod('x', ''), false],
    ['that has ended', pod('x', 'a', {}, { status: { phase: 'Succeeded' } }), false],
    ['that has failed', pod('x', 'a', {}, { status: { phase: 'Failed' } }), false],
  ]
  for (const [name, from, isKept] of ROWS) test(`a pod ${name}`, () => assert.is(kept(from) !== undefined, isKept))
  test('is its node and what it counts for', () => {
    const want: KeptPod = {
      node: 'a',
      share: '{"daemonSet":{"namespace":"n","name":"agent"},"amounts":[["cpu","50"],["memory","1073741824"]]}',
    }
    assert.equal(kept(pod('x', 'a', { memory: '1Gi', cpu: '50m' }, {}, 'agent')), want)
  })
  test('pods alike are kept as the same text', () => {
    const texts = new Map<string, string>()
    const [one, two] = [pod('x', 'a', { cpu: 1 }), pod('y', 'a', { cpu: '1000m' })].map((from) => keptPod(from, texts))
    assert.equal(one, two)
    assert.is(texts.size, 2)
  })
  test('what cannot be read is told', () => assert.throws(() => kept(pod('x', 'a', { cpu: 'one' })), /one/))
})

suite('the pods of nodes', (test) => {
  test('are what nodefit inventory --pods writes of them', () => {
    const { watch } = watchOf(PODS)
    const { spec } = toSnapshot(PODS, { name: 'x', cluster: 'x', nodes: NODES }) as { spec: Record<string, unknown> }
    const { nodes, daemonSets, namespaces } = spec
    assert.equal(podsCollector(watch, () => NODES).part(0), { nodes, daemonSets, namespaces })
  })
  test('are those of the nodes that there are when they are asked for', () => {
    const { watch } = watchOf(PODS)
    const names = ['a']
    const collector = podsCollector(watch, () => names)
    assert.equal(
      collector.part(0).nodes?.map(({ name }) => name),
      ['a'],
    )
    names.push('gone')
    assert.equal(collector.part(0).nodes?.[1]?.used, { cpu: '8', pods: '1' })
  })
  test('do not depend on their order', () => {
    const of = (list: KubeObject[]) => podsCollector(watchOf(list).watch, () => NODES).part(0)
    assert.equal(of([...PODS].reverse()), of(PODS))
  })
  test('are absent until they were listed', () => {
    const { watch, state } = watchOf(PODS)
    state.isSynced = false
    const collector = podsCollector(watch, () => NODES)
    assert.is(collector.isSynced, false)
    assert.equal(collector.part(0), {})
  })
  test('only those that count are asked for', () => {
    const { watch, watched } = watchOf([])
    podsCollector(watch, () => [])
    const [{ path, query } = {}] = watched
    assert.is(path, '/api/v1/pods')
    assert.is(query?.fieldSelector, 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed')
  })
})
