/** What `nodefit inventory --pods` writes of the pods of a cluster, and what is read of it. */
import * as assert from 'uvu/assert'
import { type PodObject, podProblem, readLive, toSnapshot } from '../../../src/facts/inventory/index.ts'
import type { Subject } from '../../../src/krm/finding.ts'
import { usage } from '../../support/fit.ts'
import { codes } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const pod = (
  name: string,
  nodeName: string | undefined,
  requests: object,
  more: object = {},
  owner?: string,
): PodObject => ({
  metadata: {
    name,
    namespace: 'n',
    ...(owner && {
      ownerReferences: [
        { kind: 'Other', name: owner },
        { kind: 'DaemonSet', name: owner, controller: true },
      ],
    }),
  },
  spec: { nodeName, containers: [{ name: 'c', resources: { requests: { ...requests } } }] },
  ...more,
})
const written = (...pods: PodObject[]) =>
  (toSnapshot(pods, { name: 'x', cluster: 'x', nodes: ['b', 'a'] }) as { spec: Record<string, unknown> }).spec
const PODS = [
  pod('one', 'a', { cpu: '100m', memory: '1Gi' }),
  pod('two', 'a', { cpu: '0.5', memory: '100', 'example.com/gpu': 1 }),
  pod('three', 'b', {}),
  pod('agent-a', 'a', { cpu: '50m' }, {}, 'agent'),
  pod('agent-b', 'b', { cpu: '50m' }, {}, 'agent'),
  pod('old-agent', 'b', { cpu: '20m' }, { status: { phase: 'Running' } }, 'proxy'),
]

suite('toSnapshot', (test) => {
  test('adds up what the pods of each node request, and what is of DaemonSets', () => {
    assert.equal(written(...PODS), {
      cluster: 'x',
      collected: { nodes: 2, namespaces: 1 },
      nodes: [
        { name: 'a', used: { cpu: '650m', 'example.com/gpu': '1', memory: '1073741924', pods: '3' } },
        { name: 'b', used: { cpu: '70m', pods: '3' } },
      ],
      daemonSets: [
        { namespace: 'n', name: 'agent', requests: { cpu: '50m' }, nodes: ['a', 'b'] },
        { namespace: 'n', name: 'proxy', requests: { cpu: '20m' }, nodes: ['b'] },
      ],
      namespaces: [{ name: 'n', pods: 3 }],
    })
  })
  test('is read with the part of DaemonSets on each node, be it listed by its nodes or by the others', () => {
    const snapshot = (spec: object) => ({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'WorkloadSnapshot', spec })
    const daemons = (spec: object) =>
      readLive([{ ...snapshot(spec), metadata: { name: 'x' } } as Subject], 'x').value?.nodes?.map((one) => one.daemons)
    const spec = written(...PODS)
    const sums = [
      { cpu: '50m', pods: '1' },
      { cpu: '70m', pods: '2' },
    ]
    assert.equal(daemons(spec), sums)
    const [agent, proxy] = spec.daemonSets as object[]
    assert.equal(daemons({ ...spec, daemonSets: [{ ...agent, nodes: undefined, nodesExcept: [] }, proxy] }), sums)
    assert.equal(daemons({ ...spec, daemonSets: undefined }), [undefined, undefined])
    assert.equal(daemons({ ...spec, daemonSets: [], nodes: [{ name: 'a', daemons: { cpu: '1' } }] }), [{ cpu: '1' }])
  })
  test('does not depend on the order of pods', () => assert.equal(written(...[...PODS].reverse()), written(...PODS)))
  for (const [name, one] of [
    ['without a node', pod('x', undefined, { cpu: 9 })],
    ['that has ended', pod('x', 'a', { cpu: 9 }, { status: { phase: 'Succeeded' } })],
    ['that has failed', pod('x', 'a', { cpu: 9 }, { status: { phase: 'Failed' } })],
  ] as const)
    test(`leaves out a pod ${name}`, () => assert.equal(written(...PODS, one), written(...PODS)))
  test('a pod on a node that is not listed counts for its namespace alone', () => {
    assert.equal(written(...PODS, pod('x', 'c', { cpu: 9 })), {
      ...written(...PODS),
      namespaces: [{ name: 'n', pods: 4 }],
    })
  })
  test('counts a pod that is being deleted, as the scheduler does', () => {
    const one = pod('x', 'a', { cpu: '1' })
    const leaving = { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-11-20T12:00:00Z' } }
    assert.equal((written(leaving).nodes as Array<{ used: object }>)[0]?.used, { cpu: '1', pods: '1' })
  })
  test('rounds each pod up before it adds', () => {
    const third = (name: string) => pod(name, 'a', { cpu: '0.0001', memory: '100m' })
    assert.equal((written(third('x'), third('y')).nodes as Array<{ used: object }>)[0]?.used, {
      cpu: '2m',
      memory: '2',
      pods: '2',
    })
  })
  test('an owner that is no DaemonSet makes no pod of one', () => {
    const one = pod('x', 'a', { cpu: 1 }, {}, 'job')
    const owned = {
      ...one,
      metadata: { ...one.metadata, ownerReferences: [{ kind: 'Job', name: 'job', controller: true }] },
    }
    assert.equal(written(owned).daemonSets, [])
  })
  for (const [missing, field] of [
    [1, 'nodesExcept'],
    [99, 'nodes'],
  ] as const)
    test(`a DaemonSet on all but ${missing} of 200 nodes lists its ${field}, and is read back`, () => {
      const nodes = Array.from({ length: 200 }, (_, index) => `n${String(index).padStart(3, '0')}`)
      const pods = nodes.slice(missing).map((name) => pod(`p-${name}`, name, { cpu: 1 }, {}, 'agent'))
      const text = toSnapshot(pods, { name: 'x', cluster: 'x', nodes })
      const [{ [field]: listed = [] } = {}] = (text.spec as { daemonSets: Array<Record<string, string[]>> }).daemonSets
      assert.is(listed.length, field === 'nodes' ? 101 : missing)
      const { value } = readLive([text as unknown as Subject], 'x')
      assert.equal(
        value?.nodes?.filter(({ daemonPods }) => daemonPods.length === 1).map(({ name }) => name),
        nodes.slice(missing),
      )
    })
  test('a DaemonSet with two pods on a node lists its nodes', () => {
    const nodes = Array.from({ length: 200 }, (_, index) => `n${index}`)
    const pods = [...nodes, 'n0'].map((name, index) => pod(`p${index}`, name, { cpu: 1 }, {}, 'agent'))
    const text = toSnapshot(pods, { name: 'x', cluster: 'x', nodes })
    assert.is((text.spec as { daemonSets: Array<{ nodes: string[] }> }).daemonSets[0]?.nodes.length, 201)
  })
  test('a malformed pod is told', () => {
    assert.is(podProblem(pod('x', 'a', { cpu: 1 })), undefined)
    assert.match(podProblem(pod('x', 'a', { cpu: 'one' })) ?? '', 'one')
    assert.is(podProblem({ spec: { containers: 'none' } }), 'its containers are not a list')
  })
  test('what is written can be read', () => {
    const text = toSnapshot(PODS, { name: 'x', cluster: 'x', nodes: ['a', 'b'] })
    const { value, findings } = readLive([text as unknown as Subject], 'x')
    assert.equal(findings, [])
    assert.equal(
      value?.nodes?.map(({ name, daemonPods }) => [name, daemonPods.map((one) => one.name)]),
      [
        ['a', ['agent']],
        ['b', ['agent', 'proxy']],
      ],
    )
  })
})

suite('the nodes of a snapshot', (test) => {
  const read = (...args: Parameters<typeof usage>) => readLive([usage(...args) as Subject], 'prod')
  test('absent are unknown', () =>
    assert.is(readLive([{ ...usage([]), spec: { cluster: 'prod' } } as Subject], 'prod').value?.nodes, undefined))
  test('without used are unknown one by one', () => assert.is(read([{ name: 'a' }]).value?.nodes?.[0]?.used, undefined))
  test('cut are told', () => {
    assert.equal(codes(read([{ name: 'a' }], [], { collected: { nodes: 2 } }).findings), ['SnapshotCut'])
    assert.equal(codes(read([{ name: 'a' }], [], { collected: { nodes: 1 } }).findings), [])
  })
  test('of a newer writer only warn', () =>
    assert.equal(codes(read([{ name: 'a', newer: 'x' }], [], { collected: { newer: 1 } }).findings), [
      'InventoryFieldUnknown',
      'InventoryFieldUnknown',
    ]))
  test('with amounts that are none are refused', () => {
    assert.equal(codes(read([{ name: 'a', used: { cpu: 'x' } }]).findings), ['InvalidField'])
    assert.equal(codes(read([], [{ name: 'd', requests: { cpu: 'x' }, nodes: [] }]).findings), ['InvalidField'])
  })
})
