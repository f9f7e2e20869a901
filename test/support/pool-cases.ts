/** For each code about node pools a smallest input that brings it about. */
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { POOL_CODES } from '../../src/plan/pool/codes.ts'
import { config, daemonSet, node, policy } from './objects.ts'
import {
  DYNAMIC,
  deployment,
  earlierNodePool,
  type NodeScene,
  POOL_LABEL,
  provider,
  type Scene,
  STATIC,
  sceneObjects,
} from './pools.ts'

type Case = [objects: KubernetesObject[]]

const scene = (one: Scene): Case => [sceneObjects(one)]
const withProvider = (spec: object): Case => [
  sceneObjects({}).map((object) => (object.kind === 'NodeSmithProvider' ? provider(spec) : object)),
]
const large = { name: 'a', cpu: '6' }
const first: NodeScene = { name: 'small-000001' }
const stale = { name: 'small-000001', opened: 1200 }

/** Node objects as the inventory, and a node that joined without the labels of its pool. */
function withNodeObjects(): KubernetesObject[] {
  const objects = sceneObjects({ nodes: [first] }).filter(({ kind }) => kind !== 'NodeInventory')
  const nodes = [node('control-plane-1', {}), node('small-000001', {})].map((one) => ({
    ...one,
    status: { ...(one.status as object), conditions: [{ type: 'Ready', status: 'True' }] },
  }))
  const config = {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'RenderConfig',
    metadata: { name: 'c' },
    spec: { cluster: 'prod' },
  }
  return [...objects, ...nodes, config]
}

export const POOL_CASES: Record<keyof typeof POOL_CODES, Case> = {
  KarpenterTooOld: scene({
    pools: [{ policy: { output: DYNAMIC } }],
    more: [config({ autoscaler: { kind: 'karpenter', version: '1.8' } })],
  }),
  PoolSummary: scene({}),
  PoolMissing: scene({ pools: [{ policy: { poolRef: 'other' } }] }),
  PoolInvalid: scene({ pools: [{ limits: { minNodes: 2, maxNodes: 1 } }] }),
  OutputInvalid: scene({ pools: [{ policy: { output: { kind: 'MachineDeployment' } } }] }),
  ReplicasOwnedElsewhere: scene({
    pools: [{ policy: { output: { kind: 'MachineDeployment', name: 'small-md' } } }],
    more: [deployment(1, { 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5' })],
  }),
  ReplicasDiffer: scene({
    pools: [{ policy: { output: { kind: 'MachineDeployment', name: 'small-md' } } }],
    more: [deployment(1)],
    snapshot: { machines: [{ kind: 'MachineDeployment', name: 'small-md', namespace: 'kubenodesmith', replicas: 3 }] },
  }),
  NodePoolForcesDrain: scene({
    pools: [{ policy: { output: DYNAMIC } }],
    more: [earlierNodePool({ terminationGracePeriod: '10m' })],
  }),
  NodePoolExpires: scene({ pools: [{ policy: { output: DYNAMIC } }] }),
  NodePoolDrifts: scene({
    pools: [{ policy: { output: { ...DYNAMIC, forceDrainAfter: 'none' } } }],
    more: [earlierNodePool({ terminationGracePeriod: '10m' })],
  }),
  NotInNodePool: scene({ pools: [{ policy: { output: DYNAMIC, requireTargeting: true } }] }),
  StaticCapacityOff: scene({ pools: [{ policy: { output: STATIC } }] }),
  WeightDropped: scene({ pools: [{ policy: { output: STATIC, priority: 10 } }] }),
  DuplicatePool: scene({ pools: [{}, { name: 'big', policy: { output: { namePrefix: 'small' } } }] }),
  ProviderMissing: scene({ pools: [{ spec: { providerRef: 'other' } }] }),
  ProviderUnsupported: withProvider({ type: 'redfish' }),
  ProviderRangeShort: withProvider({ proxmox: { vmIDRange: { lower: 100, upper: 102 } } }),
  PoolInputUnknown: scene({ snapshot: { pending: undefined, collected: {} } }),
  ClaimsUnknown: scene({ snapshot: { claims: undefined, collected: {} } }),
  SnapshotsApart: scene({ snapshot: { observedAt: '2026-01-15T09:58:00Z' } }),
  SnapshotOlder: scene({ claims: [{ name: 'small-000001', opened: -1 }] }),
  NeedsInventory: [withNodeObjects()],
  UnknownPool: scene({ more: [{ ...unowned('gone-000001') }] }),
  ClaimFailed: scene({ claims: [{ name: 'small-000001', live: { failed: true } }] }),
  ClaimStale: scene({ claims: [stale] }),
  ClaimsNotInGit: scene({ claims: [{ ...stale, inGit: false, live: {} }] }),
  PoolControllerLive: scene({ roles: [] }),
  PoolNotProtected: scene({ pools: [{ kept: {} }] }),
  PoolsInTwoPackages: [[...sceneObjects({}), ...sceneObjects({}).map(inOtherPackage)]],
  NewNodesInRemainder: scene({
    nodes: [{ name: 'n1', claim: null, labels: { [POOL_LABEL]: 'large' } }],
    more: [
      policy({ nodeGroupLabel: POOL_LABEL }),
      daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu: '10m' } } }] }),
    ],
  }),
  PodsTooLarge: scene({ pods: [large] }),
  PodsHeldBack: scene({
    pools: [{ limits: { maxNodes: 1 } }],
    pods: [
      { name: 'a', cpu: '3' },
      { name: 'b', cpu: '3' },
    ],
  }),
  PodsUnserved: scene({ pods: [large] }),
  PodsPlaced: scene({ pods: [{ name: 'a' }] }),
  PodsNotModelled: scene({ pods: [{ name: 'a', like: { limits: ['volumes'] } }] }),
  MachineDidNotHelp: scene({ nodes: [{ ...first, ready: 400 }], pods: [{ name: 'a', since: 900 }] }),
  MinNodesNotReached: scene({ pools: [{ limits: { minNodes: 3, cpuCores: 4 } }] }),
  DrainTimeout: scene({ nodes: [{ ...first, marked: 600, git: 600, blocking: 1 }] }),
}

function inOtherPackage({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const annotations = { ...metadata.annotations, 'internal.config.kubernetes.io/package-path': 'other' }
  return { ...object, metadata: { ...metadata, annotations } } as KubernetesObject
}

function unowned(name: string): KubernetesObject {
  const spec = { poolRef: 'gone', requirements: { cpuCores: 1, memoryMiB: 1024 } }
  const metadata = { name, namespace: 'kubenodesmith' }
  return { apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1', kind: 'NodeSmithClaim', metadata, spec }
}
