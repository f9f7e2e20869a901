/**
 * What is true of a fleet for 81 days, in steps of ten minutes: how busy each node is, and what each agent uses there.
 * Amounts are thousandths of a core and MiB; a list has the steps of a node one after another.
 */
import { Draw } from '../usage/fleet.ts'
import type { FleetOf, NodeType } from './fleets.ts'

export const STEPS_PER_HOUR = 6
export const STEPS_PER_DAY = 24 * STEPS_PER_HOUR
const DAYS = 81
export const STEPS = DAYS * STEPS_PER_DAY
const SPREAD = 0.45

const hourAt = (step: number) => (step / STEPS_PER_HOUR) % 24
const weekdayAt = (step: number) => Math.floor(step / STEPS_PER_DAY) % 7
/** Day 0 is a Monday. */
const isWeekend = (step: number) => weekdayAt(step) >= 5
const daily = (step: number) => 0.75 + 0.45 * Math.exp(-(((hourAt(step) - 14) / 4.5) ** 2))

/** A node from one step on: anew, with another load and other pods. */
interface Life {
  readonly from: number
  /** When its pods were started, which is before the first step for those that were there. */
  readonly born: number
  readonly load: number
  readonly pods: number
}

export interface SimNode extends NodeType {
  readonly joinsAt: number
  readonly lives: readonly Life[]
}

/** The nodes of a fleet, with their lives. */
export function nodesOf({ types, life }: FleetOf, seed: number): SimNode[] {
  const draw = new Draw(seed * 7919)
  return types.flatMap((type) =>
    Array.from({ length: type.count }, (): SimNode => {
      const joinsAt = type.joins === 0 ? 0 : (type.joins + 14) * STEPS_PER_DAY
      const room = Math.min(type.pods, 10 + 6 * (type.cpu / 1000) ** 0.8)
      const lives: Life[] = []
      for (let at = joinsAt; at < STEPS; ) {
        const isFirst = lives.length === 0 && at === 0
        const end = at + Math.max(STEPS_PER_HOUR, Math.trunc(draw.exponential(life) * STEPS_PER_DAY))
        const age = isFirst ? Math.trunc(draw.exponential(Math.min(life, 40)) * STEPS_PER_DAY) : 0
        lives.push({ from: at, born: at - age, load: draw.lognormal(SPREAD), pods: room * draw.uniform(0.25, 0.95) })
        at = end
      }
      return { ...type, joinsAt, lives }
    }),
  )
}

/** What an agent is set to: cpu and memory, their limits; no limit is Infinity. */
export interface Template {
  readonly cpu: number
  readonly memory: number
  readonly cpuLimit: number
  readonly memoryLimit: number
}

/** What an agent uses on one node at each step. */
export interface Course {
  readonly cpu: Float32Array
  /** What it wants of memory, which kills it above its limit, and its working set, as it is measured. */
  readonly memory: Float32Array
  readonly seen: Float32Array
  readonly node: SimNode
}

interface Kind {
  readonly template: Template
  /** How much more a pod uses in its first step. */
  readonly start?: readonly [cpu: number, memory: number]
  /** What it needs beside: page cache; a heap that fills what it gets; MiB that it loses an hour. */
  readonly cache?: number
  readonly hasHeap?: true
  readonly leak?: number
  readonly runsOn?: (node: SimNode) => boolean
  /** Returns what it uses at each step of a node: cpu, memory, and what is seen of memory. */
  course(node: SimNode, draw: Draw): (step: number, life: Life) => readonly [cpu: number, memory: number, seen: number]
}

const sizes = (cpu: number, memory: number, cpuLimit: number, memoryLimit: number): Template => ({
  ...{ cpu, memory, cpuLimit, memoryLimit },
})
const NONE = Number.POSITIVE_INFINITY
const weekly = (step: number, low: number) => (isWeekend(step) ? low : 1)

function bursts(draw: Draw, perDay: number): Float32Array {
  const all = new Float32Array(STEPS)
  for (let left = draw.poisson(perDay * DAYS); left > 0; left--) {
    const at = Math.floor(draw.uniform(0, STEPS))
    const size = Math.min(12, (1 - draw.uniform()) ** (-1 / 1.6))
    for (let step = at; step < Math.min(STEPS, at + 1 + Math.floor(draw.uniform(0, 3))); step++)
      all[step] = (all[step] ?? 0) + size
  }
  return all
}

/** A scan each night, of each day its step and size; seldom a far larger one. */
function scansOf(draw: Draw): { readonly at: readonly number[]; readonly size: readonly number[] } {
  const at = Array.from({ length: DAYS }, (_, day) => {
    return day * STEPS_PER_DAY + 2 * STEPS_PER_HOUR + Math.floor(draw.uniform(0, 3 * STEPS_PER_HOUR))
  })
  const size = at.map(() => {
    const usual = Math.exp(5.2 + 0.55 * draw.normal())
    return draw.uniform() < 1 / 120 ? usual * draw.uniform(2.5, 4) : usual
  })
  return { at, size }
}

export const KINDS: Readonly<Record<string, Kind>> = {
  shipper: {
    template: sizes(100, 128, 500, 256),
    start: [3, 1],
    course: (_, draw) => {
      const burst = bursts(draw, 1 / 8)
      return (step, { load, pods }) => {
        const busy = load * daily(step) * weekly(step, 0.6) * draw.lognormal(0.15)
        const base = 32 + 0.45 * pods * busy ** 0.5
        const more = burst[step] ?? 0
        return [4 + 0.5 * pods * busy * (1 + more), base * (1 + 0.9 * more), base * (1 + 0.8 * more)]
      }
    },
  },
  exporter: {
    template: sizes(102, 180, 250, 180),
    course:
      ({ cpu }, draw) =>
      (_, { pods }) => {
        const memory = 24 + 0.12 * pods + 0.05 * (cpu / 1000) * draw.lognormal(0.02)
        return [(6 + 0.45 * (cpu / 1000)) * draw.lognormal(0.3), memory * 1.05, memory * draw.lognormal(0.03)]
      },
  },
  otel: {
    template: sizes(200, 400, NONE, 800),
    start: [5, 1.2],
    course:
      (_, draw) =>
      (step, { load, pods }) => {
        const busy = load ** 0.5 * (0.8 + 0.2 * daily(step)) * draw.lognormal(0.08)
        const memory = 90 + 1.6 * pods * load ** 0.2 * draw.lognormal(0.03)
        return [15 + 1.3 * pods * busy, memory * 1.04, memory]
      },
  },
  security: {
    template: sizes(100, 512, 1000, 1024),
    start: [3, 1.2],
    course: ({ cpu, memory }, draw) => {
      const { at, size } = scansOf(draw)
      return (step, { load }) => {
        const day = Math.floor(step / STEPS_PER_DAY)
        const scan = at[day] === step ? (size[day] ?? 0) * (memory > 30_000 ? 1.5 : 1) : 0
        const busy = load ** 1.5 * daily(step) * weekly(step, 0.8) * draw.lognormal(0.3)
        const base = 140 + (memory / 1024) * load ** 0.3
        return [10 + 12 * (cpu / 1000) * busy + (scan > 0 ? 300 : 0), base + scan, base + 0.85 * scan]
      }
    },
  },
  leak: {
    template: sizes(50, 128, NONE, 512),
    leak: 2,
    course:
      (_, draw) =>
      (step, { pods }) => {
        const memory = 80 + 0.3 * pods * draw.lognormal(0.03)
        return [15 + 0.2 * pods * daily(step) * draw.lognormal(0.1), memory, memory]
      },
  },
  tracing: {
    template: sizes(200, 256, NONE, 1024),
    start: [2, 1.1],
    course:
      (_, draw) =>
      (step, { load, pods }) => {
        const isMonday = weekdayAt(step) === 0 && hourAt(step) >= 8 && hourAt(step) < 10
        const busy = load * (daily(step) * weekly(step, 0.08) + (isMonday ? 0.8 : 0)) * draw.lognormal(0.15)
        const memory = 60 + 2.2 * pods * busy ** 0.7
        return [5 + 1.6 * pods * busy, memory * 1.05, memory]
      },
  },
  cache: {
    template: sizes(100, 256, NONE, 512),
    cache: 4000,
    course:
      (_, draw) =>
      (step, { pods }) => {
        const memory = 90 + 0.2 * pods * draw.lognormal(0.03)
        return [20 + 0.3 * pods * daily(step) * draw.lognormal(0.1), memory, memory]
      },
  },
  heap: {
    template: sizes(100, 128, NONE, 256),
    hasHeap: true,
    course:
      (_, draw) =>
      (step, { pods }) => {
        const memory = 70 + 0.25 * pods * draw.lognormal(0.03)
        return [20 + 0.5 * pods * daily(step) * draw.lognormal(0.1), memory, memory]
      },
  },
  month: {
    template: sizes(100, 256, NONE, 512),
    course:
      (_, draw) =>
      (step, { load, pods }) => {
        const day = Math.floor(step / STEPS_PER_DAY)
        const isEnd = [28, 29, 58, 59].includes(day)
        const busy = load * daily(step) * draw.lognormal(0.12) * (isEnd ? 3.2 : 1)
        const memory = 60 + 0.8 * pods * busy ** 0.8
        return [8 + 0.7 * pods * busy, memory * 1.05, memory]
      },
  },
  profiler: {
    template: sizes(250, 256, NONE, 1024),
    course:
      ({ cpu }, draw) =>
      (step, { load }) => {
        const busy = load ** 0.6 * daily(step) * draw.lognormal(0.2)
        const memory = 45 + 7 * (cpu / 1000) * load ** 0.2 * draw.lognormal(0.04)
        return [4 + 9 * (cpu / 1000) * busy, memory * 1.03, memory]
      },
  },
  services: {
    template: sizes(100, 128, NONE, 256),
    start: [4, 1.1],
    // it grows with the size of the fleet, which `coursesOf` adds
    course: (_, draw) => (step) => {
      const memory = 55 * draw.lognormal(0.03)
      return [14 * draw.lognormal(0.35) * daily(step), memory * 1.03, memory]
    },
  },
  vendor: {
    template: sizes(200, 256, NONE, 768),
    start: [4, 1.1],
    course:
      (_, draw) =>
      (step, { load, pods }) => {
        const busy = load ** 0.4 * (0.8 + 0.2 * daily(step)) * draw.lognormal(0.12)
        const memory = 170 + 1.1 * pods * draw.lognormal(0.03) * load ** 0.1
        return [45 + 1.1 * pods * busy, memory * 1.05, memory]
      },
  },
  audit: {
    template: sizes(100, 200, NONE, 400),
    course: ({ role }, draw) => {
      const hot = ['master', 'system', 'server'].includes(role) ? 1 : 0
      return (step) => {
        const memory = 60 + 160 * hot * draw.lognormal(0.05) + 10 * draw.lognormal(0.1)
        return [12 * daily(step) * draw.lognormal(0.25) * (1 + 7 * hot), memory * 1.05, memory]
      }
    },
  },
  gpu: {
    template: sizes(100, 128, NONE, 512),
    runsOn: ({ role }) => role === 'gpu',
    course: (_, draw) => () => {
      const memory = 140 * draw.lognormal(0.04)
      return [35 * draw.lognormal(0.2), memory * 1.03, memory]
    },
  },
  idle: {
    template: sizes(500, 512, NONE, 512),
    course:
      (_, draw) =>
      (__, { load }) => {
        const memory = 58 * draw.lognormal(0.04) * load ** 0.05
        return [6 * draw.lognormal(0.4), memory * 1.1, memory]
      },
  },
}

/** The life of a node at a step; undefined before it joins. */
export function lifeAt({ lives }: SimNode, step: number): Life | undefined {
  return lives.findLast(({ from }) => from <= step)
}

/** What an agent uses on each of its nodes. */
export function coursesOf(kind: string, nodes: readonly SimNode[], seed: number): Course[] {
  const own = KINDS[kind]
  if (own === undefined) throw new Error(`no kind ${kind}`)
  const draw = new Draw(seed * 104_729 + Object.keys(KINDS).indexOf(kind))
  const beside = kind === 'services' ? 0.04 * nodes.length : 0
  return nodes
    .filter((node) => own.runsOn?.(node) ?? true)
    .map((node): Course => {
      const [cpu, memory, seen] = [0, 1, 2].map(() => new Float32Array(STEPS)) as [
        Float32Array,
        Float32Array,
        Float32Array,
      ]
      const useOf = own.course(node, draw)
      for (const [index, life] of node.lives.entries()) {
        const end = node.lives[index + 1]?.from ?? STEPS
        for (let step = life.from; step < end; step++) {
          const [used, wanted, shown] = useOf(step, life)
          cpu[step] = used
          memory[step] = wanted + beside
          seen[step] = shown + beside
        }
      }
      return { cpu, memory, seen, node }
    })
}
