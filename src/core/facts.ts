import type { Fleet } from '../facts/inventory/index.ts'
import type { Finding, Read } from '../krm/finding/index.ts'

/**
 * What a subject was planned from: the nodes of its cluster, and what runs there, each as it was read. Subjects of one
 * cluster share a read, whose findings are reported once.
 */
export interface Facts {
  readonly fleets?: ReadonlyArray<Read<Fleet>>
  readonly lives?: ReadonlyArray<Read<unknown>>
}

/** Returns what several plans were made from: the fleets, and the findings of all that was read, each once. */
export function factsOf(planned: ReadonlyArray<{ readonly facts?: Facts }>): {
  readonly fleets: readonly Fleet[]
  readonly findings: readonly Finding[]
} {
  const fleets = [...new Set(planned.flatMap(({ facts }) => facts?.fleets ?? []))]
  const lives = [...new Set(planned.flatMap(({ facts }) => facts?.lives ?? []))]
  return {
    fleets: fleets.flatMap(({ value }) => value ?? []),
    findings: [...fleets, ...lives].flatMap(({ findings }) => findings),
  }
}
