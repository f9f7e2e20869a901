import type { Shape } from '../../inventory/index.ts'
import type { NodeIdentity } from '../../kube/index.ts'
import { type Agent, isTolerated, mayBeOn, runsOn, type Sum, sumKey, sumOf, termsThatCount } from './agent.ts'
import { instanceTypesOf, UNSEEN, unique, unseenLike, type Values } from './instance-type.ts'
import { asKarpenter, INSTANCE_TYPE } from './label-keys.ts'
import { type Launch, launchOf, namedTypes, takesUnseenTypes } from './launch.ts'
import type { Pool } from './node-pool.ts'
import type { Wants } from './wanted.ts'

/** What Karpenter counts for agents on a new node, and what runs there. */
export interface Count {
  readonly launch: Launch
  /** What Karpenter counts; the least and the most, where it depends on the order of types and pools. */
  readonly least: Sum
  readonly most: Sum
  /** What runs, one entry for each distinct sum that the node's labels allow. */
  readonly runs: readonly Sum[]
  readonly isExact: boolean
}

/** The most kinds of node that are told apart within one type and pool. */
const MOST_NODES = 1024

/**
 * Returns what Karpenter counts for agents on each node that it may create from the pools, as its own function does
 * (`buildDaemonOverheadGroups` of 1.14; before that `getDaemonOverhead`, which considers only the pool).
 */
export function countsOf(
  agents: readonly Agent[],
  pools: readonly Pool[],
  shapes: readonly Shape[],
  isByType: boolean,
): Count[] {
  const written = unique(agents.flatMap(({ keys }) => keys))
  const keys = unique([INSTANCE_TYPE, ...written.map(asKarpenter)])
  const asked = unique([...keys, ...pools.flatMap(({ wants }) => [...wants.keys()])])
  const namedIn = (key: string) => pools.flatMap(({ wants }) => [...(wants.get(key)?.values ?? [])])
  const types = instanceTypesOf(shapes, asked, namedIn)
  const launches = pools.flatMap((pool) => {
    const known = [...types, ...namedTypes(pool, types, asked)].flatMap(
      (type) => launchOf(pool, type, asked, shapes) ?? [],
    )
    const [like] = known
    const unseen =
      like !== undefined && takesUnseenTypes(pool) ? launchOf(pool, unseenLike(like.type), asked, shapes) : undefined
    return unseen === undefined ? known : [...known, unseen]
  })
  const inTurn = new Map(
    agents.filter(({ terms }) => terms.length > 1).map((agent) => [agent, beginnings(agent, launches, isByType)]),
  )
  return launches
    .filter(({ isWithinLimits }) => isWithinLimits)
    .map((launch) => {
      const near = isByType ? agents.filter((agent) => mayBeOn(agent, certainOf(launch))) : agents
      const counted = near.flatMap((agent) => {
        const matching = isTolerated(agent, launch.pool) ? termsThatCount(agent, launch, isByType) : []
        const starts = inTurn.get(agent) ?? [0]
        const isSure = starts.every((start) => matching.some((index) => index >= start))
        return matching.length === 0 ? [] : [{ agent, isSure }]
      })
      const most = sumOf(counted.map(({ agent }) => agent))
      const least = sumOf(counted.filter(({ isSure }) => isSure).map(({ agent }) => agent))
      const sums = nodesOf(launch, keys, written).map((node) =>
        sumOf(near.filter((agent) => runsOn(agent, node, launch.pool))),
      )
      const runs = [...new Map(sums.map((sum) => [sumKey(sum), sum])).values()]
      const isExact = sumKey(least) === sumKey(most) && runs.every((sum) => sumKey(sum) === sumKey(most))
      return { launch, least, most, runs, isExact }
    })
}

/** Returns what holds for every node of a launch: omits a label that some of them lack. */
function certainOf({ typeWants, values }: Launch): Wants {
  const isCertain = (own: Values = []) => own.length < 2 || !own.includes(undefined)
  return new Map([...typeWants].filter(([key]) => isCertain(values.get(key))))
}

/**
 * Returns the terms that Karpenter may have reached for an agent when it comes to a type: it drops a term that does not
 * match one type for all types after it. Returns every term if a pool allows types that no node has.
 */
function beginnings(agent: Agent, launches: readonly Launch[], isByType: boolean): number[] {
  const met = launches.filter(({ pool }) => isTolerated(agent, pool))
  if (met.some(({ pool }) => takesUnseenTypes(pool))) return [...agent.terms.keys()]
  const steps = met.map((launch) => termsThatCount(agent, launch, isByType))
  const reached = new Set([0])
  for (const start of reached)
    for (const matching of steps) reached.add(matching.find((index) => index >= start) ?? agent.terms.length - 1)
  return [...reached]
}

/** Returns the nodes that may come from a launch, told apart by the labels that agents select by. */
function nodesOf({ values }: Launch, keys: readonly string[], written: readonly string[]): NodeIdentity[] {
  let all: ReadonlyArray<ReadonlyMap<string, string | undefined>> = [new Map()]
  for (const key of keys) {
    const own = values.get(key) ?? [undefined]
    if (all.length * own.length > MOST_NODES) break
    all = all.flatMap((one) => own.map((value) => new Map([...one, [key, value]])))
  }
  return all.map((node) => ({
    name: UNSEEN,
    labels: Object.fromEntries(
      written.flatMap((key): Array<[string, string]> => {
        const value = node.get(asKarpenter(key))
        return value === undefined ? [] : [[key, value]]
      }),
    ),
  }))
}
