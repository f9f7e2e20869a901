import type { Finding, Subject } from '../krm/finding/index.ts'
import { finding } from './codes.ts'
import { KNOWN_FIELDS } from './generated/fields.ts'

/** Reports unknown fields in a file that a machine wrote. Only warnings, since a newer writer may know more fields. */
export function unknownFields(
  kind: 'NodeInventory' | 'WorkloadSnapshot',
  subject: Subject,
  places: ReadonlyArray<readonly [path: string, value: object]>,
): Finding[] {
  const known = KNOWN_FIELDS[kind]
  const unknown = new Set<string>()
  for (const [path, value] of places)
    for (const name of Object.keys(value)) if (!known[path]?.includes(name)) unknown.add(`${path}.${name}`)
  return [...unknown].sort().map((path) => {
    const sentence = `${kind} ${subject.metadata.name}: ${path} is not known to this version of nodefit`
    return finding('InventoryFieldUnknown', sentence, { subject, field: { path } })
  })
}

/**
 * Returns the candidate with the fewest single-letter edits from the name, if it needs at most `most` edits; by default
 * half of the name's letters.
 */
export function nearest(
  name: string,
  candidates: readonly string[],
  most = Math.max(2, Math.floor(name.length / 2)),
): string | undefined {
  let best: string | undefined
  let least = most + 1
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

function editDistance(left: string, right: string): number {
  if (left.length > 100 || right.length > 100) return left === right ? 0 : 100
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
