import type { Bin } from './bins.ts'
import { type Guardrail, Guardrails } from './guardrails.ts'
import type { Pool } from './pool.ts'
import { isFitting, type Vector } from './resources.ts'
import type { Size } from './sizes.ts'

/** A machine that a run opens. */
export interface Opened {
  readonly bin: Bin
  readonly size: Size
  /** The pods that it was opened for, as `namespace/name`, in the order in which they were placed. */
  readonly pods: readonly string[]
}

/** Names a machine that is opened. */
export type Naming = (pool: Pool, index: number) => string

/** The machines that a run opens, within the limits of their pools. */
export class Openings {
  /** By pool, in the order in which they were opened. */
  readonly byPool = new Map<Pool, Opened[]>()
  readonly #bins = new Map<Pool, FirstFit<Bin>>()
  /** By opened machine, the pods that it is opened for. */
  readonly #pods = new Map<Bin, string[]>()
  /** By opened machine, how many were opened before it. */
  readonly #turns = new Map<Bin, number>()
  readonly #guardrails: ReadonlyMap<Pool, Guardrails>
  readonly #nameOf: Naming

  constructor(pools: readonly Pool[], nameOf: Naming) {
    this.#guardrails = new Map(pools.map((pool) => [pool, new Guardrails(pool)]))
    this.#nameOf = nameOf
  }

  /** Returns the machine of the pools that was opened first, has room, and is wanted. */
  first(pools: readonly Pool[], request: Vector, isWanted?: (bin: Bin) => boolean): Bin | undefined {
    let first: Bin | undefined
    for (const pool of pools) {
      const bin = this.#bins.get(pool)?.find(request, isWanted)
      if (bin !== undefined && (first === undefined || this.#turnOf(bin) < this.#turnOf(first))) first = bin
    }
    return first
  }

  #turnOf(bin: Bin): number {
    return this.#turns.get(bin) ?? 0
  }

  /** Opens a machine of the first size that the limits have room for. */
  open(pool: Pool, sizes: readonly Size[]): Bin | Guardrail | 'TooLarge' {
    const guardrails = this.#guardrails.get(pool)
    if (guardrails === undefined) throw new Error(`${pool.settings.name} is not among the pools`)
    let first: Guardrail | undefined
    for (const size of sizes) {
      const guardrail = guardrails.blocking(size)
      if (guardrail !== undefined) {
        first ??= guardrail
        continue
      }
      guardrails.open(size)
      return this.#add(pool, size)
    }
    return first ?? 'TooLarge'
  }

  #add(pool: Pool, size: Size): Bin {
    const all = this.byPool.get(pool) ?? []
    this.byPool.set(pool, all)
    const name = this.#nameOf(pool, all.length)
    const bin: Bin = { pool, name, kind: 'new', room: [...size.room], start: size.room }
    const pods: string[] = []
    this.#pods.set(bin, pods)
    this.#turns.set(bin, this.#turns.size)
    all.push({ bin, size, pods })
    const bins = this.#bins.get(pool)
    if (bins === undefined) this.#bins.set(pool, new FirstFit([bin], ({ room }) => room))
    else bins.add(bin)
    return bin
  }

  /** Notes that a machine is opened for a pod too. */
  serve(bin: Bin, id: string): void {
    this.#pods.get(bin)?.push(id)
  }
}

/**
 * Finds the first of many things that has room for a request: a tree whose nodes know the most of each resource that is
 * left below them. Room may shrink at any time, and never grows.
 */
export class FirstFit<T> {
  readonly #items: T[]
  readonly #roomOf: (item: T) => number[]
  /** The children of the node at n are at 2n and 2n + 1, the leaves from `#leaves` on; the first node is at 1. */
  #most: Array<number[] | undefined> = []
  #leaves = 1

  /** `roomOf` returns what is left, in an array that is changed in place. */
  constructor(items: Iterable<T>, roomOf: (item: T) => number[]) {
    this.#roomOf = roomOf
    this.#items = [...items]
    this.#build()
  }

  /** Adds a thing behind all others. */
  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#leaves) {
      this.#build()
      return
    }
    let at = this.#leaves + this.#items.length - 1
    this.#most[at] = this.#roomOf(item)
    while (at > 1) {
      at >>= 1
      this.#refresh(at)
    }
  }

  /** Returns the first thing that has room for a request and is wanted. */
  find(request: Vector, isWanted: (item: T) => boolean = () => true): T | undefined {
    return this.#search(1, request, isWanted)
  }

  #search(at: number, request: Vector, isWanted: (item: T) => boolean): T | undefined {
    const most = this.#most[at]
    if (most === undefined || !isFitting(request, most)) return undefined
    if (at >= this.#leaves) {
      const item = this.#items[at - this.#leaves]
      return item !== undefined && isWanted(item) ? item : undefined
    }
    const found = this.#search(2 * at, request, isWanted) ?? this.#search(2 * at + 1, request, isWanted)
    // room may have shrunk since
    if (found === undefined) this.#refresh(at)
    return found
  }

  #build(): void {
    while (this.#leaves < this.#items.length) this.#leaves *= 2
    this.#most = new Array(2 * this.#leaves)
    for (const [index, item] of this.#items.entries()) this.#most[this.#leaves + index] = this.#roomOf(item)
    for (let at = this.#leaves - 1; at > 0; at--) this.#refresh(at)
  }

  #refresh(at: number): void {
    const left = this.#most[2 * at]
    if (left === undefined) return
    const right = this.#most[2 * at + 1] ?? left
    const most = this.#most[at] ?? []
    this.#most[at] = most
    for (let axis = 0; axis < left.length; axis++) most[axis] = Math.max(left[axis] ?? 0, right[axis] ?? 0)
  }
}
