import { indexBy } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { mergeNodes, type Nodes, nodeCountOf } from '../facts/inventory/index.ts'
import { listNames, plural } from '../krm/finding.ts'
import { type PodSpec, podRequests, Quantity, unlessMalformed, withDefaultRequests } from '../kube/index.ts'
import type { AgentStop, Change, PlannedChanges } from './change.ts'

/** What the change of one object does to the pods that run on today's nodes; those that nothing shows are apart. */
export interface Restart {
  /** Pods that restart, since their template differs; with OnDelete, only after someone deletes them. */
  readonly pods: number
  /** Nodes that come from another object, where a new pod starts: their old pod stops. */
  readonly moved: number
  /** Nodes that lose their agent for longer than one pod start. */
  readonly lost: number
  /** Nodes where a pod that nothing shows restarts, if it runs there. */
  readonly mayRestart: number
  /** Nodes that lose an agent that nothing shows, if it runs there. */
  readonly mayLose: number
  readonly isOnDelete: boolean
}

/** Returns what restarts for each object of a subject that is added, changed or removed. */
export function restartsOf({ changes, stops }: Pick<PlannedChanges, 'changes' | 'stops'>): Map<Change, Restart> {
  const byChange = indexBy(stops, ({ change }) => change)
  return new Map(
    changes.flatMap((change): Array<[Change, Restart]> => {
      const { kind, isNeverApplied } = change
      // an object that is never applied has no pods
      if (kind === 'unchanged' || kind === 'released' || isNeverApplied === true) return []
      const restart = restartOf(byChange.get(change) ?? [])
      if (kind === 'removed' && restart.lost + restart.mayLose === 0) return []
      return [[change, restart]]
    }),
  )
}

/**
 * Returns what happens to nodes that go back to the template's own DaemonSet, which no change of a subject shows;
 * undefined where none do.
 */
export function restartOfTemplate({
  stops,
}: Pick<PlannedChanges, 'stops'>): (Restart & Pick<Nodes, 'nodeCount'>) | undefined {
  const found = stops.filter(({ change }) => change === undefined)
  return found.length === 0 ? undefined : { ...restartOf(found), nodeCount: nodeCountOf(found) }
}

function restartOf(found: readonly AgentStop[]): Restart {
  const count = (is: (stop: AgentStop) => boolean) => nodeCountOf(found.filter(is))
  const restarts = ({ cause, length }: AgentStop) => cause === 'restart' && !isLost({ length })
  return {
    pods: count((stop) => stop.isShown && restarts(stop)),
    moved: count(({ cause, length, isShown }) => isShown && cause === 'move' && !isLost({ length })),
    lost: count((stop) => stop.isShown && isLost(stop)),
    mayRestart: count((stop) => !stop.isShown && restarts(stop)),
    mayLose: count(mayLose),
    isOnDelete: found.some(({ length }) => length === 'onDelete'),
  }
}

/**
 * Whether nodes lose an agent that nothing shows: one that stayed when a taint came later. By adoption they are not
 * counted: nothing shows that the static DaemonSet ever ran there, and NoNewPods names them.
 */
function mayLose(stop: AgentStop): boolean {
  return !stop.isShown && stop.cause !== 'adoption' && isLost(stop)
}

/** Whether nodes are without an agent for longer than one pod start. */
function isLost({ length }: Pick<AgentStop, 'length'>): boolean {
  return length === 'forGood' || length === 'untilReady' || length === 'laterWave'
}

/** How long nodes are without an agent in words, for one node and for several, the longest first. */
const LENGTHS = {
  forGood: ['for good', 'for good'],
  untilReady: ['until it is ready', 'until they are ready'],
  laterWave: ['until a later sync wave', 'until a later sync wave'],
  oneStart: ['for one pod start at most', 'for one pod start each at most'],
} as const

/**
 * Returns how many nodes lose their agent and for how long, such as `3 nodes lose their agent: 2 for good, 1 until it
 * is ready`, and apart those where nothing shows one; undefined where none loses it for longer than one pod start.
 */
export function lostAgentsText(stops: readonly AgentStop[]): string | undefined {
  return lossesText(stops, (some) =>
    byLength(some)
      .map(([length, own]) => countText(length, own))
      .join(', '),
  )
}

/**
 * Returns the same in full: a part for each reason, with what stops the pods and the first names of the nodes;
 * undefined where none loses it for longer than one pod start.
 */
export function lostAgentsSentence(stops: readonly AgentStop[]): string | undefined {
  return lossesText(stops, (some) => byLength(some).flatMap(reasonTexts).join('; '))
}

/** Returns the stops that these texts are about: none where no node loses its agent for longer than one pod start. */
export function lossesIn(stops: readonly AgentStop[]): readonly AgentStop[] {
  const shown = stops.filter(({ isShown, length }) => isShown && length in LENGTHS)
  return [...(shown.some(isLost) ? shown : []), ...stops.filter(mayLose)]
}

function reasonTexts([length, all]: readonly [Length, readonly AgentStop[]]): string[] {
  return [...indexBy(all, ({ reason = '' }) => reason)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([reason, alike]) => {
      const { nodes, nodeCount } = mergeNodes(alike)
      const leftOut = [...new Set(alike.flatMap((stop) => stop.leftOut ?? []))]
      const others = leftOut.length === 0 ? '' : ` in this run, which leaves out ${listNames(leftOut)}`
      const why = [...(reason === '' ? [] : [`, where ${reason}${others}`]), ...causesText(alike)].join('')
      const names = nodes.length === 0 ? '' : `: ${listNames([...nodes].sort(), MOST_NAMES, nodeCount)}`
      return `${countText(length, alike)}${why}${names}`
    })
}

const MOST_NAMES = 3

function lossesText(
  stops: readonly AgentStop[],
  partsText: (stops: readonly AgentStop[]) => string,
): string | undefined {
  const losses = lossesIn(stops)
  const [shown, others] = [true, false].map((is) => losses.filter(({ isShown }) => isShown === is))
  const lose = (all: readonly AgentStop[]) =>
    `${plural(nodeCountOf(all), 'node')} ${nodeCountOf(all) === 1 ? 'loses its' : 'lose their'} agent`
  if (shown === undefined || others === undefined || losses.length === 0) return undefined
  if (shown.length === 0) return `${lose(others)} if one runs there: ${partsText(others)}`
  const more = others.length === 0 ? '' : `; ${nodeCountOf(others)} more if one runs there: ${partsText(others)}`
  return `${lose(shown)}: ${partsText(shown)}${more}`
}

type Length = keyof typeof LENGTHS

function byLength(stops: readonly AgentStop[]): Array<[Length, readonly AgentStop[]]> {
  const known = indexBy(stops, ({ length }) => length)
  return (Object.keys(LENGTHS) as Length[]).flatMap((length) => {
    const own = known.get(length)
    return own === undefined ? [] : [[length, own] as [Length, readonly AgentStop[]]]
  })
}

function countText(length: Length, stops: readonly AgentStop[]): string {
  const count = nodeCountOf(stops)
  return `${count} ${LENGTHS[length][count === 1 ? 0 : 1]}`
}

const CAUSES: Partial<Record<AgentStop['cause'], string>> = {
  adoption: 'by adoption',
  move: 'by a move',
  restart: 'by a restart',
}

/** Formats what stops the pods; nothing for a removal, whose reason says it. */
function causesText(stops: readonly AgentStop[]): string[] {
  const counts = Object.entries(CAUSES).flatMap(([cause, words]) => {
    const count = nodeCountOf(stops.filter((stop) => stop.cause === cause))
    return count === 0 ? [] : [`${count} ${words}`]
  })
  return counts.length === 0 ? [] : [` (${counts.join(', ')})`]
}

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
function isMore({ before, after }: Growth, resource: keyof Requests): boolean {
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
