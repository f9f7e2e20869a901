/** What can be known of agents on the first day, sizes made of it by the function itself, and sixty days under them. */
import { dayOne, type Judged, type Proposal } from '../../src/plan/sizing/day-one/day-one.ts'
import { type Axis, axisBy } from '../../src/plan/sizing/day-one/steps.ts'
import { Draw } from '../usage/fleet.ts'
import { FLEETS } from './fleets.ts'
import {
  type Course,
  coursesOf,
  KINDS,
  lifeAt,
  nodesOf,
  type SimNode,
  STEPS,
  STEPS_PER_DAY,
  STEPS_PER_HOUR,
  type Template,
} from './world.ts'

/** When the look is taken: a Tuesday, 10:00, or a Sunday, 4:00. */
export const MOMENTS = {
  tuesday: 15 * STEPS_PER_DAY + 10 * STEPS_PER_HOUR,
  sunday: 20 * STEPS_PER_DAY + 4 * STEPS_PER_HOUR,
} as const
export type Evidence = 'Sample' | 'Days'

/** What came of sizes: cores and GiB requested, pod-steps, those above requests, kills. */
export interface Score {
  readonly cores: number
  readonly gib: number
  readonly steps: number
  readonly aboveCpu: number
  readonly aboveMemory: number
  readonly kills: number
}

/** One agent of a fleet, with today's sizes and with those of the look. */
export interface Outcome {
  readonly kind: string
  readonly followsLimit: boolean
  readonly verdict: string
  readonly groups: number
  readonly today: Score
  readonly sized: Score
}

const HISTORY = 14 * STEPS_PER_DAY
const TRUTH = 60 * STEPS_PER_DAY

/** How much memory a leak has taken at a step: it grows since the start, or since the limit was reached. */
function leaked(kind: string, node: SimNode, step: number, limit: number): number {
  const perHour = KINDS[kind]?.leak
  if (perHour === undefined) return 0
  const { from, born } = lifeAt(node, step) ?? { from: step, born: step }
  const rate = perHour / STEPS_PER_HOUR
  const period = Math.max((limit - 100) / rate, STEPS_PER_HOUR)
  return ((step - Math.min(from, born)) % period) * rate
}

/** The working set of a container under a limit, as it is measured. */
function observed(kind: string, { node, memory, seen }: Course, step: number, limit: number): number {
  const { cache, hasHeap } = KINDS[kind] ?? {}
  let shown = (seen[step] ?? 0) + leaked(kind, node, step, limit)
  if (hasHeap) shown = heapOf(memory[step] ?? 0, limit)
  if (cache !== undefined) shown = Math.min(shown + cache, Math.max(shown, 0.95 * limit))
  return Math.min(shown, limit)
}

const heapOf = (memory: number, limit: number) => Math.max(memory, Math.min(0.8 * limit, memory * 6))
const sorted = (values: ArrayLike<number>) => Float64Array.from(values).sort()

/** The second-busiest day of the sixteenth-busiest steps of each. */
function ofDays(at: (step: number) => number, until: number): number {
  const days = Array.from({ length: HISTORY / STEPS_PER_DAY }, (_, day) => {
    const first = until - HISTORY + day * STEPS_PER_DAY
    return (
      sorted(Array.from({ length: STEPS_PER_DAY }, (_, step) => at(first + step)))[Math.floor(0.9 * STEPS_PER_DAY)] ?? 0
    )
  })
  return sorted(days).at(-2) ?? 0
}

/** Sizes all agents of a fleet by what is known at a moment, and follows them. */
export function outcomesOf(fleet: string, seed: number, evidence: Evidence, at: number = MOMENTS.tuesday): Outcome[] {
  const of = FLEETS[fleet]
  if (of === undefined) throw new Error(`no fleet ${fleet}`)
  const all = nodesOf(of, seed)
  const live = all.filter(({ joinsAt }) => joinsAt <= at)
  const draw = new Draw(seed * 31 + 9)
  const axes = (['memory', 'cpu'] as const).map((by) =>
    axisBy(
      by,
      live.map((node) => node[by]),
    ),
  )
  const agents = Object.keys(KINDS).flatMap((kind) => {
    const courses = coursesOf(kind, all, seed)
    return courses.length === 0 ? [] : [{ kind, courses, judged: judgedOf(kind, courses, live, evidence, at, draw) }]
  })
  const day = dayOne(
    agents.map(({ judged }) => judged),
    live,
    axes,
  )
  return agents.map(({ kind, courses, judged }, index) => {
    const proposal = day.proposals[index] as Proposal
    const [container] = judged.containers
    const template = KINDS[kind]?.template as Template
    const isFine = proposal.verdict === 'fine'
    return {
      kind,
      followsLimit: container?.followsLimit === true,
      verdict: proposal.verdict,
      groups: isFine ? 0 : proposal.parts.filter(({ nodes }) => nodes > 0).length,
      today: scoreOf(kind, courses, () => template, at),
      sized: scoreOf(
        kind,
        courses,
        (node) => (isFine ? template : sizesOn(node, live, day.axis, proposal, template)),
        at,
      ),
    }
  })
}

function judgedOf(
  kind: string,
  courses: readonly Course[],
  live: readonly SimNode[],
  evidence: Evidence,
  at: number,
  draw: Draw,
): Judged {
  const { template, hasHeap } = KINDS[kind] as (typeof KINDS)[string]
  const limit = template.memoryLimit
  const medians: number[] = []
  const pods = courses.flatMap((course) => {
    const node = live.indexOf(course.node)
    if (node < 0) return []
    const cpuAt = (step: number) => Math.min(course.cpu[step] ?? 0, template.cpuLimit)
    const memoryAt = (step: number) => observed(kind, course, step, limit)
    if (evidence === 'Sample') {
      const memory = memoryAt(at)
      medians.push(memory)
      return [{ node, cpu: cpuAt(at) * draw.lognormal(0.35), memory, peak: memory }]
    }
    const history = Array.from({ length: HISTORY }, (_, step) => memoryAt(at - HISTORY + step))
    medians.push(sorted(history.slice(-7 * STEPS_PER_DAY))[3.5 * STEPS_PER_DAY] ?? 0)
    const peak = history.reduce((most, one) => Math.max(most, one), 0)
    return [{ node, cpu: ofDays(cpuAt, at), memory: ofDays(memoryAt, at), peak }]
  })
  const median = sorted(medians)[Math.floor(medians.length / 2)] ?? 0
  return {
    nodes: pods.map(({ node }) => node),
    containers: [
      {
        name: kind,
        request: { cpu: template.cpu, memory: template.memory },
        limit: { memory: limit, ...(Number.isFinite(template.cpuLimit) && { cpu: template.cpuLimit }) },
        kind: evidence,
        pods,
        followsLimit: median >= (hasHeap ? 0.7 : 0.85) * limit,
      },
    ],
  }
}

/** The sizes of a node: those of its part; a type that joins later is of the part of the nearest that is no larger. */
function sizesOn(node: SimNode, live: readonly SimNode[], axis: Axis, proposal: Proposal, today: Template): Template {
  const below = live.flatMap((one, at) => (one[axis.by] <= node[axis.by] ? [{ amount: one[axis.by], at }] : []))
  const nearest = below.reduce((best, one) => (one.amount > best.amount ? one : best))
  const step = axis.steps[nearest.at] ?? 0
  const own = proposal.parts.find(({ from, to }) => step >= from && step < to)?.sizes[0]
  const [cpu, memory] = [own?.cpu?.size ?? today.cpu, own?.memory?.size ?? today.memory]
  return {
    cpu,
    memory,
    cpuLimit: Math.max(today.cpuLimit, cpu),
    memoryLimit: Math.max(today.memoryLimit, proposal.limits[0] ?? 0, memory),
  }
}

const KILLED_BY_LEAK = 50

function scoreOf(kind: string, courses: readonly Course[], sizesOf: (node: SimNode) => Template, at: number): Score {
  const { start = [1, 1], cache, hasHeap, leak } = KINDS[kind] as (typeof KINDS)[string]
  const until = Math.min(STEPS, at + TRUTH)
  let [cores, gib, steps, aboveCpu, aboveMemory, kills] = [0, 0, 0, 0, 0, 0]
  for (const { node, ...course } of courses) {
    const { cpu, memory, cpuLimit, memoryLimit } = sizesOf(node)
    const born = new Set(node.lives.map(({ from }) => from))
    let before = Number.POSITIVE_INFINITY
    for (let step = Math.max(at, node.joinsAt); step < until; step++) {
      const [more, moreMemory] = born.has(step) ? start : [1, 1]
      let wanted = (course.memory[step] ?? 0) * moreMemory
      let seen = course.seen[step] ?? 0
      if (hasHeap) wanted = seen = heapOf(wanted, memoryLimit)
      if (leak !== undefined) {
        const own = leaked(kind, node, step, memoryLimit)
        wanted += own
        seen += own
        if (own - before < -KILLED_BY_LEAK && !born.has(step)) kills++
        before = own
      }
      if (cache !== undefined) seen = Math.min(seen + cache, Math.max(seen, 0.95 * memoryLimit))
      if (wanted > memoryLimit) kills++
      if (Math.min((course.cpu[step] ?? 0) * more, cpuLimit) > cpu) aboveCpu++
      if (Math.min(seen, memoryLimit) > memory) aboveMemory++
      cores += cpu
      gib += memory
      steps++
    }
  }
  const length = until - at
  return { cores: cores / length / 1000, gib: gib / length / 1024, steps, aboveCpu, aboveMemory, kills }
}

/** Of several outcomes together: what they cost of today's, and how well it does. */
export function sumOf(outcomes: readonly Outcome[]) {
  const total = (of: (outcome: Outcome) => number, some = outcomes) => some.reduce((sum, one) => sum + of(one), 0)
  const cost = ({ cores, gib }: Score) => cores + gib / 4
  const noLeak = outcomes.filter(({ kind }) => kind !== 'leak')
  const free = outcomes.filter(({ followsLimit }) => !followsLimit)
  const measured = (when: 'today' | 'sized') => ({
    cost: total((one) => cost(one[when])),
    aboveCpu: total((one) => one[when].aboveCpu) / total((one) => one[when].steps),
    aboveMemory: total((one) => one[when].aboveMemory, free) / total((one) => one[when].steps, free),
    kills: total((one) => one[when].kills, noLeak),
  })
  return { today: measured('today'), sized: measured('sized'), groups: total(({ groups }) => groups) / outcomes.length }
}
