import { memo } from '../../core/memo.ts'
import { systemClock } from './clock.ts'
import { type Connection, connect } from './connection.ts'
import { ApiError, errorMessage } from './errors.ts'
import { type ClusterIdentity, readIdentity } from './identity.ts'
import type { ConnectOptions } from './kubeconfig.ts'
import { type KubeObject, list } from './list.ts'

export interface ReadClusterOptions extends ConnectOptions {
  /** Called with what is being read. */
  readonly onProgress: (text: string) => void
}

export interface ReadScanOptions extends ReadClusterOptions {
  /** Reads DaemonSets, pods and metrics of this namespace alone, which rights of the namespace suffice for. */
  readonly namespace?: string
}

/** What a cluster has, as `nodefit scan` needs it. */
export interface ClusterObjects {
  readonly nodes: readonly KubeObject[]
  readonly daemonSets: readonly KubeObject[]
  /** The pods of DaemonSets that have not ended; undefined where they may not be read. */
  readonly pods?: readonly KubeObject[]
  readonly metrics: readonly KubeObject[]
  /** The context of the kubeconfig that was read; undefined within a pod. */
  readonly context?: string
  /** What could not be read, in sentences. */
  readonly leftOut: readonly string[]
}

const RUNNING = 'status.phase!=Succeeded,status.phase!=Failed'

/**
 * Reads nodes, DaemonSets, their pods and the metrics of pods, page by page, and writes nothing. Pods that may not be
 * read and metrics that nobody serves are left out. Rejects where nodes or DaemonSets cannot be read.
 */
export async function readCluster({ onProgress, namespace, ...options }: ReadScanOptions): Promise<ClusterObjects> {
  const connection = connectTo(options)
  const within = namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`
  const leftOut: string[] = []
  onProgress('reading nodes')
  const nodes = await readList(connection, 'v1', 'Node', '/api/v1/nodes', { trim: withoutImages })
  onProgress('reading DaemonSets')
  const daemonSets = await readList(connection, 'apps/v1', 'DaemonSet', `/apis/apps/v1/${within}daemonsets`)
  onProgress('reading pods')
  const pods = await readOr(
    () =>
      readList(connection, 'v1', 'Pod', `/api/v1/${within}pods`, {
        trim: trimsDaemonPods(),
        query: { fieldSelector: RUNNING },
      }),
    (error) => {
      if (!(error instanceof ApiError) || error.status !== 403) throw error
      leftOut.push(`pods are left out: ${error.message}`)
      return undefined
    },
  )
  onProgress('reading the metrics of pods')
  const path = `/apis/metrics.k8s.io/v1beta1/${within}pods`
  const metrics = await readOr(
    () => readList(connection, 'metrics.k8s.io/v1beta1', 'PodMetrics', path, { trim: podMetrics }),
    (error) => {
      leftOut.push(`usage is left out, the metrics API does not serve it: ${errorMessage(error)}`)
      return []
    },
  )
  const { context } = connection
  return { nodes, daemonSets, ...(pods && { pods }), metrics, ...(context && { context }), leftOut }
}

/** The DaemonSets that are read by name. */
export interface ReadAgentsOptions extends ReadClusterOptions {
  readonly daemonSets: ReadonlyArray<{ readonly namespace: string; readonly name: string }>
}

/** Nodes, some DaemonSets, and which cluster they are of. */
export interface AgentObjects extends Pick<ClusterObjects, 'nodes' | 'daemonSets'> {
  readonly identity: ClusterIdentity
}

/**
 * Reads all nodes and some DaemonSets, as kubectl prints them. Rejects where one cannot be read, with the words of the
 * API server; who the cluster is may stay unknown.
 */
export async function readAgents({
  onProgress,
  daemonSets: wanted,
  ...options
}: ReadAgentsOptions): Promise<AgentObjects> {
  const connection = connectTo(options)
  onProgress('reading nodes')
  const identity = await readIdentity(connection)
  const nodes = await readList(connection, 'v1', 'Node', '/api/v1/nodes', { trim: withoutImages })
  const daemonSets: KubeObject[] = []
  for (const { namespace, name } of wanted) {
    onProgress(`reading DaemonSet ${namespace}/${name}`)
    const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/daemonsets/${encodeURIComponent(name)}`
    daemonSets.push(await connection.json<KubeObject>({ path }))
  }
  return { identity, nodes, daemonSets: daemonSets.map((one) => inOrder(withoutManagers(one))) }
}

function connectTo(options: ConnectOptions): Connection {
  return connect(options, { clock: systemClock, meter: { bytes: () => undefined }, userAgent: 'nodefit' })
}

/** kubectl leaves out the managers of fields as well. */
function withoutManagers({ metadata, ...object }: KubeObject): KubeObject {
  const { managedFields: _, ...rest } = metadata as KubeObject['metadata'] & { managedFields?: unknown }
  return { ...object, metadata: rest }
}

/** kubectl prints the keys of each map in order; a file that is written from the object has them so. */
function inOrder<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(inOrder) as Value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, inOrder(member)])) as Value
}

/** A list of the API has no apiVersion and kind in its items. */
async function readList(
  connection: Connection,
  apiVersion: string,
  kind: string,
  path: string,
  { trim = (object) => object, query }: { trim?: Trim; query?: Record<string, string> } = {},
): Promise<KubeObject[]> {
  const { items } = await list(connection, path, { trim, query })
  return items.map((item) => ({ ...item, apiVersion, kind }))
}

async function readOr<T>(read: () => Promise<T>, fallback: (error: unknown) => T): Promise<T> {
  try {
    return await read()
  } catch (error) {
    return fallback(error)
  }
}

/** The images of a node are the larger part of it. */
function withoutImages(node: KubeObject): KubeObject {
  const { images: _, ...status } = (node.status ?? {}) as Record<string, unknown>
  return { ...withoutManagers(node), status }
}

/** Returns the part of an object to keep; undefined leaves the object out. */
type Trim = (object: KubeObject) => KubeObject | undefined

/**
 * Returns what trims the pods of a list to the part of a DaemonSet's pod that is looked at, and leaves out the pods of
 * others. The pods of a DaemonSet are alike but for name and node: what is equal is kept once for all of them, since
 * 100,000 whole pods would take a gigabyte.
 */
export function trimsDaemonPods(): Trim {
  const shared = sharesEqual()
  return ({ metadata, spec, status }) => {
    const { name, namespace, ownerReferences } = metadata as KubeObject['metadata'] & { ownerReferences?: Owner[] }
    const owner = ownerReferences?.find((one) => one.kind === 'DaemonSet' && one.controller === true)
    if (owner === undefined) return undefined
    const { nodeName, containers, initContainers, overhead, resources } = (spec ?? {}) as Record<string, unknown>
    const { phase, conditions, containerStatuses, initContainerStatuses } = (status ?? {}) as Record<string, unknown>
    const sized = (all: unknown) => picked(all, ['name', 'resources', 'restartPolicy'])
    return {
      metadata: {
        name,
        namespace: shared(namespace),
        ownerReferences: shared([{ kind: owner.kind, name: owner.name, controller: true }]),
      } as KubeObject['metadata'],
      spec: shared({
        nodeName,
        containers: sized(containers),
        initContainers: sized(initContainers),
        overhead,
        resources,
      }),
      status: shared({
        phase,
        conditions: looked(conditions),
        containerStatuses: stated(containerStatuses),
        initContainerStatuses: stated(initContainerStatuses),
      }),
    }
  }
}

/** Trims PodMetrics to what the containers of the pod use, and when. */
function podMetrics({ metadata: { name, namespace }, timestamp, containers }: KubeObject): KubeObject {
  return { metadata: { name, namespace }, timestamp, containers: picked(containers, ['name', 'usage']) }
}

interface Owner {
  readonly kind?: string
  readonly name?: string
  readonly controller?: boolean
}

/** Returns what gives one value for equal ones, and one for equal members of maps. */
function sharesEqual(): <Value>(value: Value) => Value {
  const read = memo((text: string): unknown => JSON.parse(text))
  const first = (value: unknown) => (value === undefined ? undefined : read(JSON.stringify(value)))
  return <Value>(value: Value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return first(value) as Value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, first(member)])) as Value
  }
}

/** The conditions that say that a pod waits for a node, or that its resize is infeasible. */
function looked(conditions: unknown): unknown {
  const all = picked(conditions, ['type', 'status', 'reason', 'message'])
  return all?.filter(({ type, status }) => (type === 'PodScheduled' ? status !== 'True' : type === 'PodResizePending'))
}

/** What containers have, and why they ended; when, of kills alone, since times differ from pod to pod. */
function stated(statuses: unknown): unknown {
  return picked(statuses, ['name', 'state', 'lastState', 'resources', 'allocatedResources'])?.map((one) => ({
    ...one,
    ...(one.state === undefined ? {} : { state: reasonOf(one.state) }),
    ...(one.lastState === undefined ? {} : { lastState: reasonOf(one.lastState) }),
  }))
}

function reasonOf(state: unknown): object {
  const { terminated } = (state ?? {}) as { terminated?: { reason?: unknown; finishedAt?: unknown } | null }
  if (terminated === undefined || terminated === null) return {}
  const { reason, finishedAt } = terminated
  return { terminated: { reason, ...(reason === 'OOMKilled' && finishedAt !== undefined && { finishedAt }) } }
}

function picked(all: unknown, fields: readonly string[]): Array<Record<string, unknown>> | undefined {
  if (!Array.isArray(all)) return undefined
  return all.map((one: Record<string, unknown>) =>
    Object.fromEntries(fields.flatMap((field) => (one?.[field] === undefined ? [] : [[field, one[field]]]))),
  )
}
