import { Admission, type Bin, type Bins, hasRoom, mayReopen } from './bins.ts'
import type { Guardrail } from './guardrails.ts'
import { FirstFit, type Naming, type Opened, Openings } from './openings.ts'
import { bySize, type PodGroup, type WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import { isFitting, type ResourceAxes, take, type Vector } from './resources.ts'

/** Where the pending pods of a run go. */
export interface Packing {
  readonly outcomes: ReadonlyMap<WaitingPod, Outcome>
  /** Returns the pods that concern a pool. */
  readonly podsOf: (pool: Pool) => PoolPods
  /** By pool, in the order in which they were opened. */
  readonly opened: ReadonlyMap<Pool, readonly Opened[]>
  /** The machines that got a pod, hold one, or keep headroom: none of them is idle. */
  readonly used: ReadonlySet<Bin>
  /** By pool, the limit that keeps it below minNodes. */
  readonly belowMinimum: ReadonlyMap<Pool, Guardrail>
  /** By pool, how many virtual pods of its headroom have no room, and the limit. */
  readonly withoutHeadroom: ReadonlyMap<Pool, { readonly pods: number; readonly why: Guardrail | 'TooLarge' }>
}

/**
 * Packs pending pods, the largest first, into today's nodes, marked nodes, machines in flight, machines that this run
 * has opened, and then new ones of the pools in their order, first fit; a pod for which a machine was opened that has
 * just come, or comes, into that one before all others, so that none takes its place and has it open a second; then
 * headroom, then the least number of nodes. What is opened is packed in the same way by every later run, which knows
 * the pods of each machine, or packs machines in the order of pools.
 */
export function pack(
  pods: readonly WaitingPod[],
  pools: readonly Pool[],
  bins: Bins,
  axes: ResourceAxes,
  nameOf: Naming,
): Packing {
  const packer = new Packer(pools, bins, nameOf)
  const outcomes = new Map<WaitingPod, Outcome>()
  const sorted = [...pods].sort(bySize)
  for (const pod of sorted) {
    const own = packer.placeOnOwn(pod)
    if (own !== undefined) outcomes.set(pod, own)
  }
  for (const pod of sorted) if (!outcomes.has(pod)) outcomes.set(pod, packer.place(pod))
  const withoutHeadroom = new Map<Pool, { pods: number; why: Guardrail | 'TooLarge' }>()
  for (const pool of pools) {
    const missing = packer.keepHeadroom(pool, axes)
    if (missing !== undefined) withoutHeadroom.set(pool, missing)
  }
  const belowMinimum = new Map<Pool, Guardrail>()
  for (const pool of pools) {
    const guardrail = packer.fillUp(pool)
    if (guardrail !== undefined) belowMinimum.set(pool, guardrail)
  }
  return {
    ...{ outcomes, podsOf: podsByPool(outcomes, pools), opened: packer.openings.byPool, used: packer.used },
    ...{ belowMinimum, withoutHeadroom },
  }
}

const NOTHING: Vector = []

function headroomOf({ headroom }: Pool['settings'], axes: ResourceAxes): Vector {
  return axes.vector({ ...headroom.requests, pods: 1 }, 'up')
}

class Packer {
  readonly openings: Openings
  readonly used = new Set<Bin>()
  readonly #bins: Bins
  readonly #admission = new Admission()
  /** By list and pools. */
  readonly #trees = { all: new Map<readonly Pool[], FirstFit<Bin>>(), fresh: new Map(), settled: new Map() }
  /** What no two pods on a node may have in common, by the machines that got a pod with it. */
  readonly #held = new Map<Bin, Set<string>>()
  /** By their orders, the lists of pools whose window is over. */
  readonly #parts = new Map<string, readonly Pool[]>()
  /** The latest time at which a settled node became Ready. */
  readonly #lastSettled: number

  constructor(pools: readonly Pool[], bins: Bins, nameOf: Naming) {
    this.#bins = bins
    this.openings = new Openings(pools, nameOf)
    this.#lastSettled = bins.settled.reduce((last, { readySince = 0 }) => Math.max(last, readySince), 0)
  }

  place(pod: WaitingPod): Outcome {
    const { group, age } = pod
    if (group.pools.length === 0) return { kind: 'no pool' }
    const pools = this.#openFor(group.pools, age)
    if (pools.length === 0) return { kind: 'young' }
    const own = this.#ownBin(pod)
    const idle = own !== undefined && isInVain(pod, own) ? own : this.#unhelpful(pod, pools)
    if (idle !== undefined) {
      this.used.add(idle)
      return { kind: 'not helped', bin: idle }
    }
    return this.#put(pod, pools) ?? this.#open(pod, pools)
  }

  /**
   * Places a pod on the machine that was opened for it; undefined if it has none, its node has settled, or other pods
   * are bound there and leave too little room.
   */
  placeOnOwn(pod: WaitingPod): Outcome | undefined {
    const own = this.#ownBin(pod)
    if (own === undefined || own.isSettled === true || !pod.group.pools.includes(own.pool)) return undefined
    if (this.#holdsAlike(own, pod.group)) return undefined
    if (hasRoom(own, pod.group.request)) return this.#take(own, pod.group.request, pod.group)
    if (isTakenFrom(pod, own)) return undefined
    // whether it runs on a node that is smaller than planned shows when the node has settled
    this.used.add(own)
    return { kind: 'placed', bin: own }
  }

  /** Returns the last machine that was opened for a pod; a later pod of the same name was not pending then. */
  #ownBin({ id, since }: WaitingPod): Bin | undefined {
    if (since === undefined) return undefined
    return this.#bins.byPod.get(id)?.findLast(({ opening }) => opening !== undefined && since <= opening.at)
  }

  /** Returns a node with room that became Ready after the pod was pending, and had time to take it. */
  #unhelpful({ group, since }: WaitingPod, pools: readonly Pool[]): Bin | undefined {
    if (since === undefined || since >= this.#lastSettled) return undefined
    return this.#treeOf('settled', pools).find(
      [...group.request, since + 1],
      // a pod that it may not share a node with may run on one that is taken
      (bin) => this.#admission.admits(group, bin) && !(group.alone.length > 0 && bin.isTaken === true),
    )
  }

  #put(pod: WaitingPod, pools: readonly Pool[]): Outcome | undefined {
    const { group, age } = pod
    const isOld = ({ settings }: Pool) => age >= settings.times.trust
    // an old pod has been refused by every settled node, of the pools that trust the scheduler by now
    const tree = this.#treeOf(pools.every(isOld) ? 'fresh' : 'all', pools)
    const bin = tree.find(
      group.request,
      (one) =>
        this.#admission.admits(group, one) &&
        !this.#holdsAlike(one, group) &&
        !(one.isSettled === true && isOld(one.pool)) &&
        mayReopen(one, pod, one.pool.settings.times.trust),
    )
    return bin && this.#take(bin, group.request, group)
  }

  /** Whether a pod that the group may not share a node with was placed on a machine in this run. */
  #holdsAlike(bin: Bin, group: PodGroup): boolean {
    const held = this.#held.get(bin)
    return held !== undefined && group.alone.some((one) => held.has(one))
  }

  /** Returns the pools whose window is over for a pod of an age; the same list for the same pools. */
  #openFor(all: readonly Pool[], age: number): readonly Pool[] {
    const isOver = ({ settings }: Pool) => age >= settings.scaleUp.window
    if (all.every(isOver)) return all
    const pools = all.filter(isOver)
    const key = pools.map(({ order }) => order).join()
    const known = this.#parts.get(key) ?? pools
    this.#parts.set(key, known)
    return known
  }

  /** Returns the bins of some pools; of settled ones their room before this run, and when they became Ready. */
  #treeOf(list: 'all' | 'fresh' | 'settled', pools: readonly Pool[]): FirstFit<Bin> {
    const known = this.#trees[list].get(pools)
    if (known !== undefined) return known
    const bins = this.#bins[list].filter(({ pool }) => pools.includes(pool))
    const tree =
      list === 'settled'
        ? new FirstFit(bins, ({ start, readySince = 0 }) => [...start, readySince])
        : new FirstFit(bins, ({ room }) => room)
    this.#trees[list].set(pools, tree)
    return tree
  }

  #take(bin: Bin, request: Vector, group?: PodGroup): Outcome {
    take(bin.room, request)
    this.used.add(bin)
    if (group !== undefined && group.alone.length > 0) {
      const held = this.#held.get(bin) ?? new Set()
      this.#held.set(bin, held)
      for (const one of group.alone) held.add(one)
    }
    return { kind: 'placed', bin }
  }

  #open(pod: WaitingPod, pools: readonly Pool[]): Outcome {
    const { id, group, since } = pod
    // a run that does not know for which pods machines were opened packs them in the order of pools
    const isRemembered = since !== undefined && pools.every(({ remembersPods }) => remembersPods)
    let stopped: Outcome | undefined
    const isWanted = group.alone.length > 0 ? (bin: Bin) => !this.#holdsAlike(bin, group) : undefined
    const shared = isRemembered ? this.openings.first(pools, group.request, isWanted) : undefined
    for (const pool of pools) {
      const open = shared ?? this.openings.first([pool], group.request, isWanted)
      const made = open ?? this.openings.open(pool, pool.sizes.fitting(group.request))
      if (typeof made === 'object') {
        this.openings.serve(made, id)
        return this.#take(made, group.request, group)
      }
      if (made !== 'TooLarge') stopped ??= { kind: 'held back', pool, guardrail: made }
    }
    return stopped ?? { kind: 'too large' }
  }

  /** Keeps room for the virtual pods of a pool; returns how many have none, and why. */
  keepHeadroom(pool: Pool, axes: ResourceAxes): { pods: number; why: Guardrail | 'TooLarge' } | undefined {
    const { pods } = pool.settings.headroom
    const request = headroomOf(pool.settings, axes)
    const own = [pool]
    for (let kept = 0; kept < pods; kept++) {
      const today = this.#treeOf('all', own).find(request)
      const bin = today ?? this.openings.first(own, request)
      const made = bin ?? this.openings.open(pool, pool.sizes.fitting(request))
      if (typeof made !== 'object') return { pods: pods - kept, why: made }
      this.#take(made, request)
    }
    return undefined
  }

  /** Opens marked nodes again, then new machines, until the pool has minNodes; returns the limit that prevents it. */
  fillUp(pool: Pool): Guardrail | undefined {
    const { minNodes } = pool.settings.limits
    const marked = this.#bins.all.filter((bin) => bin.kind === 'marked' && bin.pool === pool && !this.used.has(bin))
    const leaving = pool.machines.filter(
      ({ state, node }) => state === 'deleting' || state === 'failed' || isGoing(node?.mark, node?.name, this.#bins),
    ).length
    let staying = pool.machines.length - leaving - marked.length + (this.openings.byPool.get(pool)?.length ?? 0)
    for (const bin of marked) {
      if (staying >= minNodes) return undefined
      this.used.add(bin)
      staying++
    }
    while (staying < minNodes) {
      const smallest = pool.sizes.fitting(NOTHING)
      const made = this.openings.open(pool, smallest)
      if (typeof made !== 'object') return made === 'TooLarge' ? undefined : made
      staying++
    }
    return undefined
  }
}

/**
 * Whether a node that was opened for a pod and has settled is the last that the pod gets. If other pods took its place,
 * the pod gets another node, unless something limits it that is not planned with: that may be why it waits, and a pod
 * that never runs would open a machine whenever others fill the last.
 */
function isInVain(pod: WaitingPod, bin: Bin): boolean {
  const { request, alone } = pod.group
  return bin.isSettled === true && (!isTakenFrom(pod, bin) || (alone.length === 0 && isFitting(request, bin.start)))
}

/** What limits pods that share no node with their like, besides what they may not have in common. */
const PLANNED_ALONE = ['hostPorts', 'podAffinity']

/** Whether other pods run on the node that a pod waits for, and nothing limits it that is not planned with. */
function isTakenFrom({ group: { like, alone } }: WaitingPod, { isTaken }: Bin): boolean {
  return (
    isTaken === true &&
    like.limits.every((limit) => alone.includes(limit) || (alone.length > 0 && PLANNED_ALONE.includes(limit)))
  )
}

/** Whether a node has our mark in the cluster and cannot be opened again: its claim is dropped already. */
function isGoing(mark: string | undefined, name: string | undefined, { all }: Bins): boolean {
  return mark !== undefined && !all.some((bin) => bin.kind === 'marked' && bin.node?.name === name)
}

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
interface PoolPods {
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
function podsByPool(outcomes: ReadonlyMap<WaitingPod, Outcome>, pools: readonly Pool[]): (pool: Pool) => PoolPods {
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
