import { podSpecOf } from '../core/object/index.ts'
import type { Fleet, Shape } from '../facts/inventory/index.ts'
import { type PlannedChanges, type Requests, requestsReader } from '../fate/index.ts'
import { type PodSpec, units } from '../kube/index.ts'
import type { CostJson } from './fleet-types.ts'
import { groupRoom } from './group-room.ts'
import { NODE_TYPE } from './node-rows.ts'

/** The price of a node for an hour, by its type. */
export type Prices = ReadonlyMap<string, number>

/** What the pods of a subject are charged for an hour, and on how many nodes that is known. */
export interface Cost {
  readonly before?: number
  readonly after: number
  readonly pricedNodes: number
  readonly nodes: number
}

/**
 * Returns a function that gives what the pods of a subject are charged for an hour: of the price of its node a pod is
 * charged half for its share of the allocatable cpu, and half for its share of the allocatable memory. Nodes without a
 * price, or without a name, are not charged. Before is undefined where it is not known what ran.
 */
export function costsIn(
  fleets: readonly Fleet[],
  prices: Prices,
): (planned: PlannedChanges, isBeforeKnown: boolean) => Cost {
  const shapes = new Map(
    fleets.flatMap((fleet) => fleet.shapes.flatMap((shape) => shape.nodes.map((name) => [name, shape] as const))),
  )
  const rooms = new Map<Shape, ReturnType<typeof groupRoom>['whole']>()
  const roomOf = (shape: Shape) => {
    const known = rooms.get(shape) ?? groupRoom([{ shape }]).whole
    rooms.set(shape, known)
    return known
  }
  const read = requestsReader()
  const costOn = (name: string, pod: PodSpec): number | undefined => {
    const shape = shapes.get(name)
    const price = shape && prices.get(shape.labels[NODE_TYPE] ?? '')
    const requests = read(pod)
    return shape === undefined || price === undefined || requests === undefined
      ? undefined
      : price * shareOf(requests, roomOf(shape))
  }
  return ({ pods }, isBeforeKnown) => {
    let [before, after, pricedNodes, nodes] = [0, 0, 0, 0]
    for (const one of pods) {
      if (one.runsAfter) nodes += one.nodeCount
      for (const name of one.nodes) {
        const was = one.runsBefore && one.before?.isOwn === true ? costOn(name, one.before.pod) : undefined
        const is = one.runsAfter && one.after !== undefined ? costOn(name, podSpecOf(one.after.object)) : undefined
        before += was ?? 0
        after += is ?? 0
        if (is !== undefined) pricedNodes++
      }
    }
    return { ...(isBeforeKnown ? { before } : {}), after, pricedNodes, nodes }
  }
}

function shareOf({ cpu, memory }: Requests, whole: ReturnType<typeof groupRoom>['whole']): number {
  const part = (requested: bigint, all: bigint | undefined) => (all === undefined ? 0 : Number(requested) / Number(all))
  return (part(units('cpu', cpu), whole.cpu) + part(units('memory', memory), whole.memory)) / 2
}

/** Hours in a month, as price lists of clouds have them. */
const MONTH = 730

/** Writes costs: an hour with four decimals, a month with two. */
export function costJson({ before, after, pricedNodes, nodes }: Cost): CostJson {
  const texts = (write: (cost: number) => string) => ({
    ...(before === undefined ? {} : { before: write(before) }),
    after: write(after),
  })
  return {
    hour: texts((cost) => cost.toFixed(4)),
    month: texts((cost) => (cost * MONTH).toFixed(2)),
    pricedNodes,
    nodes,
  }
}

/** Adds costs up; before only where it is known of each. */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, one) => total + of(one), 0)
  const isKnown = costs.every(({ before }) => before !== undefined)
  return {
    ...(isKnown ? { before: sum(({ before = 0 }) => before) } : {}),
    after: sum(({ after }) => after),
    pricedNodes: sum((one) => one.pricedNodes),
    nodes: sum((one) => one.nodes),
  }
}
