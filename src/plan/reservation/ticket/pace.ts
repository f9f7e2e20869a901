import type { TicketRollout } from '../../../kinds/index.ts'
import { type Finding, listNames, plural, type Subject } from '../../../krm/finding.ts'
import { formatDuration, timeText } from '../../../kube/index.ts'
import { finding } from '../codes.ts'

const SECOND = 1000
const NANO_PER_MILLI = 1_000_000n

/** A node with a Ticket after this run, as far as a rollout counts it. Times are milliseconds since the epoch. */
export interface PacedNode {
  readonly node: string
  /** When its earlier Ticket began; undefined if it has none, or that is unknown. */
  readonly begun?: number
  /** When its earlier Ticket ends or has ended; undefined if that is unknown, or nothing renews it. */
  readonly end?: number
  /** How long a new Ticket lasts that is renewed before its end, in milliseconds; undefined if none is. */
  readonly lasts?: number
  /** What becomes of its Ticket: `first` if this node has none yet, `replaced` if it would have another name. */
  readonly turn: 'first' | 'replaced' | 'same'
}

/** Which Tickets are replaced in this run. */
export interface TicketPace {
  /** Nodes that keep their earlier Ticket although it would be replaced. */
  readonly held: ReadonlySet<string>
  /** Nodes whose Ticket is renewed before its end. */
  readonly early: ReadonlySet<string>
  readonly findings: readonly Finding[]
  /** When more of them are replaced, if nothing else changes until then. */
  readonly until?: Date
}

/**
 * Bounds how many Tickets are replaced within `every`, counted by when each began. Nodes without a Ticket are never
 * held back, and count. Of the others those come first that have ended, as they reserve nothing; then those that must
 * be renewed now if all shall be renewed one interval before their end; then changes of the Order.
 */
export function paceTickets(
  nodes: readonly PacedNode[],
  rollout: TicketRollout,
  { now, subject, duration }: { now: Date; subject: Subject; duration?: bigint },
): TicketPace {
  const time = now.getTime()
  const every = Number(rollout.every / NANO_PER_MILLI)
  const most = rollout.mostOf(nodes.length)
  const isRecent = ({ turn, begun }: PacedNode) => turn === 'first' || (begun !== undefined && begun + every > time)
  const recent = nodes.filter(isRecent)
  const starts = latestStarts(nodes, Math.max(most, 1), every)
  const startOf = ({ node }: PacedNode) => starts.get(node) ?? Number.POSITIVE_INFINITY
  const hasEnded = ({ end }: PacedNode) => end !== undefined && end <= time
  const waiting = nodes.filter(
    (one) => one.turn === 'replaced' || (one.turn === 'same' && startOf(one) <= time && !isRecent(one)),
  )
  const rank = (one: PacedNode) => (hasEnded(one) ? 0 : startOf(one) <= time ? 1 : 2)
  const inOrder = waiting.sort((a, b) => rank(a) - rank(b) || order(startOf(a), startOf(b)) || order(a.node, b.node))
  // a node that changed within the interval counts once
  const counted = new Set(recent.map(({ node }) => node))
  const admitted = new Set<string>()
  for (const { node } of inOrder) {
    if (counted.size > 0 && !counted.has(node) && counted.size >= most) break
    counted.add(node)
    admitted.add(node)
  }
  const left = inOrder.filter(({ node }) => !admitted.has(node))
  const held = left.filter(({ turn }) => turn === 'replaced')
  const frees = left.length === 0 ? [] : [freeAt([...counted], admitted, nodes, { most, every, time })]
  const coming = comingStarts(nodes, { admitted, left, most: Math.max(most, 1), every, time })
  const next = [...frees, ...coming].reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
  const until = Number.isFinite(next) ? new Date(Math.ceil(next / SECOND) * SECOND) : undefined
  const early = inOrder.filter(({ turn, node }) => turn === 'same' && admitted.has(node))
  const amount = `${rollout.maxNodes} of ${plural(nodes.length, 'node')} within ${formatDuration(rollout.every)}`
  const place = { subject, field: { path: 'spec.korder.rollout' } }
  const { name } = subject.metadata
  const findings = [
    ...(held.length === 0 || until === undefined
      ? []
      : [
          finding(
            'TicketsHeldBack',
            `${name}: ${held.length} of ${plural(held.length + admitted.size - early.length, 'Ticket')} to replace stay as they are: ${listNames(held.map(({ node }) => node).sort())}. spec.korder.rollout replaces at most ${amount}; render at ${timeText(until)} or later for more`,
            { subject },
          ),
        ]),
    ...tooSlow(nodes, left.filter(hasEnded), { amount, most: Math.max(most, 1), every, duration }).map((sentence) =>
      finding('RolloutTooSlow', `${name}: ${sentence}`, place),
    ),
  ]
  return {
    held: new Set(held.map(({ node }) => node)),
    early: new Set(early.map(({ node }) => node)),
    findings,
    until,
  }
}

/**
 * Returns by node when the renewal of its Ticket must start, if each interval renews `most` and every Ticket is to be
 * renewed one interval before it ends.
 */
function latestStarts(nodes: readonly PacedNode[], most: number, every: number): Map<string, number> {
  const ending = nodes.filter((one) => one.end !== undefined && one.turn !== 'first')
  ending.sort((a, b) => order(a.end ?? 0, b.end ?? 0) || order(a.node, b.node))
  const starts = new Map<string, number>()
  const latest: number[] = []
  for (let index = ending.length - 1; index >= 0; index--) {
    const one = ending[index]
    if (one?.end === undefined) continue
    const start = Math.min(one.end, latest[index + most] ?? Number.POSITIVE_INFINITY) - every
    latest[index] = start
    starts.set(one.node, start)
  }
  return starts
}

/** Returns when the next node may change: when so many of the counted ones changed an interval ago that one fits. */
function freeAt(
  counted: readonly string[],
  admitted: ReadonlySet<string>,
  nodes: readonly PacedNode[],
  { most, every, time }: { most: number; every: number; time: number },
): number {
  const byNode = new Map(nodes.map((one) => [one.node, one]))
  const ends = counted
    .map((node) => {
      const one = byNode.get(node)
      return (admitted.has(node) || one?.turn === 'first' ? time : (one?.begun ?? time)) + every
    })
    .sort(order)
  return ends[Math.max(counted.length - Math.max(most, 1), 0)] ?? time
}

/** Returns when the renewals start that the Tickets of this run need, as the next run will see them. */
function comingStarts(
  nodes: readonly PacedNode[],
  run: { admitted: ReadonlySet<string>; left: readonly PacedNode[]; most: number; every: number; time: number },
): number[] {
  const { admitted, left, most, every, time } = run
  const isNew = ({ turn, node }: PacedNode) => turn === 'first' || admitted.has(node)
  const after = nodes.map((one): PacedNode => {
    if (!isNew(one)) return { ...one, turn: 'same' }
    const end = one.lasts === undefined ? undefined : time + one.lasts
    return { ...one, turn: 'same', begun: time, end }
  })
  const starts = latestStarts(after, most, every)
  const waiting = new Set(left.map(({ node }) => node))
  return after.flatMap(({ node, begun = 0 }) => {
    const start = starts.get(node)
    return start === undefined || waiting.has(node) ? [] : [Math.max(start, begun + every)]
  })
}

/** Says that Tickets have ended and wait, or that they will, because the rollout renews too few of them. */
function tooSlow(
  nodes: readonly PacedNode[],
  ended: readonly PacedNode[],
  { amount, most, every, duration }: { amount: string; most: number; every: number; duration?: bigint },
): string[] {
  const millis = Math.ceil(nodes.length / most) * every
  const all = BigInt(millis) * NANO_PER_MILLI
  const isLong = duration !== undefined && nodes.length > 0 && all >= duration
  return [
    ...(ended.length === 0
      ? []
      : [
          `${plural(ended.length, 'Ticket')} ${ended.length === 1 ? 'has' : 'have'} ended, and spec.korder.rollout, at most ${amount}, leaves ${ended.length === 1 ? 'it' : 'them'} for later: ${listNames(ended.map(({ node }) => node).sort())}`,
        ]),
    ...(isLong
      ? [
          `spec.korder.rollout, at most ${amount}, takes ${formatDuration(all)} for all Tickets, and each lasts ${formatDuration(duration)}: some end before they are renewed`,
        ]
      : []),
  ]
}

function order<T extends string | number>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0
}
