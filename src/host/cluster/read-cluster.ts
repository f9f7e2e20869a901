import { systemClock } from './clock.ts'
import { type Connection, connect } from './connection.ts'
import { podMetrics, type Trim, trimsDaemonPods } from './daemon-pod.ts'
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
