/** The values of one label as Karpenter holds them, with its rules for combining them (`scheduling.Requirement`). */

/**
 * A set of allowed values, or with `allBut` of excluded ones, within bounds. Without values and not `allBut`, the label
 * must be absent, or can never match.
 */
export interface Wanted {
  readonly allBut: boolean
  readonly values: ReadonlySet<string>
  /** Bounds, both included; a value that is no integer is outside. */
  readonly least?: bigint
  readonly most?: bigint
}

export type Wants = ReadonlyMap<string, Wanted>

const INT64_MAX = (1n << 63n) - 1n

const NOTHING: Wanted = { allBut: false, values: new Set() }

/**
 * Returns what a requirement of a pod or a NodePool allows (`NewRequirement`); undefined for an operator that Karpenter
 * does not know.
 */
export function wantedOf(operator: string, values: readonly string[] = []): Wanted | undefined {
  const bound = /^[+-]?[0-9]+$/.test(values[0] ?? '') ? BigInt((values[0] ?? '').replace(/^\+/, '')) : 0n
  switch (operator) {
    case 'In':
      return { allBut: false, values: new Set(values) }
    case 'NotIn':
      return { allBut: true, values: new Set(values) }
    case 'Exists':
      return { allBut: true, values: new Set() }
    case 'DoesNotExist':
      return NOTHING
    case 'Gt':
      return bound >= INT64_MAX ? NOTHING : { allBut: true, values: new Set(), least: bound + 1n }
    case 'Gte':
      return { allBut: true, values: new Set(), least: bound }
    case 'Lt':
      return { allBut: true, values: new Set(), most: bound - 1n }
    case 'Lte':
      return { allBut: true, values: new Set(), most: bound }
    default:
      return undefined
  }
}

/**
 * Combines two requirements (`Requirement.Intersection`). A contradiction becomes the same as a label that must be
 * absent.
 */
export function both(one: Wanted, other: Wanted): Wanted {
  const bounds = boundsOf(one, other)
  if (isCrossed(bounds)) return NOTHING
  const allBut = one.allBut && other.allBut
  const listed = allBut ? [...one.values, ...other.values] : one.allBut ? [...other.values] : [...one.values]
  const isKept = (value: string) =>
    allBut || (one.values.has(value) !== one.allBut && other.values.has(value) !== other.allBut)
  const values = new Set(listed.filter((value) => isKept(value) && isWithin(value, bounds)))
  return allBut ? { allBut, values, ...bounds } : { allBut, values }
}

/** Whether two requirements share a value (`Requirement.HasIntersection`). Two that only exclude values always do. */
export function meet(one: Wanted, other: Wanted): boolean {
  const bounds = boundsOf(one, other)
  if (isCrossed(bounds)) return false
  if (one.allBut && other.allBut) return true
  const [listed, wanted] = one.allBut ? [other, one] : [one, other]
  return [...listed.values].some((value) => wanted.values.has(value) !== wanted.allBut && isWithin(value, bounds))
}

/** Whether Karpenter accepts a node without the label (`Requirement.Operator` is NotIn or DoesNotExist). */
export function mayLack({ allBut, values }: Wanted): boolean {
  return allBut ? values.size > 0 : values.size === 0
}

/** Adds a requirement in place, combined with an existing one for the label. */
export function addWant(wants: Map<string, Wanted>, key: string, wanted: Wanted): void {
  const present = wants.get(key)
  wants.set(key, present === undefined ? wanted : both(wanted, present))
}

/** Whether the requirements share a value for every label that both name (`Requirements.Intersects`). */
export function allMeet(present: Wants, asked: Wants): boolean {
  for (const [key, wanted] of asked) {
    const own = present.get(key)
    if (own !== undefined && !meet(own, wanted) && !(mayLack(own) && mayLack(wanted))) return false
  }
  return true
}

type Bounds = Pick<Wanted, 'least' | 'most'>

function boundsOf(one: Wanted, other: Wanted): Bounds {
  return {
    least: outer(one.least, other.least, (left, right) => left > right),
    most: outer(one.most, other.most, (left, right) => left < right),
  }
}

function outer(
  one: bigint | undefined,
  other: bigint | undefined,
  isNarrower: (left: bigint, right: bigint) => boolean,
) {
  if (one === undefined || other === undefined) return one ?? other
  return isNarrower(one, other) ? one : other
}

function isCrossed({ least, most }: Bounds): boolean {
  return least !== undefined && most !== undefined && least > most
}

function isWithin(value: string, { least, most }: Bounds): boolean {
  if (least === undefined && most === undefined) return true
  if (!/^[+-]?[0-9]+$/.test(value)) return false
  const integer = BigInt(value.replace(/^\+/, ''))
  return (least === undefined || integer >= least) && (most === undefined || integer <= most)
}
