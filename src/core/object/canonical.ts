import { hash } from 'node:crypto'
import { isMap, setMember, sortedByKey } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readQuantity } from '../../kube/index.ts'

type Json = Record<string, unknown>

/** Other fields of a pod that hold one quantity. */
const QUANTITY_FIELDS = new Set(['emptyDir.sizeLimit', 'resourceFieldRef.divisor'])

/** Results for lists and maps already seen, by the name of the field that holds them. */
type Known = Map<string, Map<object, unknown>>

/**
 * Returns a value as the API server would: keys sorted, members without a value left out, quantities canonical. A
 * rendered object then never differs from what the cluster shows.
 */
export function canonical<T>(value: T): T {
  return canonicalizer()(value)
}

/**
 * As `canonical`, for several values that share parts: shared parts stay shared in the results. The values must not
 * change between calls.
 */
export function canonicalizer(): <T>(value: T) => T {
  const known: Known = new Map()
  return <T>(value: T) => canonicalValue(value, '', known) as T
}

function canonicalValue(value: unknown, parent: string, known: Known): unknown {
  if (typeof value !== 'object' || value === null) return value
  const results = known.get(parent) ?? new Map<object, unknown>()
  known.set(parent, results)
  const result =
    results.get(value) ?? (Array.isArray(value) ? sortedList(value, parent, known) : sortedMap(value, parent, known))
  results.set(value, result)
  return result
}

function sortedList(value: readonly unknown[], parent: string, known: Known): unknown[] {
  const members = value.map((member) => canonicalValue(member, '', known))
  return parent === 'volumes' ? members.map(withSource) : members
}

function sortedMap(value: object, parent: string, known: Known): Json {
  const result: Json = {}
  for (const key of Object.keys(value).sort()) {
    const member = (value as Json)[key]
    if (member === undefined || member === null) continue
    if (parent === 'resources' && (key === 'requests' || key === 'limits') && isMap(member))
      setMember(result, key, quantities(member))
    else if (QUANTITY_FIELDS.has(`${parent}.${key}`)) setMember(result, key, quantity(member))
    else if (parent === 'spec' && key === 'overhead' && isMap(member)) setMember(result, key, quantities(member))
    else if (key === 'nodeSelector' && isMap(member) && Object.keys(member).length === 0) continue
    else setMember(result, key, canonicalValue(member, key, known))
  }
  return result
}

/** A volume with a name only is an emptyDir. */
function withSource(volume: unknown): unknown {
  return isMap(volume) && Object.keys(volume).length === 1 && 'name' in volume ? { emptyDir: {}, ...volume } : volume
}

function quantities(amounts: Json): Json {
  return Object.fromEntries(
    Object.keys(amounts)
      .sort()
      .map((name) => [name, quantity(amounts[name])]),
  )
}

/** Leaves what is not a quantity for the API server to refuse. */
function quantity(value: unknown): unknown {
  return readQuantity(value)?.toString() ?? value
}

/** Returns the SHA-256 of a text's UTF-8 bytes, in 64 hex digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/**
 * An object with annotations set, or taken off where they are undefined; in the order in which the API server gives
 * them back.
 */
export function withAnnotations(
  object: KubernetesObject,
  annotations: Readonly<Record<string, string | undefined>>,
): KubernetesObject {
  const all: Record<string, string | undefined> = { ...object.metadata.annotations, ...annotations }
  for (const key of Object.keys(all)) if (all[key] === undefined) delete all[key]
  return { ...object, metadata: { ...object.metadata, annotations: sortedByKey(all) as Record<string, string> } }
}
