import { podSpecOf } from '../core/object/index.ts'
import { type PodSpec, podRequests, Quantity, unlessMalformed, withDefaultRequests } from '../kube/index.ts'
import type { PlannedChanges } from './change.ts'

/** What pods request. */
export interface Requests {
  readonly cpu: Quantity
  readonly memory: Quantity
}

/** The requests of the pods on some nodes, before and after. */
export interface Growth {
  readonly nodeCount: number
  readonly before: Requests
  readonly after: Requests
}

/** The same of the nodes that one rendered object serves now. */
export interface GroupGrowth extends Growth {
  readonly name: string
}

const RESOURCES = ['cpu', 'memory'] as const
/** A total of more than 5/4 of what it was is a finding. */
const LIMIT = { numerator: 5n, denominator: 4n }

/**
 * Returns what the pods of a subject request before and after on the same nodes, where cpu or memory grows by more than
 * a quarter, and the groups that add most to that, those first. A node counts if a pod runs there before and after, and
 * did not join since earlier output was written. Undefined where nothing grows, and where what ran is not known.
 */
export function growthOf({
  changes,
  pods,
}: PlannedChanges): { total: Growth; groups: readonly GroupGrowth[] } | undefined {
  if (changes.every(({ kind }) => kind === 'unchanged')) return undefined
  const requests = requestsReader()
  const grown: GroupGrowth[] = []
  for (const { before: was, after: is, runsBefore, runsAfter, nodeCount } of pods) {
    if (was === undefined || is === undefined || !runsBefore || !runsAfter || was.hadNoNodes) continue
    const [before, after] = [requests(was.pod), requests(podSpecOf(is.object))]
    if (before === undefined || after === undefined) return undefined
    const times = (one: Requests) => timesNodes(one, nodeCount)
    grown.push({ name: is.object.metadata.name, nodeCount, before: times(before), after: times(after) })
  }
  const total = grown.reduce<Growth>(plus, NOTHING)
  if (!RESOURCES.some((resource) => isMore(total, resource))) return undefined
  const byName = new Map<string, GroupGrowth>()
  for (const { name, ...one } of grown) byName.set(name, { name, ...plus(byName.get(name) ?? NOTHING, one) })
  const groups = [...byName.values()].filter((one) => weightOf(one, total) > 0)
  return { total, groups: groups.sort((a, b) => weightOf(b, total) - weightOf(a, total) || (a.name < b.name ? -1 : 1)) }
}

/** Reads the requests of pods, each once; undefined for amounts that a user made unreadable. */
export function requestsReader(): (pod: PodSpec) => Requests | undefined {
  const known = new Map<PodSpec, Requests | undefined>()
  return (pod) => {
    if (!known.has(pod)) known.set(pod, requestsOf(pod))
    return known.get(pod)
  }
}

function requestsOf(pod: PodSpec): Requests | undefined {
  const requests = unlessMalformed(() => podRequests(withDefaultRequests(pod)))
  return requests && { cpu: requests.cpu ?? ZERO, memory: requests.memory ?? ZERO }
}

const ZERO = Quantity.of(0n, 'DecimalSI')
const NOTHING: Growth = { nodeCount: 0, before: { cpu: ZERO, memory: ZERO }, after: { cpu: ZERO, memory: ZERO } }

function timesNodes({ cpu, memory }: Requests, nodes: number): Requests {
  return { cpu: cpu.times(BigInt(nodes)), memory: memory.times(BigInt(nodes)) }
}

function plus(left: Growth, right: Growth): Growth {
  const sum = (a: Requests, b: Requests) => ({ cpu: a.cpu.plus(b.cpu), memory: a.memory.plus(b.memory) })
  return {
    nodeCount: left.nodeCount + right.nodeCount,
    before: sum(left.before, right.before),
    after: sum(left.after, right.after),
  }
}

/** Whether a resource grows by more than a quarter. */
export function isMore({ before, after }: Growth, resource: keyof Requests): boolean {
  return after[resource].nanoValue() * LIMIT.denominator > before[resource].nanoValue() * LIMIT.numerator
}

/** The part of what the fleet's pods requested before that a group adds, of the resources that grow too much. */
function weightOf(group: Growth, total: Growth): number {
  const parts = RESOURCES.filter((resource) => isMore(total, resource)).map((resource) => {
    const was = Number(total.before[resource].nanoValue())
    const more = Number(group.after[resource].nanoValue() - group.before[resource].nanoValue())
    return was === 0 ? Number(more > 0) : more / was
  })
  return parts.reduce((sum, part) => sum + part, 0)
}
