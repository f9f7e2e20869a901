import type { Bin } from './bins.ts'
import { FirstFit } from './first-fit.ts'
import { type Guardrail, Guardrails } from './guardrails.ts'
import type { Pool } from './pool.ts'
import type { Vector } from './resources.ts'
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

  /** Returns the machine of the pools that was opened first and has room. */
  first(pools: readonly Pool[], request: Vector): Bin | undefined {
    let first: Bin | undefined
    for (const pool of pools) {
      const bin = this.#bins.get(pool)?.find(request)
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
