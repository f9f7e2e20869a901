/** Runs an agent through sixty days while its sizes are settled from what it uses, and counts what that costs. */
import {
  type Amounts,
  answerKills,
  borrow,
  type ContainerHour,
  type Day,
  dateOf,
  dayOf,
  type Hour,
  hourOf,
  type InForce,
  type Kill,
  type Loan,
  type NodeSize,
  type Settled,
  type SettledRow,
  seenBefore,
  settleRegularly,
} from '../../src/facts/usage/index.ts'
import type { Agent } from './agents.ts'
import { DAYS, type Fleet, GROUP_OF, GROUPS, NODES, STEPS_PER_HOUR } from './fleet.ts'

/** What sixty days cost; amounts are means over time, in cores and GiB. */
export interface Course {
  /** For each 1,000 pods in sixty days. */
  readonly kills: number
  readonly restartsPerPod: number
  /** The hours with a commit. */
  readonly commits: readonly number[]
  readonly cores: number
  readonly gibibytes: number
  /** The share of time in which CPU was above its request. */
  readonly aboveRequest: number
}

interface Size {
  cpu: number
  memory: number
  limitCPU: number
  limitMemory: number
}

interface GroupState {
  settled: Settled | undefined
  size: Size
  readonly days: Day[]
  hours: Hour[]
  kills: Kill[]
  /** Its pods are replaced in the next hour. */
  isRestarted: boolean
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MARGIN = 1.15
const MOST = { cpu: 2000, memory: 4096 }
const LONG_AGO = 1e6
/** A Tuesday at midnight in UTC. */
const FIRST = Date.UTC(2026, 0, 6)

/** Of which pods nothing is known within an hour. */
export type Blind = (node: number, hour: number) => boolean

/** Runs an agent; `blind` hides pods from what is measured. */
export function courseOf(fleet: Fleet, agent: Agent, blind: Blind = () => false): Course {
  const groups = GROUPS.map((): GroupState => {
    return { settled: undefined, size: templateSize(agent), days: [], hours: [], kills: [], isRestarted: false }
  })
  const sums = { kills: 0, restarts: 0, cores: 0, gibibytes: 0, above: 0, podHours: 0 }
  const commits: number[] = []
  const age = new Float64Array(NODES).fill(LONG_AGO)
  for (let hour = 0; hour < DAYS * 24; hour++) {
    const restarted = groups.map(({ isRestarted }) => isRestarted)
    for (const group of groups) group.isRestarted = false
    const measured: ContainerHour[][] = GROUPS.map(() => [])
    for (let node = 0; node < NODES; node++) {
      const index = GROUP_OF[node] ?? 0
      const group = groups[index]
      const life = fleet.lifeAt(node, hour * STEPS_PER_HOUR)
      if (group === undefined || life === undefined) continue
      const isNew = fleet.isBorn(node, hour) || restarted[index] === true
      if (isNew) age[node] = 0
      const container = runHour(fleet, agent, { node, hour, isNew, age }, group, sums)
      if (!blind(node, hour)) measured[index]?.push(container)
    }
    const now = FIRST + (hour + 1) * HOUR
    const before = groups.map(({ size }) => ({ ...size }))
    groups.forEach((group, index) => {
      const joined = (GROUPS[index]?.joins ?? 0) * 24 <= hour
      if (joined) look(group, agent, measured[index] ?? [], GROUPS[index]?.nodes ?? 0, now)
    })
    resize(groups, agent)
    const changed = groups.flatMap((group, index) => (isSameSize(group.size, before[index]) ? [] : [index]))
    const running = changed.filter((index) => (GROUPS[index]?.joins ?? 0) * 24 <= hour)
    if (running.length > 0) commits.push(hour)
    for (const index of running) {
      const group = groups[index]
      if (group === undefined) continue
      group.isRestarted = true
      sums.restarts += GROUPS[index]?.nodes ?? 0
    }
  }
  const hours = DAYS * 24
  const podMonths = sums.podHours / (1000 * hours)
  return {
    kills: sums.kills / podMonths,
    restartsPerPod: sums.restarts / podMonths / 1000,
    commits,
    cores: sums.cores / hours / 1000,
    gibibytes: sums.gibibytes / hours / 1024,
    aboveRequest: sums.above / sums.podHours,
  }
}

function templateSize({ template: { requests, limits } }: Agent): Size {
  return { cpu: requests.cpu, memory: requests.memory, limitCPU: limits.cpu, limitMemory: limits.memory }
}

/** One hour of one pod: adds to the sums and to the kills of its group, and returns what was measured. */
function runHour(
  fleet: Fleet,
  agent: Agent,
  { node, hour, isNew, age }: { node: number; hour: number; isNew: boolean; age: Float64Array },
  group: GroupState,
  sums: { kills: number; cores: number; gibibytes: number; above: number; podHours: number },
): ContainerHour {
  const { size } = group
  const { pods: most = 0 } = GROUPS[GROUP_OF[node] ?? 0] ?? {}
  let [cpuSum, cpuSamples, memory, above, wasKilled] = [0, 0, 0, 0, false]
  for (let index = 0; index < STEPS_PER_HOUR; index++) {
    const step = hour * STEPS_PER_HOUR + index
    const { load = 1, fill = 0 } = fleet.lifeAt(node, step) ?? {}
    let { cpu, memory: needs, seen } = agent.use({ step, node, load, pods: most * fill })
    if (isNew && index === 0) {
      cpu *= agent.start[0]
      needs *= agent.start[1]
      seen *= (1 + agent.start[1]) / 2
    }
    if (agent.hasBacklog === true && Number.isFinite(size.limitCPU)) {
      const backlog = Math.min(4, Math.max(1, cpu / size.limitCPU))
      needs *= backlog
      seen *= backlog
    }
    const own = age[node] ?? 0
    if (agent.leak !== undefined && own < LONG_AGO) {
      const grown = (own * agent.leak) / STEPS_PER_HOUR
      needs += grown
      seen += grown
    }
    if (agent.isHeap === true) {
      const heap = 0.8 * size.limitMemory
      if (needs <= heap) needs = Math.min(heap, needs * 6)
      seen = needs
    }
    age[node] = own + 1
    if (needs > size.limitMemory && !(agent.leak !== undefined && wasKilled)) {
      sums.kills++
      wasKilled = true
      const at = FIRST + hour * HOUR + (index + 1) * (HOUR / STEPS_PER_HOUR) - 1
      group.kills.push({ pod: String(node), at, limit: size.limitMemory, count: 1 })
      if (agent.leak !== undefined) age[node] = 0
    }
    if (agent.cache !== undefined) seen = Math.min(seen + agent.cache, Math.max(seen, 0.95 * size.limitMemory))
    if (cpu > size.cpu) above++
    if (!(isNew && index === 0)) {
      cpuSum += Math.min(cpu, size.limitCPU)
      cpuSamples++
    }
    memory = Math.max(memory, Math.min(seen, size.limitMemory))
  }
  sums.podHours++
  sums.cores += size.cpu
  sums.gibibytes += size.memory
  sums.above += above / STEPS_PER_HOUR
  const limitCPU = Number.isFinite(size.limitCPU) ? { limitCPU: size.limitCPU } : {}
  return { samples: STEPS_PER_HOUR, cpu: cpuSum / cpuSamples, memory, ...limitCPU }
}

/** What the controller does at the end of an hour: measures, answers kills, and settles at the regular time. */
function look(group: GroupState, agent: Agent, measured: readonly ContainerHour[], pods: number, now: number): void {
  const hour = hourOf(measured, pods)
  if (hour !== undefined) group.hours.push(hour)
  group.kills = group.kills.filter(({ at }) => at > now - 14 * DAY)
  const inForce = inForceOf(group.size, agent)
  const answer = answerKills(group.settled, { kills: group.kills, inForce, pods }, now)
  if (answer.kind === 'raised') group.settled = answer.settled
  if ((now - FIRST) % DAY !== 0) return
  const day = dayOf(dateOf(now - 1), group.hours)
  group.hours = []
  if (day !== undefined) group.days.push(day)
  if ((now - FIRST) % (7 * DAY) !== 0) return
  const seen = seenBefore(group.days, now)
  group.settled = settleRegularly(group.settled, { ...(seen && { seen }), kills: group.kills, inForce }, now)
}

function inForceOf({ limitCPU, limitMemory }: Size, { isHeap = false }: Agent): InForce {
  const limits = {
    ...(Number.isFinite(limitCPU) && { cpu: limitCPU }),
    ...(Number.isFinite(limitMemory) && { memory: limitMemory }),
  }
  return { limits, hasHeapByLimit: isHeap }
}

/** What is rendered of what is settled: requests with the margin, the larger limits, and neighbours' sizes for the others. */
function resize(groups: readonly GroupState[], agent: Agent): void {
  const rows = groups.flatMap(({ settled }, index) => {
    const node = GROUPS[index]
    return settled === undefined || node === undefined ? [] : [{ group: String(index), node, settled }]
  })
  groups.forEach((group, index) => {
    const node = GROUPS[index]
    if (node === undefined) return
    const isSettled = group.settled !== undefined && Object.keys(group.settled.used).length > 0
    const { used, limits } = isSettled && group.settled !== undefined ? group.settled : borrowed(rows, node)
    const own = templateSize(agent)
    const cpu = requested(used, 'cpu', own.cpu)
    const memory = requested(used, 'memory', own.memory)
    const raised = Math.max(limits.memory ?? 0, group.settled?.limits.memory ?? 0)
    group.size = {
      cpu,
      memory,
      limitCPU: Math.max(own.limitCPU, Math.min(2 * MOST.cpu, limits.cpu ?? 0), cpu),
      limitMemory: Math.max(own.limitMemory, Math.min(2 * MOST.memory, raised), memory),
    }
  })
}

function requested(used: Amounts, resource: 'cpu' | 'memory', own: number): number {
  const amount = used[resource]
  return amount === undefined ? own : Math.min(MOST[resource], Math.ceil((amount * MARGIN * 1000) / 1000))
}

function isSameSize(left: Size, right: Size | undefined): boolean {
  return (
    right !== undefined &&
    left.cpu === right.cpu &&
    left.memory === right.memory &&
    left.limitCPU === right.limitCPU &&
    left.limitMemory === right.limitMemory
  )
}

/** What neighbours lend, without their names. */
function borrowed(rows: readonly SettledRow[], node: NodeSize): { used: Amounts; limits: Amounts } {
  const amounts = (loans: Amounts<Loan>) =>
    Object.fromEntries(Object.entries(loans).map(([resource, { amount }]) => [resource, amount]))
  const { used, limits } = borrow(rows, node)
  return { used: amounts(used), limits: amounts(limits) }
}
