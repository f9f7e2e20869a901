import { podSpecOf } from '../../core/object/index.ts'
import { plural } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  daemonTolerations,
  type NodeIdentity,
  type NodeSelectorRequirement,
  type PodSpec,
  podRequests,
  type Quantity,
  type Region,
  tolerates,
  unlessMalformed,
  untoleratedTaint,
  withDefaultRequests,
} from '../../kube/index.ts'
import { placeOf } from '../place.ts'
import { asKarpenter, isWellKnown } from './label-keys.ts'
import type { Launch, Pool } from './node-pool.ts'
import { addWant, allMeet, mayLack, type Wanted, type Wants, wantedOf } from './wanted.ts'

/** A rendered DaemonSet, as Karpenter counts it and as it runs. */
export interface Agent {
  readonly pod: PodSpec
  readonly requests: Readonly<Record<string, Quantity>>
  readonly region: Region
  /** Every label key that its constraints name, as written. */
  readonly keys: readonly string[]
  /** What Karpenter requires, one entry for each term; it ignores matchFields. */
  readonly terms: readonly Wants[]
}

/** Returns the agent of a DaemonSet; undefined where the DaemonSet cannot be read. */
export function agentOf(object: KubernetesObject): Agent | undefined {
  const pod = podSpecOf(object)
  const region = placeOf(object)
  const requests = unlessMalformed(() => podRequests(withDefaultRequests(pod)))
  if (region === undefined || requests === undefined) return undefined
  const selected = Object.entries(pod.nodeSelector ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }))
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const terms =
    required.length === 0
      ? [selected]
      : required.map(({ matchExpressions }) => [...selected, ...(matchExpressions ?? [])])
  const keys = [...new Set(terms.flat().map(({ key }) => key))]
  return { pod, requests, region, keys, terms: terms.map(wantsOfTerm) }
}

function wantsOfTerm(requirements: readonly NodeSelectorRequirement[]): Wants {
  const wants = new Map<string, Wanted>()
  for (const { key, operator, values } of requirements) {
    const wanted = wantedOf(operator, values ?? [])
    if (wanted !== undefined) addWant(wants, asKarpenter(key), wanted)
  }
  return wants
}

/** Whether the agent tolerates every taint of the pool, by Karpenter's rules. */
export function isTolerated({ pod }: Agent, { taints }: Pool): boolean {
  const options = { comparisonOperators: true }
  return taints.every((taint) => (pod.tolerations ?? []).some((one) => tolerates(one, taint, options)))
}

/**
 * Returns the terms by which Karpenter counts the agent on a node (`isDaemonPodCompatible`); before 1.14 it ignores the
 * instance type.
 */
export function termsThatCount({ terms }: Agent, { pool, typeWants }: Launch, isByType: boolean): number[] {
  return terms.flatMap((asked, index) =>
    isInPool(pool.wants, asked) && (!isByType || allMeet(typeWants, asked)) ? [index] : [],
  )
}

/** Whether a node of the type could match, in any pool. */
export function mayBeOn({ terms }: Agent, typeWants: Wants): boolean {
  return terms.some((asked) => allMeet(typeWants, asked))
}

/**
 * Whether the pool has what is asked; it must define a label that Karpenter does not know, unless the label may be
 * absent (`Requirements.Compatible`).
 */
function isInPool(pool: Wants, asked: Wants): boolean {
  for (const [key, wanted] of asked) if (!isWellKnown(key) && !pool.has(key) && !mayLack(wanted)) return false
  return allMeet(pool, asked)
}

/** Whether the DaemonSet controller starts the agent on a node of the pool. */
export function runsOn({ region, pod }: Agent, node: NodeIdentity, { taints }: Pool): boolean {
  return (
    region.has(node) && untoleratedTaint([...taints], daemonTolerations(pod), ['NoSchedule', 'NoExecute']) === undefined
  )
}

/** The total requests of several agents on one node. */
export interface Sum {
  readonly pods: number
  readonly requests: Readonly<Record<string, Quantity>>
}

/** Returns the sum of the agents' requests. */
export function sumOf(agents: readonly Agent[]): Sum {
  const requests: Record<string, Quantity> = {}
  for (const agent of agents)
    for (const [name, amount] of Object.entries(agent.requests)) requests[name] = requests[name]?.plus(amount) ?? amount
  return { pods: agents.length, requests }
}

/** Returns a text that is the same for equal sums. */
export function sumKey({ pods, requests }: Sum): string {
  const amounts = Object.entries(requests).map(([name, amount]) => `${name} ${amount.nanoValue()}`)
  return [pods, ...amounts.filter((text) => !text.endsWith(' 0')).sort()].join(', ')
}

/** Formats the sum: `2 pods (cpu 300m, memory 540Mi)`. */
export function sumText({ pods, requests }: Sum): string {
  const amounts = ['cpu', 'memory'].flatMap((name) =>
    requests[name] === undefined ? [] : [`${name} ${requests[name]}`],
  )
  return amounts.length === 0 ? plural(pods, 'pod') : `${plural(pods, 'pod')} (${amounts.join(', ')})`
}
