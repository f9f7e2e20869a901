/**
 * Where the pods of DaemonSets run and what they request, worked out anew from Kubernetes' documentation: nothing of `src/` is
 * imported, so that a fault in its placement or its sums is not repeated here. Amounts are bigint: nano cores and nano bytes.
 */
import type {
  Amounts,
  Container,
  DaemonSet,
  Expression,
  Node,
  PodSpec,
  Resources,
  Taint,
  Term,
  Toleration,
} from './kubernetes.ts'

/** What a pod may do on a node: `start`; `stay`, where taints keep a new pod off but do not evict one; or `none`. */
export type Standing = 'start' | 'stay' | 'none'

export interface Sum {
  readonly cpu: bigint
  readonly memory: bigint
}

/** The tolerations that the DaemonSet controller adds to every pod; the last one to pods with the host's network. */
const ADDED: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]
const ADDED_WITH_HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** Taints of a node that is lost or cordoned for a while: its pod runs there, or will again, so they keep none from starting. */
const PASSING: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** Whether the controller starts a pod on a node, or leaves one there that runs already. */
export function standingOn(pod: PodSpec, node: Node): Standing {
  if (!isSelected(pod, node)) return 'none'
  const inTheWay = untolerated(pod, node).filter(({ key }) => !PASSING.has(key))
  if (inTheWay.length === 0) return 'start'
  return inTheWay.some(({ effect }) => effect === 'NoExecute') ? 'none' : 'stay'
}

/** The taint that Kubernetes puts on a node whose kubelet does not answer. */
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Whether a pod that is deleted is made again on a node while that is as it is: every taint is tolerated, those of a lost node, too. */
export function comesBack(pod: PodSpec, node: Node): boolean {
  const isReady = (node.status.conditions ?? []).every(({ type, status }) => type !== 'Ready' || status === 'True')
  return isSelected(pod, node) && untolerated(pod, node, isReady ? [] : [NOT_READY]).length === 0
}

/** The one DaemonSet whose pod runs on a node; undefined where there is none. Throws where there are several. */
export function servedBy(
  daemonSets: readonly DaemonSet[],
  node: Node,
  standings: readonly Standing[],
): DaemonSet | undefined {
  const found = daemonSets.filter(({ spec }) => standings.includes(standingOn(spec.template.spec, node)))
  if (found.length > 1)
    throw new Error(`${node.metadata.name} has ${found.map(({ metadata }) => metadata.name).join(' and ')}`)
  return found[0]
}

/** The taints that keep a new pod off, by the tolerations of the pod and those that the controller adds. */
function untolerated(pod: PodSpec, node: Node, more: readonly Taint[] = []): readonly Taint[] {
  const tolerations = [
    ...(pod.tolerations ?? []),
    ...ADDED,
    ...(pod.hostNetwork === true ? [ADDED_WITH_HOST_NETWORK] : []),
  ]
  return [...(node.spec.taints ?? []), ...more].filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  )
}

/** What the pod requests, as the scheduler counts it: a missing request is the limit; sidecars run beside what comes after them. */
export function podRequests(pod: PodSpec): Sum {
  const requested = (resource: 'cpu' | 'memory'): bigint => {
    const wholePod = requestOf(pod.resources, resource)
    const overhead = nano(pod.overhead?.[resource] ?? 0)
    if (wholePod !== undefined) return wholePod + overhead
    const of = ({ resources }: Container) => requestOf(resources, resource) ?? 0n
    let sidecars = 0n
    let atStart = 0n
    for (const container of pod.initContainers ?? []) {
      const mine = of(container)
      if (container.restartPolicy === 'Always') sidecars += mine
      const now = container.restartPolicy === 'Always' ? sidecars : sidecars + mine
      if (now > atStart) atStart = now
    }
    const running = pod.containers.reduce((sum, container) => sum + of(container), sidecars)
    return (running > atStart ? running : atStart) + overhead
  }
  return { cpu: requested('cpu'), memory: requested('memory') }
}

/** The sum of what a container of that name requests or is limited to, over the pods; undefined limits and requests count as 0. */
export function containerSum(
  pods: readonly PodSpec[],
  name: string,
  place: keyof Resources,
  resource: 'cpu' | 'memory',
): bigint {
  return pods.reduce((sum, { containers, initContainers = [] }) => {
    const container = [...containers, ...initContainers].find((each) => each.name === name)
    return sum + nano(container?.resources?.[place]?.[resource] ?? 0)
  }, 0n)
}

/** Whether a container gets less of anything: no limit is more than any, no request less than any, a missing one is the limit. */
export function getsLess(had: PodSpec, has: PodSpec): boolean {
  const containersOf = ({ containers, initContainers = [] }: PodSpec) => [...containers, ...initContainers]
  return containersOf(has).some(({ name, resources }) => {
    const was = containersOf(had).find((container) => container.name === name)
    if (was === undefined) return false
    return ['cpu', 'memory'].some((resource) => {
      const [request, before] = [requestOf(resources, resource) ?? -1n, requestOf(was.resources, resource) ?? -1n]
      const limitOf = (of: Resources | undefined) => of?.limits?.[resource]
      const [limit, limitBefore] = [limitOf(resources), limitOf(was.resources)]
      if (request < before) return true
      return limit !== undefined && (limitBefore === undefined || nano(limit) < nano(limitBefore))
    })
  })
}

/** A quantity in nano units: cores or bytes. */
export function nano(quantity: string | number): bigint {
  const [, digits = '', decimals = '', suffix = ''] = /^(\d+)(?:\.(\d+))?([A-Za-z]*)$/.exec(String(quantity)) ?? []
  const unit = UNITS[suffix]
  if (digits === '' || unit === undefined) throw new Error(`no quantity: ${quantity}`)
  return (BigInt(digits + decimals) * unit) / 10n ** BigInt(decimals.length)
}

const NANO = 1_000_000_000n
const UNITS: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1000n,
  m: 1_000_000n,
  '': NANO,
  ...Object.fromEntries(['k', 'M', 'G', 'T', 'P'].map((prefix, index) => [prefix, NANO * 1000n ** BigInt(index + 1)])),
  ...Object.fromEntries(
    ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((prefix, index) => [prefix, NANO * 1024n ** BigInt(index + 1)]),
  ),
}

function requestOf(resources: Resources | undefined, resource: string): bigint | undefined {
  const amount = (amounts: Amounts | undefined) => amounts?.[resource]
  const found = amount(resources?.requests) ?? amount(resources?.limits)
  return found === undefined ? undefined : nano(found)
}

function isSelected({ nodeName, nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const { name, labels } = node.metadata
  if (nodeName !== undefined && nodeName !== '' && nodeName !== name) return false
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required.nodeSelectorTerms.some((term) => meets(term, node))
}

/** A term without any requirement meets no node. */
function meets({ matchExpressions = [], matchFields = [] }: Term, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((expression) => holds(expression, metadata.labels[expression.key])) &&
    matchFields.every((expression) => expression.key === 'metadata.name' && holds(expression, metadata.name))
  )
}

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  if (operator !== 'Gt' && operator !== 'Lt') throw new Error(`no operator: ${operator}`)
  if (value === undefined || !/^[+-]?\d+$/.test(value)) return false
  const [bound = ''] = values
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
}

export function tolerates({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  const isEqual = operator === '' || operator === 'Equal'
  return operator === 'Exists' || (isEqual && key !== '' && value === (taint.value ?? ''))
}
