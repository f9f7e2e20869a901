import type { Finding, Subject } from '../finding/index.ts'
import { finding } from './codes.ts'
import { KNOWN_FIELDS } from './generated/fields.ts'

/** Fields of a machine's file that its schema does not have: it may come from a newer writer, so they only warn. */
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
    const sentence = `${kind} ${subject.metadata.name}: ${path} is not known to this nodefit`
    return finding('InventoryFieldUnknown', sentence, { subject, field: { path } })
  })
}
