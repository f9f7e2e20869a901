/** ResourceLists with node pools: their nodes with a claim each, and pods that wait. */
const API = 'kubenodesmith.parawell.cloud/v1alpha1'
const NODEFIT = 'nodefit.dev/v1alpha1'
const LABEL = 'topology.kubenodesmith.io/pool'
const NAMESPACE = 'kubenodesmith'
const POOLS = 20
/** As `nodefit inventory` writes it. */
const LOCAL = { 'config.kubernetes.io/local-config': 'true' }
const NOW = '2026-01-15T10:00:00Z'
const REFUSED = '2026-01-15T09:55:00Z'
/** The shapes of pods that wait, where many are alike. */
const KINDS = 50

/** 20 pools with as many pending pods, half as many nodes, and a claim for each; the pods of 50 kinds or all different. */
export function poolsWithPods(count: number, areAlike: boolean): string {
  const pools = Array.from({ length: POOLS }, (_, index) => `pool-${String(index).padStart(2, '0')}`)
  const perPool = count / 2 / POOLS
  const nodes = pools.flatMap((pool) =>
    Array.from({ length: perPool }, (_, index) => ({ pool, name: `${pool}-${String(index + 1).padStart(6, '0')}` })),
  )
  const objects = [...pools.flatMap(poolObjects), provider(), ...nodes.map(claim)]
  return [
    'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n',
    ...[...objects, inventory(pools, nodes), snapshot(pools, nodes, pendingPods(count, areAlike))].map(
      (object, index) => `- ${JSON.stringify(withPath(object, index))}\n`,
    ),
  ].join('')
}

interface NodeOfPool {
  readonly pool: string
  readonly name: string
}

interface Manifest {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> }
  readonly [field: string]: unknown
}

function withPath(object: Manifest, index: number): Manifest {
  const annotations = { ...object.metadata.annotations, 'internal.config.kubernetes.io/path': `file-${index}.yaml` }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function poolObjects(name: string): Manifest[] {
  const metadata = { name, namespace: NAMESPACE }
  const annotations = { 'argocd.argoproj.io/sync-options': 'Prune=confirm' }
  const limits = { minNodes: 0, maxNodes: 0, cpuCores: 0, memoryMiB: 0 }
  const machines = [{ cpuCores: 8, memoryMiB: 16_384 }]
  return [
    {
      ...{ apiVersion: API, kind: 'NodeSmithPool', metadata: { ...metadata, annotations } },
      spec: { providerRef: 'p', limits, machineTemplate: {}, scaleDown: { stabilizationWindow: '5m' } },
    },
    {
      ...{ apiVersion: NODEFIT, kind: 'PoolPolicy', metadata: { ...metadata, annotations: LOCAL } },
      spec: { poolRef: name, machines, scaleUp: { batchSize: 0 } },
    },
  ]
}

function provider(): Manifest {
  const metadata = { name: 'p', namespace: NAMESPACE }
  return { apiVersion: API, kind: 'NodeSmithProvider', metadata, spec: { type: 'proxmox' } }
}

function claim({ pool, name }: NodeOfPool): Manifest {
  const annotations = { 'nodefit.dev/owner': `PoolPolicy/${pool}`, 'nodefit.dev/opened-at': '2026-01-14T10:00:00Z' }
  return {
    apiVersion: API,
    kind: 'NodeSmithClaim',
    metadata: { name, namespace: NAMESPACE, labels: { [LABEL]: pool }, annotations },
    spec: { poolRef: pool, requirements: { cpuCores: 8, memoryMiB: 16_384 } },
  } as Manifest
}

function inventory(pools: readonly string[], nodes: readonly NodeOfPool[]): Manifest {
  const amounts = { cpu: '8', memory: '16384Mi', pods: '110' }
  const shapes = pools.map((pool) => ({
    labels: { [LABEL]: pool },
    ready: 'True',
    ...{ capacity: amounts, allocatable: amounts },
    nodes: nodes.filter((node) => node.pool === pool).map(({ name }) => name),
  }))
  const spec = { cluster: 'prod', observedAt: NOW, labelKeys: ['*'], nodeCount: nodes.length, shapes }
  return { apiVersion: NODEFIT, kind: 'NodeInventory', metadata: { name: 'prod', annotations: LOCAL }, spec }
}

function snapshot(pools: readonly string[], nodes: readonly NodeOfPool[], pending: readonly object[]): Manifest {
  const entries = nodes.map(({ name }, index) => ({
    ...{ name, uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` },
    ...{ readySince: '2026-01-14T10:05:00Z', blocking: 5 + (index % 7) },
    used: { cpu: `${6500 + ((index * 37) % 1500)}m`, memory: `${9000 + ((index * 53) % 7000)}Mi`, pods: '20' },
  }))
  const daemonSets = ['agent', 'proxy'].map((name) => ({
    ...{ namespace: 'kube-system', name, requests: { cpu: '100m', memory: '128Mi' }, nodesExcept: [] },
  }))
  const createdAt = '2026-01-14T10:00:00Z'
  const claims = pools.map((pool) => ({
    ...{ namespace: NAMESPACE, poolRef: pool, requirements: { cpuCores: 8, memoryMiB: 16_384 } },
    claims: nodes.filter((node) => node.pool === pool).map(({ name }) => ({ name, createdAt, openedAt: createdAt })),
  }))
  const spec = { cluster: 'prod', observedAt: NOW, nodes: entries, daemonSets, pending, claims, pools: [] }
  return { apiVersion: NODEFIT, kind: 'WorkloadSnapshot', metadata: { name: 'prod', annotations: LOCAL }, spec }
}

/** Every other pod may run in any pool, the others in one. */
function pendingPods(count: number, areAlike: boolean): object[] {
  const perGroup = areAlike ? count / KINDS : 1
  return Array.from({ length: count / perGroup }, (_, group) => ({
    like: {
      requests: { cpu: `${100 + ((group * 131) % 3900)}m`, memory: `${64 + ((group * 97) % 7900)}Mi` },
      ...(group % 2 === 0 ? {} : { nodeSelector: { [LABEL]: `pool-${String(group % POOLS).padStart(2, '0')}` } }),
    },
    pods: Array.from({ length: perGroup }, (_, index) => ({
      ...{ namespace: 'default', name: `pod-${group}-${index}`, since: REFUSED, reason: 'Unschedulable' },
    })),
  }))
}
