import { listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { replacementOf } from './update-strategy.ts'

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
