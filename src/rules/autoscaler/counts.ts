import type { Shape } from '../../facts/inventory/index.ts'
import type { NodeIdentity } from '../../kube/index.ts'
import { type Agent, isTolerated, mayBeOn, runsOn, type Sum, sumKey, sumOf, termsThatCount } from './agent.ts'
import { type InstanceType, instanceTypesOf, UNSEEN, unique, unseenLike, type Values } from './instance-type.ts'
import { asKarpenter, INSTANCE_TYPE, isFixed, isLackedBySome, isOpen } from './label-keys.ts'
import {
  givenBy,
  isAllowed,
  type Launch,
  launchOf,
  listedIn,
  namedTypes,
  type Pool,
  takesUnseenTypes,
} from './node-pool.ts'
import type { Wanted, Wants } from './wanted.ts'

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

/** What is known of the nodes that may come. */
interface Counts {
  readonly counts: readonly Count[]
  /** NodePools and types of which the package does not show enough to count. */
  readonly undecided: readonly Undecided[]
}

/** Types that no node has, of which a NodePool leaves labels open that decide what is counted and runs. */
export interface Undecided {
  readonly pool: Pool
  /** Empty for the types of a NodePool that names none. */
  readonly types: readonly string[]
  readonly openKeys: readonly string[]
}

/** The most kinds of node that are told apart within one type and pool. */
const MOST_NODES = 1024

/**
 * Returns what Karpenter counts for agents on each node that it may create from the pools, as its own function does
 * (`buildDaemonOverheadGroups` of 1.14; before that `getDaemonOverhead`, which considers only the pool). For types that
 * no node has, as of a NodePool at zero, counts what the requirements of the NodePool decide.
 */
export function countsOf(
  agents: readonly Agent[],
  pools: readonly Pool[],
  shapes: readonly Shape[],
  isByType: boolean,
): Counts {
  const written = unique(agents.flatMap(({ keys }) => keys))
  const keys = unique([INSTANCE_TYPE, ...written.map(asKarpenter)])
  const asked = unique([...keys, ...pools.flatMap(({ wants }) => [...wants.keys()])])
  const namedIn = (key: string) => pools.flatMap(({ wants }) => [...(wants.get(key)?.values ?? [])])
  const types = instanceTypesOf(shapes, asked, namedIn)
  const ofPools = pools.map((pool) => {
    const named = namedTypes(pool, types, asked)
    const known = [...types, ...named].flatMap((type) => launchOf(pool, type, asked, shapes) ?? [])
    const [like] = known
    const unseen =
      like !== undefined && takesUnseenTypes(pool) ? launchOf(pool, unseenLike(like.type), asked, shapes) : undefined
    const shown = new Set([...types, ...named].map(({ name }) => name))
    const missing = listedIn(pool.wants.get(INSTANCE_TYPE)).filter((name) => !shown.has(name))
    // a NodePool that names no type and of which no known type comes makes types that no node has
    const unnamed = like === undefined && takesUnseenTypes(pool) ? [''] : []
    const assumed = pool.isShown
      ? [...missing, ...unnamed].map((name) => assumedType(name, pool, agents, { keys: asked, known: types }))
      : []
    return { pool, known: unseen === undefined ? known : [...known, unseen], assumed }
  })
  const launches = ofPools.flatMap(({ known }) => known)
  const inTurn = new Map(
    agents.filter(({ terms }) => terms.length > 1).map((agent) => [agent, beginnings(agent, launches, isByType)]),
  )
  const countsOfLaunches = (all: readonly Launch[]) => all.filter(({ isWithinLimits }) => isWithinLimits).map(countOf)
  const decided: Count[] = []
  const undecided: Undecided[] = []
  for (const { pool, assumed } of ofPools) {
    const open = assumed.flatMap((one) => {
      const counts = countsOfLaunches(one.candidates.flatMap((type) => launchOf(pool, type, asked, shapes) ?? []))
      const wrong = unique(counts.filter(({ isExact }) => !isExact).map(countKey))
      if (one.candidates.length > 0 && wrong.length === 0) return []
      const [first] = counts
      if (first !== undefined && wrong.length === 1 && counts.every(({ isExact }) => !isExact)) decided.push(first)
      else if (one.candidates.length === 0 || wrong.length > 0) return [one]
      return []
    })
    if (open.length > 0)
      undecided.push({
        pool,
        types: open.flatMap(({ name }) => (name === '' ? [] : [name])),
        openKeys: unique(open.flatMap(({ openKeys }) => openKeys)),
      })
  }
  return { counts: [...countsOfLaunches(launches), ...decided], undecided }

  function countOf(launch: Launch): Count {
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
  }
}

/** A text that is the same for counts of equal sums. */
function countKey({ least, most, runs }: Count): string {
  return JSON.stringify([least, most, ...runs].map(sumKey))
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

/** An instance type that no node shows, as it may be: one entry for each combination of labels that it may have. */
interface AssumedType {
  /** Empty for a type that the NodePool does not name. */
  readonly name: string
  readonly candidates: readonly InstanceType[]
  /** The labels of which the NodePool leaves several values, and by which agents select. */
  readonly openKeys: readonly string[]
}

/** The most combinations that are compared; of more, only that they are not known. */
const MOST_CANDIDATES = 256

/**
 * Returns what a NodePool may create of a type that no node has. Requirements of the NodePool decide its labels; for
 * one by which agents select, every value that they tell apart is a candidate. Without candidates there are too many.
 */
export function assumedType(
  name: string,
  pool: Pool,
  agents: readonly Agent[],
  { keys, known }: { readonly keys: readonly string[]; readonly known: readonly InstanceType[] },
): AssumedType {
  const selecting = new Set(agents.flatMap(({ terms }) => terms.flatMap((wants) => [...wants.keys()])))
  const fixed = keys.filter(isFixed).flatMap((key): Array<[string, Values]> => {
    const wanted = pool.wants.get(key)
    if (key === INSTANCE_TYPE) return [[key, [name === '' ? UNSEEN : name]]]
    if (selecting.has(key)) return [[key, candidatesFor(key, wanted, agents, known)]]
    return wanted === undefined ? [] : [[key, givenBy(wanted).slice(0, 1)]]
  })
  const open = keys.filter(isOpen).map((key): [string, Values] => {
    return [key, known[0]?.values.get(key) ?? listedIn(pool.wants.get(key))]
  })
  let all: ReadonlyArray<ReadonlyMap<string, Values>> = [new Map(open)]
  for (const [key, values] of fixed) {
    if (all.length * values.length > MOST_CANDIDATES) return { name, candidates: [], openKeys: selectingOf(fixed) }
    all = all.flatMap((one) => values.map((value) => new Map([...one, [key, [value]]])))
  }
  return { name, candidates: all.map((values) => ({ name, values, capacity: {} })), openKeys: selectingOf(fixed) }
}

function selectingOf(fixed: ReadonlyArray<readonly [string, Values]>): string[] {
  return fixed.flatMap(([key, values]) => (values.length > 1 ? [key] : []))
}

/**
 * Returns the values of a label that agents tell apart and the NodePool allows: those that it lists; else those that
 * agents or nodes have, another, the integers around each bound, and none where types may lack the label.
 */
function candidatesFor(
  key: string,
  wanted: Wanted | undefined,
  agents: readonly Agent[],
  known: readonly InstanceType[],
): Values {
  const listed = listedIn(wanted)
  if (listed.length > 0) return listed
  const asked = agents.flatMap(({ terms }) => terms.flatMap((wants) => wants.get(key) ?? []))
  const bounds = [...asked, ...(wanted === undefined ? [] : [wanted])].flatMap(({ least, most }) => [
    ...(least === undefined ? [] : [least - 1n, least]),
    ...(most === undefined ? [] : [most, most + 1n]),
  ])
  const values: Array<string | undefined> = [
    ...asked.flatMap((one) => [...one.values]),
    ...known.flatMap((one) => one.values.get(key) ?? []),
    ...bounds.filter((bound) => bound >= 0n).map(String),
    // a label with bounds has integers
    ...(bounds.length === 0 ? [UNSEEN] : []),
    ...(isLackedBySome(key) ? [undefined] : []),
  ]
  return unique(values).filter(
    (value) => (value === undefined ? isLackedBySome(key) : true) && isAllowed(value, wanted),
  )
}
