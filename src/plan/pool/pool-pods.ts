import type { Bin } from './bins.ts'
import type { Guardrail } from './guardrails.ts'
import type { WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'

/** What becomes of a pending pod. */
export type Outcome =
  | { readonly kind: 'placed'; readonly bin: Bin }
  | { readonly kind: 'young' }
  | { readonly kind: 'no pool' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'held back'; readonly pool: Pool; readonly guardrail: Guardrail }
  /** A node came for it and did not help. */
  | { readonly kind: 'not helped'; readonly bin: Bin }

/** A pending pod, and what becomes of it. */
export type Decided = readonly [pod: WaitingPod, outcome: Outcome]

/** The pending pods that concern a pool, each list in the order in which they were placed. */
export interface PoolPods {
  /** Pods placed on its machines. */
  readonly served: readonly Decided[]
  /** Pods that may run on its new nodes, and that no pool serves. */
  readonly unserved: readonly Decided[]
  /** Pods that may run on its new nodes, and that something limits that is not planned with. */
  readonly limited: readonly Decided[]
  /** Unserved pods that it reports: each pod is reported by one pool. */
  readonly reported: readonly Decided[]
  /** When the pods that are too young were first refused, in milliseconds, of those that may run on its new nodes. */
  readonly young: ReadonlyArray<ReadonlySet<number>>
  /** The same of the pods that are placed, be it on machines of another pool. */
  readonly placed: ReadonlyArray<ReadonlySet<number>>
}

type Lists = { -readonly [Name in 'served' | 'unserved' | 'limited' | 'reported']: Decided[] }

/** Sorts the pods of a run by the pools that they concern. With many pods, most pools of each have nothing to say. */
export function podsByPool(
  outcomes: ReadonlyMap<WaitingPod, Outcome>,
  pools: readonly Pool[],
): (pool: Pool) => PoolPods {
  const lists = new Map(
    pools.map((pool): [Pool, Lists] => [pool, { served: [], unserved: [], limited: [], reported: [] }]),
  )
  const add = (pool: Pool | undefined, list: keyof Lists, one: Decided) => {
    if (pool !== undefined) lists.get(pool)?.[list].push(one)
  }
  // groups that may run on the same nodes share the list of their pools
  const young = new Map<readonly Pool[], Set<number>>()
  const placed = new Map<readonly Pool[], Set<number>>()
  for (const one of outcomes) {
    const [{ group, since }, outcome] = one
    if (outcome.kind === 'placed') add(outcome.bin.pool, 'served', one)
    else {
      for (const pool of group.pools) add(pool, 'unserved', one)
      add(reporterOf(one), 'reported', one)
    }
    if (group.like.limits.length > 0) for (const pool of group.pools) add(pool, 'limited', one)
    if (outcome.kind === 'placed') note(placed, group.pools, since)
    else if (outcome.kind === 'young') note(young, group.pools, since)
  }
  const timesFor = (times: typeof young, pool: Pool) =>
    [...times].flatMap(([all, known]) => (all.includes(pool) ? [known] : []))
  return (pool) => {
    const known = lists.get(pool)
    if (known === undefined) throw new Error(`${pool.settings.name} is not among the pools`)
    return { ...known, young: timesFor(young, pool), placed: timesFor(placed, pool) }
  }
}

/** Returns the pool that reports a pod: the one that is at its limit, whose node did not help, or its first. */
function reporterOf([{ group }, outcome]: Decided): Pool | undefined {
  if (outcome.kind === 'held back') return outcome.pool
  if (outcome.kind === 'not helped') return outcome.bin.pool
  return outcome.kind === 'too large' ? group.pools[0] : undefined
}

function note(times: Map<readonly Pool[], Set<number>>, pools: readonly Pool[], since: number | undefined): void {
  if (since === undefined) return
  const known = times.get(pools)
  if (known === undefined) times.set(pools, new Set([since]))
  else known.add(since)
}
