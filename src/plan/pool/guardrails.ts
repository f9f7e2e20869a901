import { plural } from '../../krm/finding.ts'
import type { Machine } from './machines.ts'
import type { Pool } from './pool.ts'
import { CPU, MEMORY, MIB } from './resources.ts'
import type { Size } from './sizes.ts'

/** The limit that a pool has no room in for another machine. */
export type Guardrail = 'MaxNodes' | 'CpuCeiling' | 'MemoryCeiling' | 'BatchSize'

/** What the machines of a pool count against its limits. 0 is no limit. */
export class Guardrails {
  readonly #pool: Pool
  #machines = 0
  #inFlight = 0
  #cpu = 0
  #memory = 0

  constructor(pool: Pool) {
    this.#pool = pool
    for (const machine of pool.machines) this.#add(machine)
  }

  /** A failed claim without a node is no machine; a stale or leaving one is, until it is gone. */
  #add({ state, claim, node }: Machine): void {
    if (state === 'failed') return
    this.#machines++
    if (state === 'joining') this.#inFlight++
    const { sizes } = this.#pool
    if (claim !== undefined) {
      const { cpu, memoryMiB } = sizes.of(claim.requirements)
      this.#cpu += cpu
      this.#memory += memoryMiB
    } else if (node !== undefined) {
      this.#cpu += node.capacity[CPU] ?? 0
      this.#memory += (node.capacity[MEMORY] ?? 0) / MIB
    }
  }

  /** Machines of the pool, those opened in this run included. */
  get machines(): number {
    return this.#machines
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Returns the limit that has no room for a machine of the size; undefined if all have. */
  blocking({ cpu, memoryMiB }: Size): Guardrail | undefined {
    const { limits, scaleUp } = this.#pool.settings
    if (limits.maxNodes > 0 && this.#machines + 1 > limits.maxNodes) return 'MaxNodes'
    if (limits.cpuCores > 0 && this.#cpu + cpu > limits.cpuCores * 1000) return 'CpuCeiling'
    if (limits.memoryMiB > 0 && this.#memory + memoryMiB > limits.memoryMiB) return 'MemoryCeiling'
    if (scaleUp.batchSize > 0 && this.#inFlight + 1 > scaleUp.batchSize) return 'BatchSize'
    return undefined
  }

  /** Returns that limit with what is used of it, in words. */
  blockingText(size: Size): string | undefined {
    const { limits, scaleUp } = this.#pool.settings
    const text = {
      MaxNodes: () => `maxNodes is ${limits.maxNodes}, and it has ${plural(this.#machines, 'machine')}`,
      CpuCeiling: () =>
        `cpuCores is ${limits.cpuCores}, its machines have ${this.#cpu / 1000}, and one more has ${size.cpu / 1000}`,
      MemoryCeiling: () =>
        `memoryMiB is ${limits.memoryMiB}, its machines have ${this.#memory}, and one more has ${size.memoryMiB}`,
      BatchSize: () => `scaleUp.batchSize is ${scaleUp.batchSize}, with ${plural(this.#inFlight, 'machine')} in flight`,
    }
    const guardrail = this.blocking(size)
    return guardrail === undefined ? undefined : `${guardrail}: ${text[guardrail]()}`
  }

  /** Counts a new machine. */
  open({ cpu, memoryMiB }: Size): void {
    this.#machines++
    this.#inFlight++
    this.#cpu += cpu
    this.#memory += memoryMiB
  }
}
