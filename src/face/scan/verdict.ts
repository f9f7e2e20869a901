import { plural } from '../../krm/finding/index.ts'
import type { Container, PodSpec } from '../../kube/index.ts'
import { amountText, rangeText, readUnits } from './amounts.ts'
import { type PodUsage, p95 } from './pod-usage.ts'
import type { Amounts, NodeShare, Used, Verdict } from './types.ts'

/** What decides the verdict. */
export interface VerdictFacts {
  readonly pod: PodSpec
  readonly request: Amounts
  readonly used: Used | undefined
  readonly measured: readonly PodUsage[]
  readonly smallest: NodeShare | undefined
  readonly largest: NodeShare | undefined
  readonly owner: string
  readonly left: string | undefined
  readonly killed: number
  readonly waiting: number
}

const STARVED_PERCENT = 90n
const WASTEFUL_PERCENT = 30n
const UNEVEN_TIMES = 4n
const RESOURCES = ['cpu', 'memory'] as const
/** Owners that apply a DaemonSet from sources which no user of the cluster has. */
const ADD_ONS =
  /^(?:Kubernetes addon manager|EKS add-on|kubeadm add-on|AKS|kOps add-on|k3s ServiceLB|Rancher object set|OLM |controller |operator )/

/** Returns the verdict on a DaemonSet, and its figures in words. */
export function verdictOf(facts: VerdictFacts): { readonly verdict: Verdict; readonly why: string } {
  const starved = starvedBy(facts)
  const managed = ADD_ONS.test(facts.owner) ? `its size is set by the ${facts.owner}` : undefined
  const left = facts.left ?? managed
  if (starved !== undefined) return { verdict: 'starved', why: left === undefined ? starved : `${starved}; ${left}` }
  if (left !== undefined) return { verdict: 'leave it', why: left }
  const wasted = wastedBy(facts)
  const uneven = unevenBy(facts)
  if (uneven !== undefined) return { verdict: 'uneven', why: wasted === undefined ? uneven : `${uneven}; ${wasted}` }
  if (wasted !== undefined) return { verdict: 'wasteful', why: wasted }
  return { verdict: 'fine', why: facts.used === undefined ? 'its usage is not known' : 'as far as one moment shows' }
}

function starvedBy({ pod, measured, killed, waiting }: VerdictFacts): string | undefined {
  if (killed > 0) return `${plural(killed, 'pod')} had a container killed for want of memory (OOMKilled)`
  if (waiting > 0)
    return `${plural(waiting, 'pod')} ${waiting === 1 ? 'waits' : 'wait'} for room on ${waiting === 1 ? 'its node' : 'their nodes'}`
  for (const container of containersOf(pod))
    for (const resource of RESOURCES) {
      const limit = readUnits(resource, container.resources?.limits?.[resource])
      const used = p95(measured.flatMap((usage) => usage.get(container.name)?.[resource] ?? []))
      if (limit !== undefined && limit > 0n && used !== undefined && used * 100n > limit * STARVED_PERCENT)
        return `${container.name} uses ${amountText(resource, used)} of its ${resource} limit of ${amountText(resource, limit)}`
    }
  return undefined
}

function unevenBy({ request, smallest, largest }: VerdictFacts): string | undefined {
  if (smallest === undefined || largest === undefined) return undefined
  for (const resource of RESOURCES) {
    const [low, high] = [smallest.allocatable[resource], largest.allocatable[resource]]
    if (request[resource] > 0n && low > 0n && high > low * UNEVEN_TIMES)
      return `${amountText(resource, request[resource])} of ${resource} on nodes of ${rangeText(resource, low, high)}`
  }
  return undefined
}

function wastedBy({ request, used }: VerdictFacts): string | undefined {
  if (used === undefined) return undefined
  const wasted = RESOURCES.filter((resource) => used[resource] * 100n < request[resource] * WASTEFUL_PERCENT).map(
    (resource) => `${amountText(resource, used[resource])} of ${amountText(resource, request[resource])} ${resource}`,
  )
  return wasted.length === 0 ? undefined : `at this moment it uses ${wasted.join(' and ')}`
}

function containersOf({ containers, initContainers }: PodSpec): Container[] {
  return [containers, initContainers].flatMap((list) => (Array.isArray(list) ? list : []))
}
