import { indexBy } from '../../core/index.ts'
import type { Shape } from '../../facts/inventory/index.ts'
import type { Labels, ResourceQuantities } from '../../kube/index.ts'
import {
  asKarpenter,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  isFixed,
  isLackedBySome,
  isOfReservation,
  isOpen,
  NODE_POOL,
} from './label-keys.ts'
import type { Wanted, Wants } from './wanted.ts'

/** The values that a label may have on nodes of one kind; undefined means that the label may be absent. */
export type Values = ReadonlyArray<string | undefined>

/** An instance type, as existing nodes and declared shapes show it. */
export interface InstanceType {
  /** Empty for a type that no node has. */
  readonly name: string
  /** The values of each requested label that Karpenter knows for the type. */
  readonly values: ReadonlyMap<string, Values>
  readonly capacity: ResourceQuantities
}

/** A placeholder for a value that no node has. */
export const UNSEEN = 'nodefit-unseen'

/**
 * Returns the instance types of a fleet, with the values of the requested labels. Nodes do not show which zones and
 * capacity types a type is offered in, so each is assumed in all that the fleet has and that NodePools name.
 */
export function instanceTypesOf(
  shapes: readonly Shape[],
  keys: readonly string[],
  namedIn: (key: string) => readonly string[],
): InstanceType[] {
  const byType = indexBy(shapes, ({ labels }) => valueIn(labels, INSTANCE_TYPE))
  const offered = new Map(keys.filter(isOpen).map((key) => [key, offeredValues(key, shapes, namedIn(key))]))
  return [...byType].sort().map(([name, all]) => {
    const launched = all.filter(({ labels }) => valueIn(labels, NODE_POOL) !== undefined)
    const own = launched.length > 0 ? launched : all
    const fixed = keys
      .filter(isFixed)
      .map((key) => [key, unique(own.map(({ labels }) => valueIn(labels, key)))] as const)
    return { name, values: new Map<string, Values>([...fixed, ...offered]), capacity: capacityOf(own) }
  })
}

/** Returns a type that no node has, with the values of another, but without the labels that some types lack. */
export function unseenLike({ values, capacity }: InstanceType): InstanceType {
  const other = [...values].map(([key, own]): [string, Values] => {
    if (key === INSTANCE_TYPE) return [key, [UNSEEN]]
    return [key, isLackedBySome(key) ? [undefined] : own]
  })
  return { name: '', values: new Map(other), capacity }
}

/** Returns the requirements that Karpenter's provider gives the type (`InstanceType.Requirements`): values, or none. */
export function wantsOf({ values }: InstanceType): Wants {
  const wanted = (own: Values): Wanted => ({ allBut: false, values: new Set(own.filter((one) => one !== undefined)) })
  return new Map([...values].map(([key, own]) => [key, wanted(own)]))
}

/** Returns the value of a label under any of its names. */
export function valueIn(labels: Labels, wanted: string): string | undefined {
  if (Object.hasOwn(labels, wanted)) return labels[wanted]
  const alias = Object.keys(labels).find((key) => asKarpenter(key) === wanted)
  return alias === undefined ? undefined : labels[alias]
}

/** Returns the distinct members of a list, in order. */
export function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

function offeredValues(key: string, shapes: readonly Shape[], named: readonly string[]): Values {
  const seen = unique([...shapes.flatMap(({ labels }) => valueIn(labels, key) ?? []), ...named]).sort()
  if (isOfReservation(key)) return [...seen, undefined]
  return key === CAPACITY_TYPE ? unique([...seen, 'on-demand', 'spot']) : seen
}

/** Returns the largest amount of each resource that a node of the type has. */
function capacityOf(shapes: readonly Shape[]): ResourceQuantities {
  const [first] = shapes.filter(({ capacity }) => Object.keys(capacity).length > 0)
  return first?.capacity ?? {}
}
