import type { Shape } from '../../facts/inventory/index.ts'
import { Quantity, unlessMalformed } from '../../kube/index.ts'
import { type InstanceType, UNSEEN, unique, type Values, valueIn, wantsOf } from './instance-type.ts'
import { HOSTNAME, INSTANCE_TYPE, isFixed, isOfReservation, isOpen, NODE_POOL } from './label-keys.ts'
import type { Pool } from './node-pool.ts'
import { allMeet, mayLack, meet, type Wanted, type Wants } from './wanted.ts'

/** A node that Karpenter may create from a NodePool and an instance type. */
export interface Launch {
  readonly pool: Pool
  readonly type: InstanceType
  /** What Karpenter knows about the type when it counts. */
  readonly typeWants: Wants
  /** The values that each requested label may have on the node. */
  readonly values: ReadonlyMap<string, Values>
  /** Labels that nodes of the pool have and that Karpenter does not know when it counts. */
  readonly later: readonly string[]
  /** Whether it can be created: Karpenter applies the pool's limits only after it counts. */
  readonly isWithinLimits: boolean
}

/**
 * Returns what a NodePool may create from an instance type, as far as `keys` tell; undefined where the NodePool
 * excludes the type.
 */
export function launchOf(
  pool: Pool,
  type: InstanceType,
  keys: readonly string[],
  shapes: readonly Shape[],
): Launch | undefined {
  const open = keys.filter(isOpen).map((key) => [key, offeredIn(pool, key, type.values.get(key) ?? [])] as const)
  const offered: InstanceType = { ...type, values: new Map([...type.values, ...open]) }
  const typeWants = wantsOf(offered)
  if (!allMeet(typeWants, pool.wants)) return undefined
  const poolNodes = nodesOf(pool, shapes)
  const later: string[] = []
  const values = keys.map((key): [string, Values] => {
    const wanted = pool.wants.get(key)
    const known = offered.values.get(key)
    if (known !== undefined) return [key, known.filter((value) => isAllowed(value, wanted))]
    if (wanted !== undefined) return [key, givenBy(wanted)]
    if (key === HOSTNAME) return [key, [UNSEEN]]
    const seen = unique(poolNodes.map(({ labels }) => valueIn(labels, key)))
    if (seen.some((value) => value !== undefined)) later.push(key)
    return [key, seen.length === 0 ? [undefined] : seen]
  })
  return { pool, type, typeWants, values: new Map(values), later, isWithinLimits: isWithinLimits(pool, type) }
}

/**
 * Returns the types that a NodePool names and no node has, if the NodePool or the known types leave one value for each
 * fixed label.
 */
export function namedTypes(pool: Pool, known: readonly InstanceType[], keys: readonly string[]): InstanceType[] {
  const names = new Set(known.map(({ name }) => name))
  return listedIn(pool.wants.get(INSTANCE_TYPE)).flatMap((name) => {
    const values = keys.filter(isFixed).map((key): [string, Values] => {
      if (key === INSTANCE_TYPE) return [key, [name]]
      const alike = unique(known.flatMap((one) => one.values.get(key) ?? []))
      const own = listedIn(pool.wants.get(key))
      return [key, own.length > 0 ? own : alike]
    })
    const isKnown = !names.has(name) && values.every(([, own]) => own.length === 1)
    const open = keys.filter(isOpen).map((key): [string, Values] => [key, known[0]?.values.get(key) ?? []])
    return isKnown ? [{ name, values: new Map([...values, ...open]), capacity: {} }] : []
  })
}

/** Returns the listed values; empty where values are excluded instead. */
export function listedIn(wanted: Wanted | undefined): string[] {
  return wanted === undefined || wanted.allBut ? [] : [...wanted.values]
}

/** Whether the NodePool allows types that it does not name. */
export function takesUnseenTypes({ wants }: Pool): boolean {
  return wants.get(INSTANCE_TYPE)?.allBut !== false
}

/**
 * Returns the values of an open label, and an unseen one where no value is known, or only one and the NodePool does not
 * restrict the label. A reservation label gets no unseen value.
 */
function offeredIn({ wants }: Pool, key: string, seen: Values): Values {
  const wanted = wants.get(key)
  const isAlone = seen.length === 0 || (seen.length === 1 && wanted === undefined)
  return isAlone && !isOfReservation(key) ? [...seen, UNSEEN] : seen
}

/** Whether a requirement allows a value; undefined for a label that is absent. */
export function isAllowed(value: string | undefined, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return true
  return value === undefined ? mayLack(wanted) : meet({ allBut: false, values: new Set([value]) }, wanted)
}

/**
 * Returns the values that a NodePool's own requirement gives its nodes: where it excludes values, Karpenter chooses a
 * random integer.
 */
export function givenBy(wanted: Wanted): Values {
  if (!wanted.allBut) return wanted.values.size === 0 ? [undefined] : [...wanted.values]
  let some = wanted.least ?? wanted.most ?? 1n << 62n
  while (wanted.values.has(String(some))) some += wanted.least === undefined && wanted.most !== undefined ? -1n : 1n
  return [String(some)]
}

/** Returns the pool's nodes; all nodes where none names its pool. */
function nodesOf({ name }: Pool, shapes: readonly Shape[]): readonly Shape[] {
  const pooled = shapes.filter(({ labels }) => valueIn(labels, NODE_POOL) !== undefined)
  return pooled.length === 0 ? shapes : pooled.filter(({ labels }) => valueIn(labels, NODE_POOL) === name)
}

/** Whether a machine of the type stays within the NodePool's total limits (`filterByRemainingResources`). */
function isWithinLimits({ limits }: Pool, { capacity }: InstanceType): boolean {
  return [...limits].every(([name, limit]) => {
    const amount = name === 'nodes' ? '1' : Object.hasOwn(capacity, name) ? capacity[name] : undefined
    const own = amount === undefined ? undefined : unlessMalformed(() => Quantity.parse(amount))
    return own === undefined || own.compare(limit) <= 0
  })
}
