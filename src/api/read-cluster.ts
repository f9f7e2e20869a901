import { systemClock } from './clock.ts'
import { type Connection, connect } from './connection.ts'
import { ApiError, errorMessage } from './errors.ts'
import type { ConnectOptions } from './kubeconfig.ts'
import { type KubeObject, list } from './list.ts'

export interface ReadClusterOptions extends ConnectOptions {
  /** Called with what is being read. */
  readonly onProgress: (text: string) => void
}

/** What a cluster has, as `nodefit scan` needs it. */
export interface ClusterObjects {
  readonly nodes: readonly KubeObject[]
  readonly daemonSets: readonly KubeObject[]
  /** The pods of DaemonSets that have not ended; undefined where they may not be read. */
  readonly pods?: readonly KubeObject[]
  readonly metrics: readonly KubeObject[]
  /** What could not be read, in sentences. */
  readonly leftOut: readonly string[]
}

const RUNNING = 'status.phase!=Succeeded,status.phase!=Failed'

/**
 * Reads nodes, DaemonSets, their pods and the metrics of pods, page by page, and writes nothing. Pods that may not be
 * read and metrics that nobody serves are left out. Rejects where nodes or DaemonSets cannot be read.
 */
export async function readCluster({ onProgress, ...options }: ReadClusterOptions): Promise<ClusterObjects> {
  const connection = connect(options, {
    clock: systemClock,
    meter: { bytes: () => undefined },
    userAgent: 'nodefit',
  })
  const leftOut: string[] = []
  onProgress('reading nodes')
  const nodes = await readList(connection, 'v1', 'Node', '/api/v1/nodes', { trim: withoutImages })
  onProgress('reading DaemonSets')
  const daemonSets = await readList(connection, 'apps/v1', 'DaemonSet', '/apis/apps/v1/daemonsets')
  onProgress('reading pods')
  const pods = await readOr(
    () => readList(connection, 'v1', 'Pod', '/api/v1/pods', { trim: daemonPod, query: { fieldSelector: RUNNING } }),
    (error) => {
      if (!(error instanceof ApiError) || error.status !== 403) throw error
      leftOut.push(`pods are left out: ${error.message}`)
      return undefined
    },
  )
  onProgress('reading the metrics of pods')
  const path = '/apis/metrics.k8s.io/v1beta1/pods'
  const metrics = await readOr(
    () => readList(connection, 'metrics.k8s.io/v1beta1', 'PodMetrics', path),
    (error) => {
      leftOut.push(`usage is left out, the metrics API does not serve it: ${errorMessage(error)}`)
      return []
    },
  )
  return { nodes, daemonSets, ...(pods === undefined ? {} : { pods }), metrics, leftOut }
}

type Trim = (object: KubeObject) => KubeObject | undefined

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
  return { ...node, status }
}

/** The part of a DaemonSet's pod that is looked at: 100,000 whole pods would take a gigabyte. */
function daemonPod({ metadata, spec, status }: KubeObject): KubeObject | undefined {
  const { name, namespace, ownerReferences } = metadata as KubeObject['metadata'] & { ownerReferences?: Owner[] }
  if (ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) !== true)
    return undefined
  const { nodeName, containers, initContainers, overhead, resources } = (spec ?? {}) as Record<string, unknown>
  const { phase, conditions, containerStatuses, initContainerStatuses } = (status ?? {}) as Record<string, unknown>
  const sized = (all: unknown) => picked(all, ['name', 'resources', 'restartPolicy'])
  const stated = (all: unknown) => picked(all, ['name', 'state', 'lastState', 'resources', 'allocatedResources'])
  return {
    metadata: { name, namespace, ownerReferences } as KubeObject['metadata'],
    spec: { nodeName, containers: sized(containers), initContainers: sized(initContainers), overhead, resources },
    status: {
      phase,
      conditions,
      containerStatuses: stated(containerStatuses),
      initContainerStatuses: stated(initContainerStatuses),
    },
  }
}

interface Owner {
  readonly kind?: string
  readonly controller?: boolean
}

function picked(all: unknown, fields: readonly string[]): unknown {
  if (!Array.isArray(all)) return undefined
  return all.map((one: Record<string, unknown>) =>
    Object.fromEntries(fields.flatMap((field) => (one[field] === undefined ? [] : [[field, one[field]]]))),
  )
}
