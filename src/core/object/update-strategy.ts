import { isMap, listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type LabelSelector, type Labels, matchesLabels } from '../../kube/index.ts'

interface Container {
  restartPolicy?: string
  ports?: unknown
}

interface Port {
  hostPort?: number
  containerPort?: number
}

/**
 * Returns, in ascending order, the host ports that a DaemonSet's pods hold while they run: only one pod of a node can
 * have each. With `hostNetwork` every port is a host port (the API server defaults `hostPort`); of init containers,
 * only sidecars keep theirs.
 */
export function hostPortsOf({ spec }: KubernetesObject): number[] {
  const pod = (spec as { template?: { spec?: Record<string, unknown> | null } | null } | null | undefined)?.template
    ?.spec
  const sidecars = mapsIn<Container>(pod?.initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...mapsIn<Container>(pod?.containers), ...sidecars].flatMap((container) =>
    mapsIn<Port>(container.ports),
  )
  const held = ports.map(({ hostPort, containerPort }) => hostPort || (pod?.hostNetwork ? containerPort : undefined))
  return [...new Set(held.filter((port) => typeof port === 'number'))].sort((left, right) => left - right)
}

/** Returns the maps of a list. A template from which nothing was rendered may be malformed. */
function mapsIn<T>(value: unknown): T[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'object' && member !== null) : []
}

interface Term {
  labelSelector?: LabelSelector | null
  namespaces?: unknown
  namespaceSelector?: unknown
  topologyKey?: unknown
  matchLabelKeys?: unknown
  mismatchLabelKeys?: unknown
}

/**
 * A label that the DaemonSet controller adds to each pod, different for every DaemonSet and every version of its
 * template.
 */
const REVISION = 'controller-revision-hash'

/**
 * Whether required pod anti-affinity of a DaemonSet's pods selects the pods themselves, as in the scheduler's
 * InterPodAffinity: a new pod then cannot start on a node where an old one runs. The topology key does not matter,
 * since two pods of one node share every topology. A term without namespaces and namespaceSelector applies to the pods'
 * own namespace; a selector that is not empty may select it, since the labels of namespaces are not known.
 * `matchLabelKeys` and `mismatchLabelKeys` extend the label selector by the pod's own labels.
 */
export function hasSelfAntiAffinity({ metadata, spec }: KubernetesObject): boolean {
  const template = memberOf(spec, 'template')
  const antiAffinity = memberOf(memberOf(memberOf(template, 'spec'), 'affinity'), 'podAntiAffinity')
  const terms = memberOf(antiAffinity, 'requiredDuringSchedulingIgnoredDuringExecution')
  const labels = memberOf(memberOf(template, 'metadata'), 'labels')
  const podLabels = isMap(labels) ? (labels as Labels) : {}
  return listOf(terms).some((term) => isMap(term) && selects(term, podLabels, metadata.namespace))
}

function selects(term: Term, podLabels: Labels, namespace: string | undefined): boolean {
  if (typeof term.topologyKey !== 'string' || term.topologyKey === '') return false
  if (!appliesToNamespace(term, namespace)) return false
  if (listOf(term.matchLabelKeys).includes(REVISION)) return false
  if (listOf(term.mismatchLabelKeys).some((key) => typeof key === 'string' && Object.hasOwn(podLabels, key)))
    return false
  try {
    return matchesLabels(term.labelSelector, podLabels)
  } catch {
    // the API server refuses such a selector
    return false
  }
}

/** Whether the term applies to the pods' own namespace. If that is set later, any listed one may be it. */
function appliesToNamespace({ namespaces, namespaceSelector }: Term, namespace: string | undefined): boolean {
  const listed = listOf(namespaces)
  if (isMap(namespaceSelector) || listed.length === 0) return true
  return namespace === undefined || listed.includes(namespace)
}

/** Types of a hostPath that a pod only uses: who listens there, or the device, belongs to the node. */
const USED_TYPES: readonly unknown[] = ['Socket', 'CharDevice', 'BlockDevice']
/** Files that are there to be shared. */
const SHARED_FILE = /\.(?:sock|socket|lock)$/

/**
 * Directories that belong to the node's kernel, system, container runtime or kubelet, with all that is below them.
 * `/var/run` is `/run`. The kubelet's other directories hold the sockets of plugins, each of which is one agent's own.
 */
const OF_NODE = [
  ...['/dev', '/proc', '/sys', '/boot', '/lib', '/lib64', '/usr', '/bin', '/sbin', '/etc', '/home/kubernetes'],
  ...['/opt/bin', '/opt/cni'],
  ...['containerd', 'crio', 'docker', 'k3s', 'dbus', 'lock', 'log', 'netns', 'systemd', 'udev'].map((n) => `/run/${n}`),
  ...['audit', 'containers', 'journal', 'pods'].map((name) => `/var/log/${name}`),
  ...['cni', 'containerd', 'containers', 'dbus', 'docker', 'rancher', 'systemd'].map((name) => `/var/lib/${name}`),
  ...['pods', 'pod-resources'].map((name) => `/var/lib/kubelet/${name}`),
]

/**
 * Returns the paths of the node that only one pod of a DaemonSet may use, in the order of the mounts: directories and
 * files below the node's own, which a container or sidecar mounts writable from a `hostPath`. It keeps positions, a
 * database, a lock or its own socket there. Init containers end before the next pod's start. A directory that many
 * programs share, such as /var/log, does not count, although an agent may have a file there. Empty where `maxSurge`
 * starts the new pod beside the old one at each update anyway.
 */
export function statePathsOf(object: KubernetesObject): string[] {
  const { atOnce, down } = replacementOf(object, 1)
  if (atOnce > 0 && down === 0) return []
  const pod = memberOf(memberOf(object.spec, 'template'), 'spec')
  const volumes = new Map(
    listOf(memberOf(pod, 'volumes')).map((volume) => [memberOf(volume, 'name'), memberOf(volume, 'hostPath')]),
  )
  const sidecars = listOf(memberOf(pod, 'initContainers')).filter((one) => memberOf(one, 'restartPolicy') === 'Always')
  const paths = [...listOf(memberOf(pod, 'containers')), ...sidecars].flatMap((container) =>
    listOf(memberOf(container, 'volumeMounts')).flatMap((mount) => {
      const source = volumes.get(memberOf(mount, 'name'))
      return memberOf(mount, 'readOnly') === true || isOfPod(mount, container) ? [] : pathOf(source, mount)
    }),
  )
  return [...new Set(paths)].filter((path) => !isOfNode(path))
}

/** The path of the node that a mount shows; none for a socket or a device. */
function pathOf(hostPath: unknown, mount: unknown): string[] {
  const [path, type] = ['path', 'type'].map((field) => memberOf(hostPath, field))
  if (typeof path !== 'string' || USED_TYPES.includes(type)) return []
  const inside = memberOf(mount, 'subPath') ?? memberOf(mount, 'subPathExpr')
  return [[path, ...(typeof inside === 'string' ? [inside] : [])].join('/').replace(/\/+/g, '/')]
}

/** Whether each pod has a directory of its own there: its path has the name or uid of the pod. */
function isOfPod(mount: unknown, container: unknown): boolean {
  const expression = memberOf(mount, 'subPathExpr')
  if (typeof expression !== 'string') return false
  return listOf(memberOf(container, 'env')).some((variable) => {
    const field = memberOf(memberOf(memberOf(variable, 'valueFrom'), 'fieldRef'), 'fieldPath')
    const isOwn = field === 'metadata.name' || field === 'metadata.uid'
    return isOwn && expression.includes(`$(${String(memberOf(variable, 'name'))})`)
  })
}

/** Whether a path belongs to the node: a file to share, a directory of its own, or one that many programs share. */
function isOfNode(path: string): boolean {
  const [first, ...rest] = path.split('/').filter((part) => part !== '' && part !== '.')
  const parts = first === 'var' && rest[0] === 'run' ? rest : [...(first === undefined ? [] : [first]), ...rest]
  const plain = `/${parts.join('/')}`
  if (parts.length <= (parts[0] === 'var' ? 2 : 1) || plain === '/var/lib/kubelet') return true
  return SHARED_FILE.test(plain) || OF_NODE.some((one) => plain === one || plain.startsWith(`${one}/`))
}

/** How the DaemonSet controller replaces pods whose template differs. */
export interface Replacement {
  /** On how many nodes at once. */
  readonly atOnce: number
  /** On how many of these the old pod stops before the new one runs. */
  readonly down: number
}

/**
 * Returns how a DaemonSet with so many nodes replaces its pods: by `maxSurge` or `maxUnavailable`, of which one is 0,
 * percentages rounded up (the DaemonSet controller's `updatedDesiredNodeCounts`; defaults 0 and 1); none with OnDelete.
 */
export function replacementOf(object: KubernetesObject, nodeCount: number): Replacement {
  const strategy = updateStrategyOf(object)
  if (memberOf(strategy, 'type') === 'OnDelete') return { atOnce: 0, down: 0 }
  const rolling = memberOf(strategy, 'rollingUpdate')
  const surge = scaled(memberOf(rolling, 'maxSurge') ?? 0, nodeCount)
  if (surge > 0) return { atOnce: surge, down: 0 }
  const down = Math.max(scaled(memberOf(rolling, 'maxUnavailable') ?? 1, nodeCount), 1)
  return { atOnce: down, down }
}

/**
 * Returns why a new pod of an object cannot start beside the old one that `maxSurge` leaves on the node, in words that
 * follow the old pod; undefined where it can, or the strategy is another. The scheduler's NodePorts and
 * InterPodAffinity keep it out, and the controller removes the old pod only once the new one runs.
 */
export function surgeBlocker(object: KubernetesObject, before = object): string | undefined {
  const { atOnce, down } = replacementOf(object, 1)
  if (atOnce === 0 || down > 0) return undefined
  const held = new Set(hostPortsOf(before))
  const port = hostPortsOf(object).find((one) => held.has(one))
  if (port !== undefined) return `holds port ${port} of the node`
  return hasSelfAntiAffinity(object) ? 'repels it by required podAntiAffinity' : undefined
}

/** Returns the update strategy of an object as it is, unvalidated. */
export function updateStrategyOf({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'updateStrategy')
}

function scaled(value: unknown, nodeCount: number): number {
  if (typeof value === 'number') return value
  const percentage = typeof value === 'string' ? /^([0-9]{1,3})%$/.exec(value)?.[1] : undefined
  return percentage === undefined ? 0 : Math.ceil((Number(percentage) * nodeCount) / 100)
}
