/** Ten agents with the courses of use that agents have: bursts, leaks, weekdays, deployments, page cache, heaps. */
import { DAYS, type Draw, GROUP_OF, GROUPS, NODES, STEPS_PER_DAY, STEPS_PER_HOUR } from './fleet.ts'

/** One moment of one node. */
export interface Moment {
  readonly step: number
  readonly node: number
  readonly load: number
  /** The pods on the node. */
  readonly pods: number
}

/** What one agent uses at one moment. */
export interface Use {
  readonly cpu: number
  /** The memory that kills. */
  readonly memory: number
  /** The memory that a look each minute shows. */
  readonly seen: number
}

export interface Agent {
  readonly name: string
  readonly template: { readonly requests: Both; readonly limits: Both }
  /** CPU and memory in the first five minutes, as multiples. */
  readonly start: readonly [cpu: number, memory: number]
  readonly use: (moment: Moment) => Use
  /** Page cache that it would like, which fills its limit and never kills. */
  readonly cache?: number
  /** The heap fills a share of the limit. */
  readonly isHeap?: boolean
  /** An hour, since its start. */
  readonly leak?: number
  /** Throttled, it keeps in memory what it cannot send. */
  readonly hasBacklog?: boolean
}

interface Both {
  readonly cpu: number
  readonly memory: number
}

const NONE = Number.POSITIVE_INFINITY
const STEPS = DAYS * STEPS_PER_DAY

const hourOfDay = (step: number) => (step / STEPS_PER_HOUR) % 24
const dayOf = (step: number) => Math.floor(step / STEPS_PER_DAY)
const isWeekend = (step: number) => dayOf(step) % 7 >= 5
const daily = Float64Array.from(
  { length: STEPS_PER_DAY },
  (_, step) => 0.75 + 0.45 * Math.exp(-(((hourOfDay(step) - 14) / 4.5) ** 2)),
)
const dailyAt = (step: number) => daily[step % STEPS_PER_DAY] ?? 1
const sizeOf = (node: number) => GROUPS[GROUP_OF[node] ?? 0] ?? { cpu: 0, memory: 0 }

function agent(
  name: string,
  [requestCPU, requestMemory, limitCPU, limitMemory]: readonly number[],
  start: readonly [number, number],
  use: Agent['use'],
  more: Partial<Agent> = {},
): Agent {
  const [requests, limits] = [
    { cpu: requestCPU ?? 0, memory: requestMemory ?? 0 },
    { cpu: limitCPU ?? NONE, memory: limitMemory ?? NONE },
  ]
  return { name, template: { requests, limits }, start, use, ...more }
}

/** Extra use in bursts of a Pareto size, as a multiple, by node and step. */
function burstsOf(draw: Draw): readonly Float32Array[] {
  return Array.from({ length: NODES }, () => {
    const bursts = new Float32Array(STEPS)
    for (let left = draw.poisson(DAYS / 8); left > 0; left--) {
      const at = Math.floor(draw.uniform(0, STEPS))
      const size = Math.min(12, (1 - draw.uniform()) ** (-1 / 1.6))
      const length = 1 + Math.floor(draw.uniform(0, 5))
      for (let step = at; step < Math.min(STEPS, at + length); step++) bursts[step] = (bursts[step] ?? 0) + size
    }
    return bursts
  })
}

/** Memory of a scan of each night, by node and day, and the step at which it begins. */
function scansOf(draw: Draw) {
  return Array.from({ length: NODES }, () =>
    Array.from({ length: DAYS }, () => {
      const size = Math.exp(5.2) * draw.lognormal(0.55)
      const isLarge = draw.uniform() < 1 / 120
      const begins = 2 * STEPS_PER_HOUR + Math.floor(draw.uniform(0, 3 * STEPS_PER_HOUR))
      return { begins, size: isLarge ? size * draw.uniform(2.5, 5) : size }
    }),
  )
}

/** Returns an agent by name, drawn anew. */
export function agentOf(name: AgentName, draw: Draw): Agent {
  return MAKERS[name](draw)
}

const MAKERS = {
  shipper(draw: Draw): Agent {
    const bursts = burstsOf(draw)
    // the backend is down: buffers fill everywhere
    const outage = (step: number) => {
      const within = (day: number, hour: number, steps: number) => {
        const first = day * STEPS_PER_DAY + hour * STEPS_PER_HOUR
        return step >= first && step < first + steps
      }
      return within(23, 10, 6) ? 160 : within(47, 15, 8) ? 220 : 0
    }
    return agent(
      'log shipper, bursts',
      [100, 128, 500, 256],
      [3, 1],
      ({ step, node, load, pods }) => {
        const burst = bursts[node]?.[step] ?? 0
        const busy = load * dailyAt(step) * (isWeekend(step) ? 0.6 : 1) * draw.lognormal(0.15)
        const base = 32 + 0.45 * pods * Math.sqrt(busy)
        const out = outage(step) * Math.min(load, 2)
        return {
          cpu: 4 + 0.5 * pods * busy * (1 + burst),
          memory: base * (1 + 0.9 * burst) + out,
          seen: base * (1 + 0.9 * burst * draw.uniform(0.5, 1)) + out * 0.95,
        }
      },
      { hasBacklog: true },
    )
  },
  metrics: (draw: Draw) =>
    agent('metrics, linear in pods', [200, 256, 300, 512], [5, 1.25], ({ step, load, pods }) => {
      const busy = load ** 0.4 * (0.85 + 0.15 * dailyAt(step)) * draw.lognormal(0.08)
      const seen = 95 + 1.6 * pods * draw.lognormal(0.03) * load ** 0.2
      return { cpu: 25 + 1.3 * pods * busy, memory: seen * 1.03, seen }
    }),
  cni: (draw: Draw) =>
    agent('CNI, constant', [100, 128, NONE, 256], [4, 1.1], ({ load }) => {
      const memory = 75 * draw.lognormal(0.03)
      const spike = draw.uniform() < 0.002 ? 25 : 0
      return {
        cpu: 18 * draw.lognormal(0.25) * load ** 0.1 + spike * 4,
        memory: memory + spike,
        seen: memory + spike * 0.6,
      }
    }),
  security(draw: Draw): Agent {
    const scans = scansOf(draw)
    return agent('security, heavy tails', [100, 256, 1000, 768], [3, 1.2], ({ step, node, load }) => {
      const { cpu, memory } = sizeOf(node)
      const busy = load ** 1.5 * dailyAt(step) * (isWeekend(step) ? 0.8 : 1) * draw.lognormal(0.3)
      const { begins, size } = scans[node]?.[dayOf(step)] ?? { begins: 0, size: 0 }
      const ofDay = step % STEPS_PER_DAY
      const isScanning = ofDay === begins || ofDay === begins + 1
      const scan = isScanning ? size * (memory > 30_000 ? 1.5 : 1) : 0
      const base = 140 + 0.001 * memory * load ** 0.3
      return {
        cpu: 10 + 0.012 * cpu * busy + (isScanning ? 300 : 0),
        memory: base + scan,
        seen: base + scan * draw.uniform(0.75, 1),
      }
    })
  },
  leak: (draw: Draw) =>
    agent(
      'memory leak, 2 Mi an hour',
      [50, 128, NONE, 512],
      [1, 1],
      ({ step, pods }) => {
        const memory = 80 + 0.3 * pods * draw.lognormal(0.03)
        return { cpu: 15 + 0.2 * pods * dailyAt(step) * draw.lognormal(0.1), memory, seen: memory }
      },
      { leak: 2 },
    ),
  rhythm: (draw: Draw) =>
    agent('tracing, weekdays only', [100, 256, NONE, 1024], [2, 1.1], ({ step, load, pods }) => {
      const isMonday = dayOf(step) % 7 === 0 && hourOfDay(step) >= 8 && hourOfDay(step) < 10
      const busy = load * (dailyAt(step) * (isWeekend(step) ? 0.08 : 1) + (isMonday ? 0.8 : 0)) * draw.lognormal(0.15)
      const seen = 60 + 2.2 * pods * busy ** 0.7
      return { cpu: 5 + 1.6 * pods * busy, memory: seen * 1.05, seen }
    }),
  deploys: (draw: Draw) =>
    agent('deployments on day 20 and 40', [100, 256, NONE, 512], [4, 1.2], ({ step, load, pods }) => {
      const level = dayOf(step) < 20 ? 1 : dayOf(step) < 40 ? 1.7 : 0.6
      const busy = load ** 0.6 * dailyAt(step) * draw.lognormal(0.1)
      const seen = (110 + 0.9 * pods * load ** 0.2 * draw.lognormal(0.03)) * level
      return { cpu: (15 + 0.8 * pods * busy) * level, memory: seen * 1.04, seen }
    }),
  cache: (draw: Draw) =>
    agent(
      'scanner, page cache',
      [100, 256, NONE, 512],
      [1, 1],
      ({ step, pods }) => {
        const memory = 90 + 0.2 * pods * draw.lognormal(0.03)
        return { cpu: 20 + 0.3 * pods * dailyAt(step) * draw.lognormal(0.1), memory, seen: memory }
      },
      { cache: 4000 },
    ),
  heap: (draw: Draw) =>
    agent(
      'Go, heap fills GOMEMLIMIT',
      [100, 128, NONE, 256],
      [1, 1],
      ({ step, pods }) => {
        const memory = 70 + 0.25 * pods * draw.lognormal(0.03)
        return { cpu: 20 + 0.5 * pods * dailyAt(step) * draw.lognormal(0.1), memory, seen: memory }
      },
      { isHeap: true },
    ),
  month: (draw: Draw) =>
    agent('billing, month end', [100, 256, NONE, 512], [1, 1], ({ step, load, pods }) => {
      const level = [28, 29, 58, 59].includes(dayOf(step)) ? 3.2 : 1
      const busy = load * dailyAt(step) * draw.lognormal(0.12) * level
      const seen = 60 + 0.8 * pods * busy ** 0.8
      return { cpu: 8 + 0.7 * pods * busy, memory: seen * 1.05, seen }
    }),
} satisfies Record<string, (draw: Draw) => Agent>

export type AgentName = keyof typeof MAKERS
export const AGENTS = Object.keys(MAKERS) as AgentName[]
