import { Quantity, type ResourceQuantities } from '../../kube/index.ts'

/** Amounts by position in `ResourceAxes`: cpu in millicores, any other in whole units. */
export type Vector = readonly number[]

/** The positions of the resources that every machine has. */
export const CPU = 0
export const MEMORY = 1
export const PODS = 2

/** Bytes in a MiB. */
export const MIB = 1_048_576

const ALWAYS = ['cpu', 'memory', 'pods'] as const
const MILLI = 1_000_000n
const UNIT = 1_000_000_000n
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * The resources of a run: those that every machine has, then the others that pods request. Amounts are numbers, since
 * thousands of pods are compared with thousands of nodes; what is larger than 2^53 counts as 2^53.
 */
export class ResourceAxes {
  readonly names: readonly string[]

  constructor(names: Iterable<string>) {
    const others = [...new Set(names)].filter((name) => !(ALWAYS as readonly string[]).includes(name))
    this.names = [...ALWAYS, ...others.sort()]
  }

  /** Returns amounts as a vector: up for what is requested, down for what there is. Absent ones are 0. */
  vector(amounts: ResourceQuantities | undefined, rounding: 'up' | 'down'): number[] {
    return this.names.map((name) => {
      const amount = amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined
      return amount === undefined ? 0 : units(name, Quantity.parse(amount), rounding)
    })
  }
}

function units(name: string, amount: Quantity, rounding: 'up' | 'down'): number {
  const nano = amount.nanoValue()
  const unit = name === 'cpu' ? MILLI : UNIT
  const whole = nano / unit
  const rounded = rounding === 'up' && nano % unit > 0n ? whole + 1n : whole
  return Number(rounded > LARGEST ? LARGEST : rounded)
}

/** Whether a request fits the room; a resource that is not requested needs none, be the room negative. */
export function isFitting(request: Vector, room: Vector): boolean {
  return shortAt(request, room) === undefined
}

/** Returns the position of the first resource of which there is too little; undefined if there is none. */
export function shortAt(request: Vector, room: Vector): number | undefined {
  for (let at = 0; at < request.length; at++) {
    const amount = request[at] ?? 0
    if (amount > 0 && amount > (room[at] ?? 0)) return at
  }
  return undefined
}

/** Returns the sum, amount by amount. */
export function plus(left: Vector, right: Vector): number[] {
  return left.map((amount, at) => amount + (right[at] ?? 0))
}

/** Returns what is left, which may be negative. */
export function minus(left: Vector, right: Vector): number[] {
  return left.map((amount, at) => amount - (right[at] ?? 0))
}

/** Returns the larger of each two amounts. */
export function larger(left: Vector, right: Vector): number[] {
  return left.map((amount, at) => Math.max(amount, right[at] ?? 0))
}

/** Returns the smaller of each two amounts. */
export function smaller(left: Vector, right: Vector): number[] {
  return left.map((amount, at) => Math.min(amount, right[at] ?? 0))
}

/** Takes a request from the room, in place. */
export function take(room: number[], request: Vector): void {
  for (let at = 0; at < room.length; at++) room[at] = (room[at] ?? 0) - (request[at] ?? 0)
}

/** Formats an amount for a message: `3800m cpu`, `8000Mi memory`, `4 nvidia.com/gpu`. */
export function amountText(name: string, amount: number): string {
  if (name === 'cpu') return `${amount}m cpu`
  if (name === 'memory') return `${amount % MIB === 0 ? `${amount / MIB}Mi` : amount} memory`
  return `${amount} ${name}`
}
