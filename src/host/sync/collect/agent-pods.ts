import type { Amounts, InForce } from '../../../facts/usage/index.ts'
import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import { readAmount } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'

/** The cached part of a pod of a node group. What pods of one template share is one string. */
export interface AgentPod {
  readonly uid: string
  /** The UID of its DaemonSet. */
  readonly daemonSet: string
  readonly node: string
  /** Its containers, as `containersText` writes them. */
  readonly containers: string
  /** When each container started, in their order, in milliseconds since 1970; 0 of one that does not run. */
  readonly startedAt: readonly number[]
}

/** A container of a pod, with the limits that it runs with. */
export interface AgentContainer extends InForce {
  readonly name: string
  /** Whether it is a sidecar, an init container with restartPolicy Always; absent of others. */
  readonly isSidecar?: boolean
}

const MEBIBYTE = 2n ** 20n

/**
 * The cached part of a pod; undefined for one without a DaemonSet. Takes equal strings from `strings`, which keeps one
 * of each.
 */
export function agentPod({ metadata, spec, status }: KubeObject, strings: Map<string, string>): AgentPod | undefined {
  const owner = listOf(memberOf(metadata, 'ownerReferences')).find((entry) => memberOf(entry, 'controller') === true)
  const daemonSet = memberOf(owner, 'uid')
  if (memberOf(owner, 'kind') !== 'DaemonSet' || typeof daemonSet !== 'string') return undefined
  const { uid = '' } = metadata
  const sidecars = sidecarsIn(spec)
  const statuses = new Map(runningStatuses({ spec, status }).map((one) => [memberOf(one, 'name'), one]))
  const containers = [...listOf(memberOf(spec, 'containers')), ...sidecars]
  return {
    uid,
    daemonSet: interned(daemonSet, strings),
    node: interned(String(memberOf(spec, 'nodeName') ?? ''), strings),
    containers: interned(containersText(containers, new Set(sidecars), statuses), strings),
    startedAt: containers.map((one) => startOf(statuses.get(memberOf(one, 'name')))),
  }
}

/** What a pod says of the containers that can have a size: all but the init containers that end. */
export function runningStatuses(pod: object): readonly unknown[] {
  const status = memberOf(pod, 'status')
  const own = listOf(memberOf(status, 'containerStatuses'))
  const sidecars = new Set(sidecarsIn(memberOf(pod, 'spec')).map((one) => memberOf(one, 'name')))
  if (sidecars.size === 0) return own
  const others = listOf(memberOf(status, 'initContainerStatuses'))
  return [...own, ...others.filter((one) => sidecars.has(memberOf(one, 'name')))]
}

function sidecarsIn(spec: unknown): readonly unknown[] {
  return listOf(memberOf(spec, 'initContainers')).filter((one) => memberOf(one, 'restartPolicy') === 'Always')
}

/** Parses the containers of a pod, once for each text. */
export function containersOf(text: string, known: Map<string, readonly AgentContainer[]>): readonly AgentContainer[] {
  const present = known.get(text)
  if (present !== undefined) return present
  const containers = JSON.parse(text) as AgentContainer[]
  known.set(text, containers)
  return containers
}

function containersText(
  containers: readonly unknown[],
  sidecars: ReadonlySet<unknown>,
  statuses: ReadonlyMap<unknown, unknown>,
): string {
  return JSON.stringify(
    containers.map((container): AgentContainer => {
      const name = memberOf(container, 'name')
      // a container that was resized in place has other limits than its spec
      const resized = memberOf(memberOf(statuses.get(name), 'resources'), 'limits')
      const limits = isMap(resized) ? resized : memberOf(memberOf(container, 'resources'), 'limits')
      return {
        name: String(name),
        ...(sidecars.has(container) && { isSidecar: true }),
        limits: amountsIn(limits),
        hasHeapByLimit: hasHeapByLimit(container),
      }
    }),
  )
}

/** In whole thousandths of a core and whole MiB. */
function amountsIn(limits: unknown): Amounts {
  const [cpu, memory] = ['cpu', 'memory'].map((name) => readAmount(memberOf(limits, name)))
  return {
    ...(cpu !== undefined && { cpu: Number(cpu.milliValue()) }),
    ...(memory !== undefined && { memory: Number(memory.value() / MEBIBYTE) }),
  }
}

function hasHeapByLimit(container: unknown): boolean {
  return listOf(memberOf(container, 'env')).some((variable) => {
    const field = memberOf(memberOf(variable, 'valueFrom'), 'resourceFieldRef')
    return memberOf(variable, 'name') === 'GOMEMLIMIT' || memberOf(field, 'resource') === 'limits.memory'
  })
}

function startOf(status: unknown): number {
  const started = memberOf(memberOf(memberOf(status, 'state'), 'running'), 'startedAt')
  const time = typeof started === 'string' ? Date.parse(started) : Number.NaN
  return Number.isNaN(time) ? 0 : time
}

/** Returns a text as the one string that is kept of all that are equal. */
export function interned(text: string, strings: Map<string, string>): string {
  const present = strings.get(text)
  if (present !== undefined) return present
  strings.set(text, text)
  return text
}
