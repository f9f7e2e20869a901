import type { Shape } from '../../facts/inventory/index.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { Quantity, type Taint, unlessMalformed } from '../../kube/index.ts'
import { type InstanceType, UNSEEN, unique, type Values, valueIn, wantsOf } from './instance-type.ts'
import { asKarpenter, HOSTNAME, INSTANCE_TYPE, isFixed, isOfReservation, isOpen, NODE_POOL } from './label-keys.ts'
import { addWant, allMeet, mayLack, meet, type Wanted, type Wants, wantedOf } from './wanted.ts'

/** A NodePool with what Karpenter reads of it to count. */
export interface Pool {
  readonly name: string
  /** Its requirements, and the labels that its nodes have from the start. */
  readonly wants: Wants
  readonly taints: readonly Taint[]
  /** The most that one machine may have, by resource. */
  readonly limits: ReadonlyMap<string, Quantity>
  /** Whether the package holds it; if not, only nodes name it. */
  readonly isShown: boolean
}

/**
 * Returns the NodePools of the package; where it has none, those that nodes name, of which only the name is known.
 * Omits a static NodePool, with `replicas`: it creates nodes without counting.
 */
export function poolsOf(items: readonly Item[], nodePoolNames: readonly string[], isByType: boolean): Pool[] {
  const shown = items.filter(({ object }) => isNodePool(object))
  if (shown.length > 0) {
    const scaled = shown.filter(({ object }) => memberOf(object.spec, 'replicas') === undefined)
    return scaled.map(({ object }) => poolOf(object, isByType)).sort((one, other) => (one.name < other.name ? -1 : 1))
  }
  const names = nodePoolNames.length > 0 ? [...nodePoolNames].sort() : ['']
  return names.map((name) => ({
    name,
    wants: startOf(name === '' ? [] : [[NODE_POOL, name]], isByType),
    taints: [],
    limits: new Map(),
    isShown: false,
  }))
}

/** Whether an object is a NodePool of Karpenter. */
export function isNodePool({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion.startsWith('karpenter.sh/') && kind === 'NodePool'
}

/**
 * Reads a NodePool as `NewNodeClaimTemplate` does. Ignores fields that cannot be read: the API server would refuse
 * them.
 */
function poolOf({ metadata: { name }, spec }: KubernetesObject, isByType: boolean): Pool {
  const template = memberOf(spec, 'template')
  const inner = memberOf(template, 'spec')
  const reference = memberOf(inner, 'nodeClassRef')
  const [group, kind, ofClass] = ['group', 'kind', 'name'].map((field) => memberOf(reference, field))
  const isReferred = [group, kind, ofClass].every((text) => typeof text === 'string')
  const labels = [
    ...Object.entries(memberOf(memberOf(template, 'metadata'), 'labels') ?? {}),
    [NODE_POOL, name],
    ...(isReferred ? [[`${group}/${String(kind).toLowerCase()}`, String(ofClass)]] : []),
  ]
  const wants = startOf(labels, isByType)
  for (const requirement of listOf(memberOf(inner, 'requirements'))) {
    const [key, operator] = [memberOf(requirement, 'key'), memberOf(requirement, 'operator')]
    const values = listOf(memberOf(requirement, 'values')).map(String)
    const wanted = typeof operator === 'string' ? wantedOf(operator, values) : undefined
    if (typeof key === 'string' && wanted !== undefined) addWant(wants, asKarpenter(key), wanted)
  }
  return {
    name,
    wants,
    taints: taintsOf(memberOf(inner, 'taints')),
    limits: limitsOf(memberOf(spec, 'limits')),
    isShown: true,
  }
}

/** Labels of a ready node; Karpenter includes them since it counts by type. */
const READY = [
  ['karpenter.sh/registered', 'true'],
  ['karpenter.sh/initialized', 'true'],
] as const

/** Returns the labels that a node has from the start. */
function startOf(labels: ReadonlyArray<readonly unknown[]>, isByType: boolean): Map<string, Wanted> {
  const wants = new Map<string, Wanted>()
  for (const [key, value] of [...labels, ...(isByType ? READY : [])])
    addWant(wants, asKarpenter(String(key)), { allBut: false, values: new Set([String(value)]) })
  return wants
}

/** Returns the taints that keep a pod away; PreferNoSchedule does not. */
function taintsOf(written: unknown): Taint[] {
  return listOf(written).flatMap((one) => {
    const [key, value, effect] = [memberOf(one, 'key'), memberOf(one, 'value'), memberOf(one, 'effect')]
    if (typeof key !== 'string' || typeof effect !== 'string' || effect === 'PreferNoSchedule') return []
    return [typeof value === 'string' ? { key, value, effect } : { key, effect }]
  })
}

function limitsOf(written: unknown): Map<string, Quantity> {
  return new Map(
    Object.entries(written ?? {}).flatMap(([name, amount]) => {
      const limit = unlessMalformed(() => Quantity.parse(amount as string))
      return limit === undefined ? [] : [[name, limit] as const]
    }),
  )
}

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
