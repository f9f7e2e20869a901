import type { Resource } from '../../../kinds/index.ts'
import type { Sizes } from './need.ts'

/** The allocatable amounts of a node: cpu in thousandths of a core, memory in MiB. */
export type NodeSizes = Readonly<Record<Resource, number>>

/** An order of the nodes by which they can be divided. */
export interface Axis {
  /** What the nodes are ordered by. */
  readonly by: Resource
  /** The step of each node, from 0 up; undefined of a node that the order does not hold. */
  readonly steps: ReadonlyArray<number | undefined>
  readonly count: number
}

/** A type of more than this times the first of a run begins the next one. */
const RUN_TIMES = 1.5

/**
 * Divides amounts into runs: in rising order, one more than half as large again as the first of its run begins the
 * next. Returns the run of each amount.
 */
export function runsOf(amounts: readonly number[]): number[] {
  const sorted = [...new Set(amounts)].sort((a, b) => a - b)
  const runs = new Map<number, number>()
  let [first, run] = [sorted[0] ?? 0, 0]
  for (const amount of sorted) {
    if (amount > RUN_TIMES * first) [first, run] = [amount, run + 1]
    runs.set(amount, run)
  }
  return amounts.map((amount) => runs.get(amount) ?? 0)
}

/** Returns the cell of each node: nodes of one cell differ by no more than half in cpu, and in memory. */
export function cellsOf(nodes: readonly NodeSizes[]): number[] {
  const cpu = runsOf(nodes.map((node) => node.cpu))
  const memory = runsOf(nodes.map((node) => node.memory))
  const width = Math.max(0, ...memory) + 1
  return nodes.map((_, index) => (cpu[index] ?? 0) * width + (memory[index] ?? 0))
}

/** Returns the order of nodes by steps that are known, such as the powers of classes; they may have gaps. */
export function axisOf(by: Resource, given: ReadonlyArray<number | undefined>): Axis {
  const known = [...new Set(given.filter((step) => step !== undefined))].sort((a, b) => a - b)
  const steps = given.map((step) => (step === undefined ? undefined : known.indexOf(step)))
  return { by, steps, count: Math.max(1, known.length) }
}

/** Returns the order of nodes by an amount that tells their sizes, such as the value of a label. */
export function axisBy(by: Resource, amounts: ReadonlyArray<number | undefined>): Axis {
  const known = amounts.flatMap((amount) => (amount === undefined ? [] : [amount]))
  const runs = runsOf(known).values()
  return axisOf(
    by,
    amounts.map((amount) => (amount === undefined ? undefined : (runs.next().value ?? 0))),
  )
}

/** One core counts as 4 GiB: the cost of an amount in thousandths of a core, times 4096. */
export function costOf({ cpu = 0, memory = 0 }: Sizes): number {
  return cpu * 4096 + memory * 1000
}

/** A cost in cores and quarters of GiB. */
export function costInCores(cost: number): number {
  return cost / 4_096_000
}
