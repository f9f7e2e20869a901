import { foreignOwners } from '../../core/object/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type Container, type PodSpec, Quantity, unlessMalformed } from '../../kube/index.ts'

/** Why a DaemonSet is better left alone, and what to do or read. */
export interface LeaveReason {
  readonly why: string
  /** The next step: a page of the documentation, or what to do first. */
  readonly next: string
  /** Whether another grouping of its nodes may change that. */
  readonly isOfGrouping?: boolean
}

/** What shows in a pod that its agent serves the node itself. */
interface NodePart {
  readonly what: string
  readonly page: string
  isIn(pod: PodSpec, name: string): boolean
}

const CNI = /^\/(?:etc|opt|var\/lib)\/cni(?:\/|$)|\/etc\/cni\/net\.d\/?$|^\/home\/kubernetes\/bin\/?$/
const DEVICE_PLUGINS = /\/device-plugins\/?$/
const CSI_SOCKETS = /\/kubelet\/plugins\/[^/]*csi/
const REGISTRAR = /(?:^|\/)(?:csi-)?node-driver-registrar(?::|@|$)/

/** The first that matches is named. */
const NODE_PARTS: readonly NodePart[] = [
  {
    what: 'kube-proxy, without which the node reaches no Service',
    page: 'docs/daemonset/recipes/aws-node.md',
    isIn: (pod, name) => name === 'kube-proxy' || hasImage(pod, /(?:^|\/)kube-proxy(?:-[a-z0-9]+)?(?::|@|$)/),
  },
  {
    what: "node-local-dns, which every name lookup of the node's pods waits for",
    page: 'docs/daemonset/recipes/node-local-dns.md',
    isIn: (pod, name) => name === 'node-local-dns' || hasImage(pod, /(?:^|\/)k8s-dns-node-cache(?::|@|$)/),
  },
  {
    what: 'a device plugin, whose work is the same on every node with the device',
    page: 'docs/daemonset/recipes.md',
    isIn: (pod) => hasHostPath(pod, DEVICE_PLUGINS),
  },
  {
    what: "the node part of a CSI driver: while it is away, no volume of the node's pods is mounted",
    page: 'docs/daemonset/recipes/ebs-csi-node.md',
    isIn: (pod) => hasImage(pod, REGISTRAR) || hasHostPath(pod, CSI_SOCKETS),
  },
  {
    what: 'part of the network of the node (CNI): while it is away, new pods get no network',
    page: 'docs/daemonset/recipes/cilium.md',
    isIn: (pod) => hasHostPath(pod, CNI),
  },
  {
    what: 'node-critical (system-node-critical, hostNetwork): other pods of the node wait for it',
    page: 'docs/daemonset/recipes.md',
    isIn: ({ priorityClassName, hostNetwork }) => priorityClassName === 'system-node-critical' && hostNetwork === true,
  },
]

/** Owners that apply a DaemonSet from sources which no user of the cluster has. */
const ADD_ONS =
  /^(?:Kubernetes addon manager|EKS add-on|kubeadm add-on|AKS|kOps add-on|k3s ServiceLB|Rancher object set|OLM |controller |operator )/

/**
 * Returns why a DaemonSet is better left alone: its node depends on it, an add-on or operator sets its size, or the
 * container to be sized has neither request nor limit to start from. Undefined for an agent that a policy may size.
 */
export function leaveReason(daemonSet: KubernetesObject, pod: PodSpec, container: Container): LeaveReason | undefined {
  return lastingReason(daemonSet, pod) ?? withoutAmounts(container)
}

/** Returns why a DaemonSet is better left alone whatever it uses: its node depends on it, or another sets its size. */
export function lastingReason(daemonSet: KubernetesObject, pod: PodSpec): LeaveReason | undefined {
  const part = NODE_PARTS.find(({ isIn }) => isIn(pod, daemonSet.metadata.name))
  if (part !== undefined) return { why: `leave it: it is ${part.what}`, next: `see ${part.page}` }
  const owners = foreignOwners(daemonSet).map(({ text }) => text)
  if (owners.some((text) => ADD_ONS.test(text)))
    return {
      why: `leave it: its size is set by the ${owners.join('; ')}`,
      next: 'size it where that takes it from; see docs/daemonset/recipes.md',
    }
  return undefined
}

function withoutAmounts(container: Container): LeaveReason | undefined {
  if (hasAmounts(container)) return undefined
  return {
    why: `it requests nothing: container ${container.name} has neither requests nor limits of cpu and memory to start from`,
    next: 'measure it (kubectl top pods --containers, over a week), set requests and limits that are right for your commonest node where it is installed, and run this command again',
  }
}

function hasAmounts({ resources }: Container): boolean {
  return (['requests', 'limits'] as const).some((place) =>
    (['cpu', 'memory'] as const).some((resource) => isAmount(resources?.[place]?.[resource])),
  )
}

/** Whether an amount says anything: a request of 0 is no request. Malformed text is reported where it is read. */
function isAmount(text: string | number | null | undefined): boolean {
  if (text === undefined || text === null) return false
  return unlessMalformed(() => Quantity.parse(text).nanoValue() !== 0n) ?? true
}

function hasImage({ containers = [], initContainers }: PodSpec, image: RegExp): boolean {
  return [...containers, ...(initContainers ?? [])].some((one) => {
    const text: unknown = (one as { image?: unknown }).image
    return typeof text === 'string' && image.test(text)
  })
}

function hasHostPath({ volumes }: PodSpec & { volumes?: unknown }, path: RegExp): boolean {
  const list = Array.isArray(volumes) ? (volumes as Array<{ hostPath?: { path?: unknown } } | null>) : []
  return list.some((volume) => typeof volume?.hostPath?.path === 'string' && path.test(volume.hostPath.path))
}
