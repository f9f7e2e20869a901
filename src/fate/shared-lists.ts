import { type FieldOwners, fieldOwnersText, isShareable, overlaps, pointerOf } from './field-owners.ts'
import type { Asked, Kept } from './share-conflicts.ts'

/** What a new document says of the fields that it is made of. */
export interface NewFields {
  /** The list of fields with their owners. */
  readonly text: string
  /** Whether one field may not be shared, or two are the same or one inside the other: then values decide. */
  readonly mayMeet: boolean
}

/**
 * Returns a function that says what a new document has to say of its fields. It works once for each set of fields and
 * owners: of thousands of nodes that actions hold, most have the same.
 */
export function newFields(): (shares: readonly Asked[]) => NewFields {
  const known = new Map<string, NewFields>()
  return (shares) => {
    let key = ''
    // neither names of fields nor those of owners have a line break
    for (const { path, owner } of shares) key += `${pointerOf(path)}\n${owner}\n`
    const found = known.get(key) ?? {
      text: fieldOwnersText(fieldsOf(shares, [])),
      mayMeet: shares.some(
        ({ path }, index) => !isShareable(path) || shares.slice(0, index).some((other) => overlaps(other.path, path)),
      ),
    }
    known.set(key, found)
    return found
  }
}

/** Returns the owners of the fields that subjects ask for, and of those that others keep. */
export function fieldsOf(shares: readonly Asked[], kept: readonly Kept[]): FieldOwners {
  const owners = new Map<string, string[]>()
  for (const { path, owner } of [...shares, ...kept]) {
    const pointer = pointerOf(path)
    const known = owners.get(pointer)
    if (known === undefined) owners.set(pointer, [owner])
    else if (!known.includes(owner)) owners.set(pointer, [...known, owner].sort())
  }
  return owners
}
