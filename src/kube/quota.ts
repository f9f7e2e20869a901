import { type Amounts, addAmounts, amountsOf } from './amounts.ts'
import { matchesLabels } from './label-selector.ts'
import {
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isPodLevelResource,
  podLimits,
  podRequests,
} from './pod-requests.ts'
import { Quantity } from './quantity.ts'
import type { PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'
import { isMap, type Mapping } from './unknown-value.ts'

/** The part of a ResourceQuota that applies to pods. */
export interface ResourceQuota {
  readonly name: string
  readonly hard: ResourceQuantities
  /** The object's `scopes` and `scopeSelector` together. The quota counts a pod that matches all of them. */
  readonly scopes: readonly QuotaScope[]
}

/** Resources that every container must set where a quota limits them (`validationSet`). */
const REQUIRED_BY_QUOTA = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']
const COUNTED = new Set([
  ...REQUIRED_BY_QUOTA,
  'count/pods',
  'pods',
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
])

/**
 * Whether a quota counts a pod that has its defaults filled in (`Matches`). Throws `KubeError` on a malformed scope or
 * quantity.
 */
export function quotaApplies({ hard, scopes }: ResourceQuota, spec: PodSpec): boolean {
  return Object.keys(hard).some(isCounted) && scopes.every((scope) => matchesQuotaScope(scope, spec))
}

/**
 * Returns, in words, the containers of a counted pod that lack a request or limit that the quota requires
 * (`Constraints`). A pod with pod-level resources needs none.
 */
export function missingForQuota({ hard }: ResourceQuota, spec: PodSpec): string[] {
  const pod = { ...spec.resources?.requests, ...spec.resources?.limits }
  if (Object.keys(pod).some(isPodLevelResource)) return []
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return REQUIRED_BY_QUOTA.filter((name) => Object.hasOwn(hard, name)).flatMap((name) => {
    const silent = containers.filter(({ resources }) => !containerUsage(resources).has(name))
    return silent.map((container) => `container ${container.name} sets no ${sideText(name)}`)
  })
}

/**
 * Returns what a counted pod uses of each resource in `hard` (`PodUsageFunc`). Throws `KubeError` on a malformed
 * quantity.
 */
export function quotaUsage({ hard }: ResourceQuota, spec: PodSpec): Amounts {
  const requests = Object.fromEntries(Object.entries(podRequests(spec)).map(([name, one]) => [name, one.toString()]))
  const limits = Object.fromEntries(Object.entries(podLimits(spec)).map(([name, one]) => [name, one.toString()]))
  const usage = containerUsage({ requests, limits })
  usage.set('count/pods', Quantity.of(1n, 'DecimalSI'))
  usage.set('pods', Quantity.of(1n, 'DecimalSI'))
  return new Map([...usage].filter(([name]) => Object.hasOwn(hard, name) && isCounted(name)))
}

/** Whether a quota on this resource counts pods (`MatchingResources`). */
function isCounted(name: string): boolean {
  if (COUNTED.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')) return true
  return !isNativeResource(name) && name.startsWith('requests.')
}

/** `podComputeUsageHelper`, without the pod itself. */
function containerUsage(resources: ResourceRequirements | null | undefined): Amounts {
  const usage: Amounts = new Map()
  for (const [name, amount] of amountsOf(resources?.requests)) {
    if (isExtendedResource(name)) usage.set(`requests.${name}`, amount)
    else usage.set(name, amount).set(`requests.${name}`, amount)
  }
  for (const [name, amount] of amountsOf(resources?.limits)) usage.set(`limits.${name}`, amount)
  return usage
}

function sideText(name: string): string {
  const [side, resource] = name.includes('.') ? name.split('.') : ['requests', name]
  return `${side === 'limits' ? 'limit' : 'request'} of ${resource}`
}

/** A scope of a ResourceQuota: a condition on the pods that it counts. */
export interface QuotaScope {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/**
 * Whether a pod with its defaults filled in matches a scope (`podMatchesScopeFunc`). Throws `KubeError` on an operator
 * or values that the API server would refuse.
 */
function matchesQuotaScope({ scopeName, operator, values }: QuotaScope, spec: PodSpec): boolean {
  switch (scopeName) {
    case 'Terminating':
      return isTerminating(spec)
    case 'NotTerminating':
      return !isTerminating(spec)
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort'
    case 'PriorityClass': {
      const name = spec.priorityClassName
      const labels: Record<string, string> = typeof name === 'string' && name !== '' ? { [scopeName]: name } : {}
      return matchesLabels({ matchExpressions: [{ key: scopeName, operator, values: [...(values ?? [])] }] }, labels)
    }
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(spec)
    default:
      return false
  }
}

function isTerminating({ activeDeadlineSeconds }: PodSpec): boolean {
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0
}

/** Whether pod affinity refers to other namespaces (`usesCrossNamespacePodAffinity`). */
function usesOtherNamespaces({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((side) => {
    const required = listOf(side, 'requiredDuringSchedulingIgnoredDuringExecution')
    const preferred = listOf(side, 'preferredDuringSchedulingIgnoredDuringExecution').map(
      ({ podAffinityTerm }) => podAffinityTerm,
    )
    return [...required, ...preferred].some(
      (term) =>
        isMap(term) &&
        ((Array.isArray(term.namespaces) && term.namespaces.length > 0) || (term.namespaceSelector ?? null) !== null),
    )
  })
}

function listOf(side: unknown, name: string): Mapping[] {
  const list = isMap(side) ? side[name] : undefined
  return Array.isArray(list) ? list.filter(isMap) : []
}

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const QOS_RESOURCES = ['cpu', 'memory']

/**
 * Returns the QoS class of a pod with its defaults filled in (`ComputePodQOS`): BestEffort if it has no request or
 * limit of cpu and memory, Guaranteed if every container limits both and requests the same. Pod-level resources, where
 * set, decide alone. Throws `KubeError` on a malformed quantity.
 */
export function qosClass(spec: PodSpec): QosClass {
  const isWhole = spec.resources !== undefined && spec.resources !== null
  const parts: ReadonlyArray<ResourceRequirements | null | undefined> = isWhole
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
  const requests: Amounts = new Map()
  const limits: Amounts = new Map()
  let isGuaranteed = true
  for (const part of parts) {
    addAmounts(requests, counted(part?.requests))
    const partLimits = counted(part?.limits)
    addAmounts(limits, partLimits)
    // a pod without any pod-level limit is not Guaranteed either: the comparison below excludes it
    if (partLimits.size < QOS_RESOURCES.length && (!isWhole || hasMembers(part?.limits))) isGuaranteed = false
  }
  if (requests.size + limits.size === 0) return 'BestEffort'
  const isEqual = [...requests].every(([name, amount]) => limits.get(name)?.compare(amount) === 0)
  return isGuaranteed && isEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable'
}

function counted(quantities: ResourceRequirements['limits'] | null): Amounts {
  return new Map(
    [...amountsOf(quantities)].filter(([name, amount]) => QOS_RESOURCES.includes(name) && amount.nanoValue() > 0n),
  )
}

function hasMembers(map: object | null | undefined): boolean {
  return Object.keys(map ?? {}).length > 0
}
