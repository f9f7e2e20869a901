import type { ContainerHour } from './hour.ts'

/** One measurement of one container by the metrics API. */
export interface Measurement {
  /** The pod's uid or name. */
  readonly pod: string
  /** When it was measured, and when the container started, where that is known; in milliseconds. */
  readonly at: number
  readonly startedAt?: number
  readonly cpu?: number
  readonly memory?: number
  /** The limit that is in force. */
  readonly limitCPU?: number
}

/** A container reads its configuration and fills its caches first: its CPU does not count, its memory may kill it. */
const START = 300_000

interface Sums {
  at: number
  samples: number
  cpu: number
  cpuSamples: number
  memory: number
  limitCPU?: number
  age?: number
}

/**
 * Adds up the measurements of one container in the pods of one node group, hour by hour. A measurement that is read
 * twice counts once, and one without memory not at all: metrics-server says 0 of a container that it has not measured
 * yet.
 */
export class Containers {
  readonly #sums = new Map<string, Sums>()

  /** Adds a measurement; gives whether it counted. */
  add({ pod, at, startedAt, cpu, memory, limitCPU }: Measurement): boolean {
    const sums = this.#sums.get(pod) ?? { at: Number.NEGATIVE_INFINITY, samples: 0, cpu: 0, cpuSamples: 0, memory: 0 }
    if (at <= sums.at || memory === undefined || memory <= 0) return false
    this.#sums.set(pod, sums)
    sums.at = at
    sums.samples++
    sums.memory = Math.max(sums.memory, memory)
    if (limitCPU !== undefined) sums.limitCPU = limitCPU
    else delete sums.limitCPU
    if (startedAt !== undefined) sums.age = Math.max(0, at - startedAt)
    else delete sums.age
    if (cpu === undefined || (startedAt !== undefined && at < startedAt + START)) return true
    sums.cpu += cpu
    sums.cpuSamples++
    return true
  }

  /** Ends the hour: returns what each container used in it, and forgets the pods that were not measured. */
  endHour(): readonly ContainerHour[] {
    const measured = [...this.#sums.values()].filter(({ samples }) => samples > 0)
    const hours = measured.map(({ samples, cpu, cpuSamples, memory, limitCPU, age }): ContainerHour => {
      return {
        samples,
        ...(cpuSamples > 0 && { cpu: cpu / cpuSamples }),
        memory,
        ...(limitCPU !== undefined && { limitCPU }),
        ...(age !== undefined && { age }),
      }
    })
    for (const [pod, sums] of this.#sums) {
      if (sums.samples === 0) this.#sums.delete(pod)
      else this.#sums.set(pod, { at: sums.at, samples: 0, cpu: 0, cpuSamples: 0, memory: 0 })
    }
    return hours
  }
}
