import type { Region } from './region.ts'
import type { NodeIdentity, RequirementKey, Requirements } from './requirements.ts'

/** Two regions that share a node, by index, and one node in both. */
export interface RegionOverlap {
  readonly earlier: number
  readonly later: number
  readonly node: NodeIdentity
}

interface Entry {
  readonly region: number
  readonly requirements: Requirements
}

/**
 * Returns the first region that shares a node with an earlier one; undefined if none does. To avoid comparing all
 * pairs, it compares a region only with those that list the same value for the most selective key, and with those that
 * list none.
 */
export function firstOverlap(regions: readonly Region[]): RegionOverlap | undefined {
  const entries = regions.flatMap(({ alternatives }, region) =>
    alternatives.map((requirements): Entry => ({ region, requirements })),
  )
  const key = mostSelectiveKey(entries)
  const seen: Entry[] = []
  const open: Entry[] = []
  const byValue = new Map<string, Entry[]>()
  for (const entry of entries) {
    const values = key === undefined ? undefined : entry.requirements.valuesOf(key).listedValues
    const near = values === undefined ? seen : [...open, ...values.flatMap((value) => byValue.get(value) ?? [])]
    const other = near.find(
      ({ region, requirements }) => region !== entry.region && requirements.meets(entry.requirements),
    )
    const node = other?.requirements.and(entry.requirements).witness()
    if (other !== undefined && node !== undefined) return { earlier: other.region, later: entry.region, node }
    seen.push(entry)
    if (values === undefined) open.push(entry)
    for (const value of values ?? []) {
      const sameValue = byValue.get(value)
      if (sameValue === undefined) byValue.set(value, [entry])
      else sameValue.push(entry)
    }
  }
  return undefined
}

/** Returns the key with the most listed values. */
function mostSelectiveKey(entries: readonly Entry[]): RequirementKey | undefined {
  const listed = new Map<RequirementKey, Set<string>>()
  for (const { requirements } of entries)
    for (const key of requirements.keys) {
      const values = listed.get(key) ?? new Set()
      listed.set(key, values)
      for (const value of requirements.valuesOf(key).listedValues ?? []) values.add(value)
    }
  return [...listed].sort(([, left], [, right]) => right.size - left.size)[0]?.[0]
}
