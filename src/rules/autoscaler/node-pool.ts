import { listOf, memberOf } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { Quantity, type Taint, unlessMalformed } from '../../kube/index.ts'
import { asKarpenter, NODE_POOL } from './label-keys.ts'
import { addWant, type Wanted, type Wants, wantedOf } from './wanted.ts'

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
