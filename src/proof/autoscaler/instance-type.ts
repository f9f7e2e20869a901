import type { Shape } from '../../inventory/index.ts'
import type { Labels, ResourceQuantities } from '../../kube/index.ts'
import { indexBy } from '../../world/index.ts'
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

/** The values that a label may have on nodes of one kind; undefined is its absence. */
export type Values = ReadonlyArray<string | undefined>

/** An instance type as nodes and declared shapes show it. */
export interface InstanceType {
  /** Empty for one that no node has. */
  readonly name: string
  /** The values of each label that Karpenter knows of the type, of those that are asked for. */
  readonly values: ReadonlyMap<string, Values>
  readonly capacity: ResourceQuantities
}

/** Stands for a value that nobody has seen. */
export const UNSEEN = 'nodefit-unseen'

/**
 * The instance types of a fleet, with what they are known by of the labels that are asked for. Which zones and capacity
 * types a type comes in no node shows, so each comes in all that the fleet has and that NodePools name.
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

/** A type like another that no node has, and that lacks what some types lack. */
export function unseenLike({ values, capacity }: InstanceType): InstanceType {
  const other = [...values].map(([key, own]): [string, Values] => {
    if (key === INSTANCE_TYPE) return [key, [UNSEEN]]
    return [key, isLackedBySome(key) ? [undefined] : own]
  })
  return { name: '', values: new Map(other), capacity }
}

/** What Karpenter's provider says of the type (`InstanceType.Requirements`): values, or that there are none. */
export function wantsOf({ values }: InstanceType): Wants {
  const wanted = (own: Values): Wanted => ({ allBut: false, values: new Set(own.filter((one) => one !== undefined)) })
  return new Map([...values].map(([key, own]) => [key, wanted(own)]))
}

/** The value of a label, by whichever of its names. */
export function valueIn(labels: Labels, wanted: string): string | undefined {
  if (Object.hasOwn(labels, wanted)) return labels[wanted]
  const alias = Object.keys(labels).find((key) => asKarpenter(key) === wanted)
  return alias === undefined ? undefined : labels[alias]
}

/** The distinct members of a list, in order. */
export function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

function offeredValues(key: string, shapes: readonly Shape[], named: readonly string[]): Values {
  const seen = unique([...shapes.flatMap(({ labels }) => valueIn(labels, key) ?? []), ...named]).sort()
  if (isOfReservation(key)) return [...seen, undefined]
  return key === CAPACITY_TYPE ? unique([...seen, 'on-demand', 'spot']) : seen
}

/** The most that a node of the type has. */
function capacityOf(shapes: readonly Shape[]): ResourceQuantities {
  const [first] = shapes.filter(({ capacity }) => Object.keys(capacity).length > 0)
  return first?.capacity ?? {}
}
