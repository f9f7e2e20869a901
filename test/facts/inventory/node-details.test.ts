/** What pools need of nodes: which Nodes are idle since when, what blocks them, and how large a snapshot gets. */
import * as assert from 'uvu/assert'
import {
  claimEntry,
  foldClaims,
  nodeDetails,
  type PodObject,
  poolLabelKeys,
  type SnapshotNode,
  snapshotMachines,
  snapshotPools,
  toSnapshot,
  withClaims,
  withNodeDetails,
} from '../../../src/facts/inventory/index.ts'
import { writeWithSchema } from '../../../src/host/files/manifest.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Node } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const TIME = '2026-11-20T11:00:00Z'
const LATER = '2026-11-20T11:05:00Z'
const node = (metadata: object, status: object = {}): Node => ({ metadata: { name: 'a', ...metadata }, status }) as Node
const ready = (status: string) => ({ conditions: [{ type: 'Ready', status, lastTransitionTime: TIME }] })

suite('the state of a Node', (test) => {
  const ROWS: Record<string, [from: Node, want: object]> = {
    'nothing but a name': [node({}), {}],
    'its uid': [node({ uid: 'u' }), { uid: 'u' }],
    'the claim that its label names, which has its name': [node({ labels: { 'kubenodesmith.io/nodeclaim': 'a' } }), {}],
    'the claim that its label names': [
      node({ labels: { 'kubenodesmith.io/nodeclaim': 'small-1' } }),
      { claim: 'small-1' },
    ],
    'its machine': [node({ annotations: { 'cluster.x-k8s.io/machine': 'm' } }), { machine: 'm' }],
    'since when it is ready': [node({}, ready('True')), { readySince: TIME }],
    'not since when it is not': [node({}, ready('False')), {}],
    'that it is deleted': [node({ deletionTimestamp: TIME }), { deleting: true }],
    'marks and opt-outs, sorted, and no other annotation': [
      node({
        annotations: {
          'nodefit.dev/leaving': TIME,
          'karpenter.sh/do-not-disrupt': 'true',
          'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true',
          'example.com/secret': 'x',
          'nodefit.dev/long': 'x'.repeat(300),
        },
      }),
      {
        annotations: {
          'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true',
          'karpenter.sh/do-not-disrupt': 'true',
          'nodefit.dev/leaving': TIME,
        },
      },
    ],
  }
  for (const [name, [from, want]] of Object.entries(ROWS))
    test(name, () => assert.equal([nodeDetails(from), Object.keys(nodeDetails(from))], [want, Object.keys(want)]))
})

const complete = (given: object = {}): SnapshotNode | undefined =>
  withNodeDetails([{ name: 'a' }], {
    details: new Map([['a', { uid: 'u' }]]),
    ...{ blocking: new Map(), earlier: new Map(), observedAt: LATER, ...given },
  })[0]

suite('an idle node', (test) => {
  const earlier = (before: object) => new Map([['a', before]])
  const ROWS: Record<string, [given: object, idleSince: string | undefined]> = {
    'begins with its first snapshot': [{}, LATER],
    'carries what an earlier snapshot has': [{ earlier: earlier({ uid: 'u', idleSince: TIME }) }, TIME],
    'carries it where the earlier one has no uid': [{ earlier: earlier({ idleSince: TIME }) }, TIME],
    'begins anew where it was busy': [{ earlier: earlier({ uid: 'u' }) }, LATER],
    'begins anew where it is another of the same name': [{ earlier: earlier({ uid: 'v', idleSince: TIME }) }, LATER],
    'is none while a pod blocks it': [
      { blocking: new Map([['a', 1]]), earlier: earlier({ uid: 'u', idleSince: TIME }) },
      undefined,
    ],
    'has no time where the snapshot has none': [{ observedAt: undefined }, undefined],
  }
  for (const [name, [given, idleSince]] of Object.entries(ROWS))
    test(name, () => assert.is(complete(given)?.idleSince, idleSince))
  test('says how many pods block it', () => {
    assert.is(complete({ blocking: new Map([['a', 2]]) })?.blocking, 2)
    assert.is(complete()?.blocking, 0)
  })
  test('names the claim of its label or of a status, unless it has its name', () => {
    const claim = (claims: object[], details: object = {}) =>
      withClaims([complete({ details: new Map([['a', details]]) }) as SnapshotNode], [{ claims }] as never)[0]?.claim
    assert.is(claim([{ name: 'small-1', nodeName: 'a' }]), 'small-1')
    assert.is(claim([{ name: 'a' }]), undefined)
    assert.is(claim([{ name: 'small-1', nodeName: 'a' }], { claim: 'x' }), 'x')
    assert.is(claim([{ name: 'b' }]), undefined)
  })
})

const pod = (name: string, spec: object = {}, metadata: object = {}, phase = 'Running'): PodObject =>
  ({ metadata: { name, namespace: 'ns', ...metadata }, spec: { nodeName: 'a', ...spec }, status: { phase } }) as never
const owned = (kind: string) => ({ ownerReferences: [{ kind, name: 'o', controller: true }] })
const snapshot = (pods: PodObject[], names = ['a']) =>
  toSnapshot(pods, {
    ...{ name: 's', cluster: 'c', nodes: names, observedAt: LATER },
    completion: { details: new Map(names.map((name) => [name, {}])), earlier: new Map() },
  }) as { spec: { nodes: SnapshotNode[] } }

suite('the pods that block a node', (test) => {
  const ROWS: Record<string, [one: PodObject, blocking: number]> = {
    'a pod': [pod('p'), 1],
    'one that is being deleted': [pod('p', {}, { deletionTimestamp: TIME }), 1],
    'one that tolerates the cordon': [pod('p', { tolerations: [{ operator: 'Exists' }] }), 1],
    'one that is not started yet': [pod('p', {}, {}, 'Pending'), 1],
    'not one of a DaemonSet': [pod('p', {}, owned('DaemonSet')), 0],
    'not a static one': [pod('p', {}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }), 0],
    'not one that ended': [pod('p', {}, {}, 'Succeeded'), 0],
    'not one that failed': [pod('p', {}, {}, 'Failed'), 0],
    'not one of another node': [pod('p', { nodeName: 'b' }), 0],
  }
  for (const [name, [one, blocking]] of Object.entries(ROWS))
    test(name, () => assert.is(snapshot([one]).spec.nodes[0]?.blocking, blocking))
})

const object = (kind: string, metadata: object, more: object): KubernetesObject =>
  ({ apiVersion: 'x/v1', kind, metadata: { name: 'a', namespace: 'ns', ...metadata }, ...more }) as never

suite('pools and machines', (test) => {
  test('of a pool its limits and what its controller counts', () => {
    const spec = { limits: { minNodes: 0, maxNodes: 5, cpuCores: '4' }, providerRef: 'p' }
    const pool = object('NodeSmithPool', {}, { spec, status: { lastScaleActivity: TIME, nextClaimSequence: 8 } })
    assert.equal(snapshotPools([pool, object('NodeSmithPool', { name: '0', deletionTimestamp: TIME }, {})]), [
      { namespace: 'ns', name: '0', deleting: true },
      {
        ...{ namespace: 'ns', name: 'a', limits: { minNodes: 0, maxNodes: 5 } },
        ...{ lastScaleActivity: TIME, nextClaimSequence: 8 },
      },
    ])
  })
  test('of a Machine its MachineDeployment, node and marks, of that its replicas', () => {
    const machine = object(
      'Machine',
      {
        labels: { 'cluster.x-k8s.io/deployment-name': 'md' },
        annotations: { 'cluster.x-k8s.io/delete-machine': 'true' },
      },
      { spec: { replicas: 1 }, status: { nodeRef: { name: 'n' }, phase: 'Failed' } },
    )
    const deployment = object('MachineDeployment', { name: 'a' }, { spec: { replicas: 2 } })
    for (const list of [
      [machine, deployment],
      [deployment, machine],
    ])
      assert.equal(snapshotMachines(list), [
        { namespace: 'ns', name: 'a', owner: 'md', nodeName: 'n', failed: true, marked: true },
        { kind: 'MachineDeployment', namespace: 'ns', name: 'a', replicas: 2 },
      ])
  })
  test('export the labels of their nodes', () => {
    const spec = { poolLabelKey: 'example.com/pool', machineTemplate: { labels: { team: 'a' } } }
    const pools = [object('NodeSmithPool', {}, { spec }), object('NodeSmithPool', {}, {})]
    assert.equal(poolLabelKeys(pools), ['example.com/pool', 'team', 'topology.kubenodesmith.io/pool'])
  })
})

suite('a snapshot of 5,000 nodes', (test) => {
  const names = Array.from({ length: 5000 }, (_, index) => `small-${String(index).padStart(6, '0')}`)
  const agents = ['agent', 'proxy', 'cni', 'csi', 'logs']
  const requests = { containers: [{ name: 'c', resources: { requests: { cpu: '100m', memory: '128Mi' } } }] }
  const pods = names.flatMap((nodeName) => [
    ...agents.map((name) => pod(`${name}-${nodeName}`, { nodeName, ...requests }, { ...owned('DaemonSet') })),
    pod(`web-${nodeName}`, { nodeName, ...requests }),
  ])
  const uid = '9c0e7a52-5b1c-4d5e-9d6e-0a3c1b0c7f11'
  const states = names.map((name) => [
    name,
    nodeDetails(node({ name, uid, labels: { 'kubenodesmith.io/nodeclaim': name } }, ready('True'))),
  ])
  const claims = names.map((name, index) => ({
    metadata: {
      ...{ name, namespace: 'kubenodesmith', creationTimestamp: TIME },
      annotations: { 'nodefit.dev/owner': `PoolPolicy/pool-${index % 20}`, 'nodefit.dev/opened-at': TIME },
    },
    spec: {
      ...{ poolRef: `pool-${index % 20}`, requirements: { cpuCores: 8, memoryMiB: 16384 } },
      terminationGracePeriod: '10m',
    },
    status: { nodeName: name, ...ready('True') },
  }))
  test('of 20 pools with a claim each stays below 2 MB', () => {
    const written = toSnapshot(pods, {
      ...{ name: 's', cluster: 'c', nodes: names, observedAt: LATER },
      parts: { claims: foldClaims(claims.map((one) => claimEntry(one as never))) },
      completion: { details: new Map(states as never), earlier: new Map() },
    })
    const bytes = Buffer.byteLength(writeWithSchema(written))
    assert.ok(bytes < 2_000_000 && bytes > 1_000_000, `${bytes} bytes`)
  })
})
