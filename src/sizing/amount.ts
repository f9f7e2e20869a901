import { Quantity } from '../kube/index.ts'
import { type Fraction, type Resource, timesRoundedDown } from '../policy/index.ts'

const HUNDRED = 100n
const NANO_PER_MILLI = 1_000_000n
const NANO_PER_UNIT = 1_000_000_000n
const KI = 1024n
const MI = KI * KI

/** The smallest step of a resource: thousandths of a core, or bytes. */
const NANO_PER_STEP: Record<Resource, bigint> = { cpu: NANO_PER_MILLI, memory: NANO_PER_UNIT }

/** An amount in millicores or bytes; `bound` is the minimum or maximum that decided it, if one did. */
export interface Amount {
  readonly steps: bigint
  readonly bound?: Quantity
}

/** percentage of basis, rounded down to a millicore or byte, then held between the bounds. */
export function amountOf(
  resource: Resource,
  percentage: Fraction,
  basis: Quantity,
  min: Quantity,
  max: Quantity,
): Amount & { raw: bigint } {
  const step = NANO_PER_STEP[resource]
  const raw = timesRoundedDown(basis.nanoValue(), percentage, HUNDRED * step)
  if (raw * step <= min.nanoValue()) return { raw, steps: stepsOf(resource, min), bound: min }
  if (raw * step >= max.nanoValue()) return { raw, steps: stepsOf(resource, max), bound: max }
  return { raw, steps: raw }
}

/** A quantity in steps of its resource, a finer rest rounded up. */
export function stepsOf(resource: Resource, quantity: Quantity): bigint {
  return resource === 'cpu' ? quantity.milliValue() : quantity.value()
}

/** The canonical text of an amount: a bound as it is; CPU in millicores; memory in whole Mi, but not below `min`. */
export function printAmount(resource: Resource, { steps, bound }: Amount, min: Quantity): string {
  if (bound !== undefined) return bound.toString()
  if (resource === 'cpu') return Quantity.ofMilli(steps).toString()
  const rounded = roundMemory(steps)
  return rounded * NANO_PER_UNIT < min.nanoValue() ? min.toString() : printMemory(rounded)
}

/** Whole Mi, below 1Mi whole Ki, below 1Ki bytes; always rounded down. */
export function roundMemory(bytes: bigint): bigint {
  if (bytes >= MI) return bytes - (bytes % MI)
  return bytes >= KI ? bytes - (bytes % KI) : bytes
}

export function printMemory(bytes: bigint): string {
  return Quantity.of(bytes, 'BinarySI').toString()
}
