import { CPU, isFitting, larger, MEMORY, MIB, minus, type ResourceAxes, smaller, type Vector } from './resources.ts'
import type { MachineSize, PoolSettings } from './settings.ts'

/** What a claim asks of its machine. */
export interface Requirements {
  readonly cpuCores: number
  readonly memoryMiB: number
}

/** A size of machines: what is written, the room for pods, and what it counts against the limits. */
export interface Size {
  readonly requirements: Requirements
  readonly room: Vector
  /** In millicores. */
  readonly cpu: number
  /** With what the provider adds. */
  readonly memoryMiB: number
}

/** The sizes of a pool. A claim has the same room in every run, whatever became of the pool's sizes since. */
export interface Sizes {
  /** Returns the size of a claim; that of the first machine where it asks for none. */
  of(requirements: Requirements | undefined): Size
  /** Returns the sizes that a request fits, in the order in which they are tried; empty if it is too large. */
  fitting(request: Vector): readonly Size[]
  /** The room of the size that gives most, for messages. */
  readonly largest: Vector
}

/** What each kubelet reports, whatever machine it runs on, so that sizes seldom name it. */
const OF_EACH_NODE = 'ephemeral-storage'

/**
 * Returns the sizes of a pool. `overhead` is what agents request on a new machine, `shown` what its nodes can allocate:
 * ephemeral storage that no size names is the least that a node of the pool has, and unlimited where none shows it.
 */
export function sizesOf(
  settings: PoolSettings,
  axes: ResourceAxes,
  overhead: Vector,
  shown: readonly Vector[] = [],
): Sizes {
  const { machines, choice, isElastic, provider } = settings
  const reserved = axes.vector(settings.reserved, 'up')
  const used = overhead.map((amount, at) => amount + (reserved[at] ?? 0))
  const storage = axes.names.indexOf(OF_EACH_NODE)
  const leastStorage = shown
    .map((allocatable) => allocatable[storage] ?? 0)
    .filter((amount) => amount > 0)
    .reduce((least, amount) => Math.min(least, amount), Number.MAX_SAFE_INTEGER)
  const sizeOf = ({ cpuCores, memoryMiB, pods = DEFAULT_PODS, resources }: MachineSize): Size => {
    const capacity = axes.vector({ ...resources, cpu: cpuCores, memory: memoryMiB * MIB, pods }, 'down')
    if (storage >= 0 && resources?.[OF_EACH_NODE] === undefined) capacity[storage] = leastStorage + (used[storage] ?? 0)
    return {
      requirements: { cpuCores, memoryMiB },
      room: minus(capacity, used),
      cpu: cpuCores * 1000,
      memoryMiB: memoryMiB + provider.memoryOverheadMiB,
    }
  }
  const listed = machines.map(sizeOf)
  const [first] = listed
  const [base] = machines
  if (first === undefined || base === undefined) throw new Error('a pool without machines passes no schema')
  const sizes = choice === 'any' ? [listed.reduce(worstOf, first)] : listed
  const [start = first] = sizes
  return {
    of: (asked) => {
      if (choice === 'any' || asked === undefined) return start
      const alike = machines.find(
        ({ cpuCores, memoryMiB }) => cpuCores === asked.cpuCores && memoryMiB === asked.memoryMiB,
      )
      return sizeOf(alike ?? { ...base, ...asked })
    },
    fitting: (request) => {
      const found = sizes.filter(({ room }) => isFitting(request, room))
      if (found.length > 0 || !isElastic) return found
      const need = (at: number, unit: number) => Math.ceil(((request[at] ?? 0) + (used[at] ?? 0)) / unit)
      const enlarged = sizeOf({
        ...base,
        cpuCores: Math.max(base.cpuCores, need(CPU, 1000)),
        memoryMiB: Math.max(base.memoryMiB, need(MEMORY, MIB)),
      })
      return isFitting(request, enlarged.room) ? [enlarged] : []
    },
    largest: sizes.map(({ room }) => room).reduce(larger),
  }
}

/** The kubelet's default. */
export const DEFAULT_PODS = 110

/** Where the provider picks, the smallest room counts for pods, and the largest machine against the limits. */
function worstOf(left: Size, right: Size): Size {
  const cheaper = left.cpu <= right.cpu ? left : right
  return {
    requirements: cheaper.requirements,
    room: smaller(left.room, right.room),
    cpu: Math.max(left.cpu, right.cpu),
    memoryMiB: Math.max(left.memoryMiB, right.memoryMiB),
  }
}
