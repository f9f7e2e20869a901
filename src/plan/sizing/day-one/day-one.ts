import { type DayAgent, type DayContainer, type Divisible, divisible, type Part } from './parts.ts'
import { type Axis, cellsOf, type NodeSizes } from './steps.ts'

/** What is to be done with an agent, by the first look at it. */
export type DayVerdict = 'starved' | 'leave it' | 'not measured' | 'unset' | 'lower' | 'raise' | 'uneven' | 'fine'

/** An agent, and what is known of it besides its use. */
export interface Judged extends DayAgent {
  /** In words: why it is better left alone, whatever it uses. */
  readonly leave?: string | undefined
  /** In words: what it lacks, where its containers are killed, reach a limit, or a pod waits for room. */
  readonly starved?: string | undefined
}

/** What is proposed for an agent. */
export interface Proposal {
  readonly verdict: DayVerdict
  /** Whether a policy is to be written: groups of its own pay, and nothing says to leave it. */
  readonly isWritten: boolean
  /** The parts of the axis that get a size each; those without a node of it, too. */
  readonly parts: readonly Part[]
  /** What all its pods request today and with these sizes: thousandths of a core times 4096, Mi times 1000. */
  readonly today: number
  readonly after: number
  /** The least cost with one group, two, and so on, as far as the classes allow. */
  readonly curve: readonly number[]
  /** The limit of memory of each container in Mi, where it is to be more than today's. */
  readonly limits: ReadonlyArray<number | undefined>
}

/** What the first look at a cluster gives. */
export interface DayOne {
  readonly axis: Axis
  /** The steps at which a class begins, the first of them left out. */
  readonly cuts: readonly number[]
  /** For each agent, in the order given. */
  readonly proposals: readonly Proposal[]
}

/** At most so many bounds divide a cluster into classes. */
const MOST_CUTS = 3

/**
 * Returns sizes for all agents of a cluster from what is known of their use: one set of classes, of which each agent
 * uses those that pay for it. Of equal answers that with fewer groups, then smaller bounds, then the first axis wins.
 */
export function dayOne(agents: readonly Judged[], nodes: readonly NodeSizes[], axes: readonly Axis[]): DayOne {
  const cells = cellsOf(nodes)
  const choices = axes.map((axis) => {
    const all = agents.map((agent) => divisible(agent, axis, cells))
    const counted = all.filter((_, at) => isMeasured(agents[at]) && agents[at]?.leave === undefined)
    return { axis, all, ...bestCuts(counted, axis) }
  })
  const best = choices.reduce((one, other) => (other.cost < one.cost ? other : one))
  return {
    axis: best.axis,
    cuts: best.cuts,
    proposals: best.all.map((one, at) => proposalOf(agents[at] as Judged, one, best.axis, best.cuts)),
  }
}

function isMeasured(agent: Judged | undefined): boolean {
  return agent?.containers.some(({ kind }) => kind !== undefined) === true
}

interface Cuts {
  readonly cuts: readonly number[]
  /** What all agents cost with these, each group more with what it has to save. */
  readonly cost: number
}

function bestCuts(agents: readonly Divisible[], { count }: Axis): Cuts {
  let best: Cuts = { cuts: [], cost: Number.POSITIVE_INFINITY }
  for (const cuts of choicesOf(count, MOST_CUTS)) {
    const cost = agents.reduce((sum, agent) => sum + divide(agent, cuts, count).weight, 0)
    if (cost < best.cost) best = { cuts, cost }
  }
  return best
}

/** All choices of some bounds between steps, those with fewer and smaller bounds first. */
function choicesOf(count: number, most: number): number[][] {
  const ofLength = (length: number, from: number): number[][] => {
    if (length === 0) return [[]]
    const firsts = Array.from({ length: Math.max(0, count - from) }, (_, at) => from + at)
    return firsts.flatMap((first) => ofLength(length - 1, first + 1).map((others) => [first, ...others]))
  }
  return Array.from({ length: most + 1 }, (_, length) => ofLength(length, 1)).flat()
}

interface Division {
  readonly parts: readonly Part[]
  readonly cost: number
  readonly groups: number
  /** The cost, and what each group more has to save. */
  readonly weight: number
}

/** The division of an agent that pays most, of the classes between some bounds. */
function divide(agent: Divisible, cuts: readonly number[], count: number): Division {
  return divisions(agent, cuts, count).reduce((best, one) => (one.weight < best.weight ? one : best))
}

function divisions(agent: Divisible, cuts: readonly number[], count: number): Division[] {
  return subsets(cuts).map((own) => {
    const ends = [0, ...own, count]
    const parts = own.concat(count).map((to, at) => agent.part(ends[at] ?? 0, to))
    const cost = parts.reduce((sum, part) => sum + part.cost, 0)
    const groups = parts.filter(({ nodes }) => nodes > 0).length
    return { parts, cost, groups, weight: cost + agent.threshold * Math.max(0, groups - 1) }
  })
}

function subsets(cuts: readonly number[]): number[][] {
  const all: number[][] = [[]]
  for (const cut of cuts) all.push(...all.map((one) => [...one, cut]))
  return all.sort((a, b) => a.length - b.length)
}

function proposalOf(agent: Judged, own: Divisible, axis: Axis, cuts: readonly number[]): Proposal {
  const { parts, cost, groups } = divide(own, cuts, axis.count)
  const limits = agent.containers.map(limitOf)
  const verdict = verdictOf(agent, own, { parts, cost, groups })
  const isLeft = agent.leave !== undefined || verdict === 'not measured'
  // what requests nothing can save nothing: its sizes are what it needs
  const pays = verdict === 'unset' ? isSized(parts) : isPaying(own, parts, cost)
  return {
    verdict,
    isWritten: !isLeft && groups > 1 && pays,
    parts,
    today: own.today,
    after: cost,
    curve: curveOf(divisions(own, cuts, axis.count)),
    limits,
  }
}

/** The first row of the table of verdicts that fits (docs/daemonset/scan.md). */
function verdictOf(
  agent: Judged,
  own: Divisible,
  { parts, cost, groups }: Pick<Division, 'parts' | 'cost' | 'groups'>,
): DayVerdict {
  if (agent.leave !== undefined) return 'leave it'
  if (agent.starved !== undefined) return 'starved'
  if (!isMeasured(agent)) return 'not measured'
  if (agent.containers.every(({ request }) => (request.cpu ?? request.memory) === undefined)) return 'unset'
  if (!isPaying(own, parts, cost)) return 'fine'
  if (groups > 1) return 'uneven'
  return cost < own.today ? 'lower' : 'raise'
}

function isSized(parts: readonly Part[]): boolean {
  return parts.some(({ sizes }) => sizes.some(({ cpu, memory }) => (cpu ?? memory) !== undefined))
}

/** Whether sizes save enough to be worth a change, or half of the pods of a part need more than they request. */
function isPaying(own: Divisible, parts: readonly Part[], cost: number): boolean {
  return own.today - cost >= own.threshold || parts.some((part) => part.nodes > 0 && own.isShort(part))
}

function curveOf(all: readonly Division[]): number[] {
  const most = Math.max(...all.map(({ groups }) => groups))
  return Array.from({ length: Math.max(1, most) }, (_, at) =>
    Math.min(...all.filter(({ groups }) => groups <= at + 1).map(({ cost }) => cost)),
  )
}

/** Twice the peak, where that is more than today's limit; what follows its limit keeps it, unless it was killed. */
function limitOf({ limit, pods, followsLimit, isKilled }: DayContainer): number | undefined {
  if (limit.memory === undefined) return undefined
  if (isKilled === true) return 2 * Math.max(limit.memory, ...pods.map(({ peak }) => peak))
  if (followsLimit === true) return undefined
  const wanted = Math.ceil(2 * Math.max(0, ...pods.map(({ peak }) => peak)))
  return wanted > limit.memory ? wanted : undefined
}
