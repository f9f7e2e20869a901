import { type Amounts, amountsOf } from './amounts.ts'
import { podLimits, podRequests } from './pod-requests.ts'
import { Quantity } from './quantity.ts'
import { matchesQuotaScope, type QuotaScope } from './quota-scope.ts'
import { isExtendedResource, isHugePages, isNativeResource, isPodLevelResource } from './resource-name.ts'
import type { PodSpec, ResourceQuantities, ResourceRequirements } from './types.ts'

/** A ResourceQuota as far as it is about pods. */
export interface ResourceQuota {
  readonly name: string
  readonly hard: ResourceQuantities
  /** All of them must hold for a pod to be counted; `scopes` and `scopeSelector` of the object together. */
  readonly scopes: readonly QuotaScope[]
}

/** What each container must say itself where a quota counts it (`validationSet`). */
const MUST_BE_SAID = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']
const COUNTED = new Set([
  ...MUST_BE_SAID,
  'count/pods',
  'pods',
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
])

/** Whether a quota counts a pod with its defaults filled in (`Matches`). Throws `KubeError` on a malformed scope or quantity. */
export function quotaApplies({ hard, scopes }: ResourceQuota, spec: PodSpec): boolean {
  return Object.keys(hard).some(isCounted) && scopes.every((scope) => matchesQuotaScope(scope, spec))
}

/**
 * What a quota asks each container of a counted pod to say and which one does not, in words (`Constraints`). A pod that sets
 * resources as a whole need not.
 */
export function missingForQuota({ hard }: ResourceQuota, spec: PodSpec): string[] {
  const pod = { ...spec.resources?.requests, ...spec.resources?.limits }
  if (Object.keys(pod).some(isPodLevelResource)) return []
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  return MUST_BE_SAID.filter((name) => Object.hasOwn(hard, name)).flatMap((name) => {
    const silent = containers.filter(({ resources }) => !containerUsage(resources).has(name))
    return silent.map((container) => `container ${container.name} sets no ${sideText(name)}`)
  })
}

/** What a counted pod takes of each resource that the quota limits (`PodUsageFunc`). Throws `KubeError` on a malformed quantity. */
export function quotaUsage({ hard }: ResourceQuota, spec: PodSpec): Amounts {
  const requests = Object.fromEntries(Object.entries(podRequests(spec)).map(([name, one]) => [name, one.toString()]))
  const limits = Object.fromEntries(Object.entries(podLimits(spec)).map(([name, one]) => [name, one.toString()]))
  const usage = containerUsage({ requests, limits })
  usage.set('count/pods', Quantity.of(1n, 'DecimalSI'))
  usage.set('pods', Quantity.of(1n, 'DecimalSI'))
  return new Map([...usage].filter(([name]) => Object.hasOwn(hard, name) && isCounted(name)))
}

/** Whether a quota on the resource is one on pods (`MatchingResources`). */
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
