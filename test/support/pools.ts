/** The fixture of the pool rows: one pool, its policy and provider, and a snapshot at noon as tests describe it. */

import type { AnyPlanner, Planned, World } from '../../src/core/index.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { FIELDS, FIELDS_OWNER, LEAVING, OPENED, OPENED_FOR, OWNER, ownerOf } from '../../src/krm/remembered.ts'
import type { KubernetesObject, ResourceList } from '../../src/krm/types.ts'
import { runPools } from '../../src/plan/pool/plan-pools.ts'
import { poolPlanner } from '../../src/plan/pool/planner.ts'
import type { PoolsRun } from '../../src/plan/pool/run.ts'
import type { PoolInput } from '../../src/plan/pool/settings.ts'
import type { Plan, PlanOptions } from '../../src/rules/plan.ts'
import { PLANNERS, planOf } from '../../src/rules/run.ts'
import { listOf } from './objects.ts'

export const T = Date.parse('2026-01-15T10:00:00Z')
export const POOL_LABEL = 'topology.kubenodesmith.io/pool'
const NAMESPACE = 'kubenodesmith'
const API = 'kubenodesmith.parawell.cloud/v1alpha1'

/** A time that was so many seconds ago. */
export const ago = (seconds: number): string => new Date(T - seconds * 1000).toISOString().replace('.000Z', 'Z')

export interface PoolScene {
  readonly name?: string
  /** Annotations of the NodeSmithPool. */
  readonly kept?: Record<string, string>
  readonly limits?: object
  readonly spec?: object
  readonly policy?: object
  readonly annotations?: Record<string, string>
}

export interface PodScene {
  readonly name: string
  readonly cpu?: string
  readonly memory?: string
  readonly since?: number
  readonly like?: object
  readonly pod?: object
}

export interface NodeScene {
  readonly name: string
  readonly ready?: number | false
  readonly used?: 'full' | Record<string, string>
  readonly idle?: number
  readonly cordoned?: boolean
  /** How many seconds ago it was marked, in Git and in the cluster; `git` apart where it differs, null for none there. */
  readonly marked?: number
  readonly git?: number | null
  readonly blocking?: number
  readonly claim?: ClaimScene | null
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly more?: object
  readonly shape?: object
}

export interface ClaimScene {
  readonly name?: string
  readonly pool?: string
  readonly opened?: number
  /** The pods that it was opened for, in namespace default. */
  readonly openedFor?: readonly string[]
  readonly inGit?: boolean
  /** Its entry in the snapshot. */
  readonly live?: Record<string, unknown>
  readonly requirements?: object | null
}

export interface Scene {
  readonly pools?: readonly PoolScene[]
  readonly pods?: readonly PodScene[]
  readonly nodes?: readonly NodeScene[]
  readonly claims?: readonly ClaimScene[]
  /** The pools of the snapshot. */
  readonly live?: readonly object[]
  readonly snapshot?: object
  /** The ClusterRoles of KubeNodeSmith: one that leaves claims to Git. */
  readonly roles?: readonly KubernetesObject[]
  readonly more?: readonly KubernetesObject[]
}

/** A pool of the fixture: 4 cores and 8192 MiB a machine, of which pods have 3800m, 8000 MiB and 108. */
export function poolObjects({
  name = 'small',
  limits = {},
  spec = {},
  policy = {},
  annotations,
  kept = { 'argocd.argoproj.io/sync-options': 'Prune=confirm' },
}: PoolScene): KubernetesObject[] {
  const metadata = { name, namespace: NAMESPACE }
  return [
    {
      apiVersion: API,
      kind: 'NodeSmithPool',
      metadata: { ...metadata, annotations: kept },
      spec: {
        providerRef: 'proxmox-production',
        limits: { minNodes: 0, maxNodes: 5, cpuCores: 0, memoryMiB: 0, ...limits },
        machineTemplate: { labels: { 'node-role.kubernetes.io/worker': '' } },
        scaleUp: { stabilizationWindow: '2m' },
        scaleDown: { stabilizationWindow: '5m' },
        ...spec,
      },
    },
    {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'PoolPolicy',
      metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
      spec: {
        poolRef: name,
        machines: [{ cpuCores: 4, memoryMiB: 8192 }],
        reserved: { cpu: '100m' },
        overhead: { cpu: '100m', memory: '192Mi', pods: 2 },
        ...policy,
      },
    },
  ]
}

export const provider = (spec: object = {}): KubernetesObject => ({
  apiVersion: API,
  kind: 'NodeSmithProvider',
  metadata: { name: 'proxmox-production', namespace: NAMESPACE },
  spec: { type: 'proxmox', proxmox: { endpoint: 'https://pve.example.com:8006', vmMemOverheadMiB: 2048 }, ...spec },
})

/** What KubeNodeSmith's manager may do with claims, by its ClusterRole. */
export const managerRole = (
  verbs: readonly string[] = ['get', 'list', 'patch', 'update', 'watch'],
): KubernetesObject => {
  const apiGroups = ['kubenodesmith.parawell.cloud']
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'kubenodesmith-manager-role' },
    rules: [
      { apiGroups, resources: ['nodesmithclaims'], verbs },
      { apiGroups, resources: ['nodesmithclaims/finalizers'], verbs: ['update'] },
    ],
  }
}

/** A MachineDeployment of Cluster API, as its user has it in the package. */
/** The mark of what an earlier run wrote into a MachineDeployment. */
export const WRITTEN = { 'nodefit.dev/fields': '{"/spec/replicas":["PoolPolicy/kubenodesmith/small"]}' }

export const deployment = (replicas: number | undefined, annotations?: Record<string, string>): KubernetesObject => {
  const [bootstrap, infrastructure] = ['KubeadmConfigTemplate', 'ProxmoxMachineTemplate'].map((kind) => ({
    ...{ apiGroup: 'example.x-k8s.io', kind, name: 'small' },
  }))
  const labels = { 'cluster.x-k8s.io/deployment-name': 'small-md' }
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'small-md', namespace: NAMESPACE, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      clusterName: 'prod',
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          clusterName: 'prod',
          bootstrap: { configRef: bootstrap },
          infrastructureRef: infrastructure,
          version: 'v1.35.0',
        },
      },
    },
  }
}

const nodeClassRef = { group: 'karpenter.proxmox.sinextra.dev', kind: 'ProxmoxNodeClass', name: 'default' }
/** Outputs of a pool as a NodePool of Karpenter. */
export const DYNAMIC = { kind: 'NodePool', nodeClassRef }
export const STATIC = { kind: 'NodePool', mode: 'static', nodeClassRef }

function claimObject({
  name,
  pool = 'small',
  opened = 600,
  openedFor,
  requirements = SIZE,
}: ClaimScene): KubernetesObject {
  const pods: Record<string, string> =
    openedFor === undefined ? {} : { [OPENED_FOR]: openedFor.map((pod) => `default/${pod}`).join(' ') }
  return {
    apiVersion: API,
    kind: 'NodeSmithClaim',
    metadata: {
      name: name ?? '',
      namespace: NAMESPACE,
      labels: { [POOL_LABEL]: pool },
      annotations: {
        'nodefit.dev/namespace': NAMESPACE,
        [OPENED]: ago(opened),
        ...pods,
        [OWNER]: `PoolPolicy/${pool}`,
      },
    },
    spec: { poolRef: pool, ...(requirements === null ? {} : { requirements }) },
  }
}
const SIZE = { cpuCores: 4, memoryMiB: 8192 }

/** The objects of a scene, those that machines write last. */
export function sceneObjects(scene: Scene): KubernetesObject[] {
  const {
    pools = [{}],
    pods = [],
    nodes = [],
    claims = [],
    live = [],
    snapshot = {},
    roles = [managerRole()],
    more = [],
  } = scene
  const control = { name: 'control-plane-1', labels: { 'node-role.kubernetes.io/control-plane': '' }, claim: null }
  const all = [control, ...nodes]
  const nodeClaims = nodes.flatMap(({ name, claim }) => (claim === null ? [] : [{ name, opened: 4000, ...claim }]))
  const everyClaim: readonly ClaimScene[] = [...nodeClaims, ...claims]
  const liveClaims = everyClaim.flatMap((one) => (one.live === undefined ? [] : [liveEntry(one)]))
  const groups = pods.map(pendingEntry)
  return [
    ...pools.flatMap(poolObjects),
    provider(),
    ...roles,
    ...everyClaim.filter(({ inGit }) => inGit !== false).map(claimObject),
    ...nodes.flatMap(nodeDocument),
    ...more,
    inventoryOf(all),
    {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'live' },
      spec: {
        cluster: 'prod',
        observedAt: ago(0),
        collected: {
          nodes: all.length,
          pending: pods.length,
          claims: liveClaims.length,
          pools: live.length,
        },
        nodes: all.map(liveNode),
        pending: groups,
        claims: liveClaims,
        pools: live,
        ...snapshot,
      },
    },
  ]
}

function inventoryOf(all: readonly NodeScene[]): KubernetesObject {
  const shapes = all.map(({ name, ready, cordoned = false, labels, marked, shape = {} }) => ({
    labels: labels ?? { [POOL_LABEL]: 'small', 'node-role.kubernetes.io/worker': '' },
    ready: ready === false ? 'False' : 'True',
    ...(cordoned || marked !== undefined ? { unschedulable: true } : {}),
    capacity: { cpu: '4', memory: '10240Mi', pods: '110' },
    allocatable: { cpu: '3900m', memory: '8192Mi', pods: '110' },
    nodes: [name],
    ...shape,
  }))
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'NodeInventory',
    metadata: { name: 'prod' },
    spec: { cluster: 'prod', observedAt: ago(0), labelKeys: ['*'], nodeCount: shapes.length, shapes },
  }
}

function liveNode({
  name,
  ready = 3600,
  used = {},
  idle,
  marked,
  blocking,
  annotations = {},
  claim,
  more = {},
}: NodeScene): object {
  const isFull = used === 'full'
  const marks = marked === undefined ? {} : { [LEAVING]: ago(marked) }
  return {
    name,
    uid: `uid-${name}`,
    ...(claim?.name === undefined || claim.name === name ? {} : { claim: claim.name }),
    used: { cpu: '0', memory: '0', pods: '0', ...(isFull ? { cpu: '3700m', memory: '6Gi', pods: '1' } : used) },
    daemons: { cpu: '0', memory: '0', pods: '0' },
    blocking: blocking ?? (isFull ? 1 : 0),
    ...(ready === false ? {} : { readySince: ago(ready) }),
    ...(idle === undefined ? {} : { idleSince: ago(idle) }),
    ...(Object.keys({ ...annotations, ...marks }).length === 0 ? {} : { annotations: { ...annotations, ...marks } }),
    ...more,
  }
}

/** The partial Node of a marked node, as a run before wrote it. */
function nodeDocument({ name, marked, git = marked }: NodeScene): KubernetesObject[] {
  if (marked === undefined || git === null) return []
  const owners = ['PoolPolicy/kubenodesmith/small']
  const fields =
    git === undefined ? {} : { '/metadata/annotations/nodefit.dev~1leaving': owners, '/spec/unschedulable': owners }
  const annotations = { [FIELDS]: JSON.stringify(fields), [LEAVING]: ago(git ?? 0), [OWNER]: FIELDS_OWNER }
  return [{ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations }, spec: { unschedulable: true } }]
}

function liveEntry({ name, pool = 'small', opened = 600, requirements = SIZE, live = {} }: ClaimScene): object {
  return { namespace: NAMESPACE, name, poolRef: pool, requirements, createdAt: ago(opened), ...live }
}

function pendingEntry({ name, cpu = '1', memory = '1Gi', since = 300, like = {}, pod = {} }: PodScene): object {
  return {
    like: { requests: { cpu, memory }, ...like },
    pods: [{ namespace: 'default', name, since: ago(since), reason: 'Unschedulable', ...pod }],
  }
}

/** What a run decided, in words that rows compare. */
export interface Decided {
  readonly plan: Plan
  readonly run?: PoolsRun
  /** The claims that were added and are of the output, sorted. */
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  /** By pod, where it goes or why it does not. */
  readonly pods: Readonly<Record<string, string>>
  /** The nodes that are marked and cordoned. */
  readonly marked: readonly string[]
  readonly errors: readonly string[]
  /** The codes of warnings. */
  readonly warnings: readonly string[]
}

/** Plans objects with these planners, the one of pools among them, and keeps what the pools decided. */
export function planPools(
  objects: readonly KubernetesObject[],
  planners: readonly AnyPlanner[],
  options?: PlanOptions,
): { readonly plan: Plan; readonly run?: PoolsRun } {
  let run: PoolsRun | undefined
  const spy = {
    ...poolPlanner,
    plan: (all: readonly PoolInput[], world: World, before: readonly Planned[]) => {
      const settings = all.flatMap((one) => one.settings ?? [])
      run = runPools(settings, undefined, world, before).run
      return poolPlanner.plan(all, world, before)
    },
  } as unknown as AnyPlanner
  const plan = planOf(planners.map((one) => (one === (poolPlanner as unknown) ? spy : one)))
  return { plan: plan(listOf([...objects]), options), run }
}

/** Plans objects with every planner, and shows what the pools decided. */
export function decideObjects(objects: readonly KubernetesObject[], options?: PlanOptions): Decided {
  const { plan, run } = planPools(objects, PLANNERS as readonly AnyPlanner[], options)
  const changes = plan.packages.flatMap((one) => one.changes)
  const named = (kind: string) =>
    changes
      .filter((one) => one.kind === kind && (one.after ?? one.before)?.object.kind === 'NodeSmithClaim')
      .map((one) => (one.after ?? one.before)?.object.metadata.name ?? '')
      .sort()
  const isMarked = ({ kind, metadata, spec }: KubernetesObject) =>
    kind === 'Node' &&
    metadata.annotations?.[LEAVING] !== undefined &&
    (spec as { unschedulable?: boolean }).unschedulable === true
  return {
    plan,
    run,
    added: named('added'),
    dropped: named('removed'),
    pods: Object.fromEntries(
      [...(run?.packing.outcomes ?? [])].map(([{ id }, outcome]) => [id.replace('default/', ''), outcomeText(outcome)]),
    ),
    marked: plan.failed
      ? []
      : plan.items.flatMap(({ object }) => (isMarked(object) ? [object.metadata.name] : [])).sort(),
    errors: plan.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    warnings: [...new Set(plan.findings.filter(({ severity }) => severity === 'warning').map(({ code }) => code))],
  }
}

type Outcome = PoolsRun['packing']['outcomes'] extends ReadonlyMap<unknown, infer Value> ? Value : never

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'placed') return outcome.bin.name
  return outcome.kind === 'held back' ? outcome.guardrail : outcome.kind
}

export const decide = (scene: Scene): Decided => decideObjects(sceneObjects(scene))

/** The same again, with the output in the place of the input, as the next run sees it. */
export function decideAgain({ plan }: Decided): Decided {
  const list: ResourceList = { apiVersion: 'config.kubernetes.io/v1', items: plan.items, results: [] }
  return decideObjects(readResourceList(writeResourceList(list)).items.map(({ object }) => object))
}

/** The kinds of changes of a run. */
export const changeKinds = ({ plan }: Decided): string[] => [
  ...new Set(plan.packages.flatMap(({ changes }) => changes.map(({ kind }) => kind))),
]

export const claimsIn = ({ plan }: Decided): KubernetesObject[] =>
  plan.items
    .map(({ object }) => object)
    .filter((object) => object.kind === 'NodeSmithClaim' && ownerOf(object) !== undefined)

export { newItem }

/** The NodePool that an earlier run has rendered, with more in the spec of its template. */
export function earlierNodePool(more: object): KubernetesObject {
  const { plan } = decide({ pools: [{ policy: { output: DYNAMIC } }] })
  const made = plan.items.map(({ object }) => object).find(({ kind }) => kind === 'NodePool')
  const copy = structuredClone(made) as unknown as { spec: { template: { spec: object } } }
  copy.spec.template.spec = { ...copy.spec.template.spec, ...more }
  return copy as unknown as KubernetesObject
}
