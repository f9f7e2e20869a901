import { cutAnew } from './cut-anew.ts'
import { describeUnread } from './name-of.ts'
import { escaped, masked, refuseForbiddenText } from './read-yaml.ts'
import { placesOfItems } from './whole-list.ts'
import { cutsIn, wireOf } from './wire.ts'

/**
 * Refuses a ResourceList with text that Go's readers would reject, or read as something else; where an item holds it, that item is
 * named. Throws `KrmError`.
 */
export function refuseForbiddenInput(text: string): void {
  try {
    refuseForbiddenText(text, 'the input')
  } catch (error) {
    for (const [index, piece] of itemTexts(text).entries())
      refuseForbiddenText(piece, describeUnread(escaped(piece), index), null)
    throw error
  }
}

/** The texts of the items, cut as if their characters were good ones; none where they cannot be told. */
function itemTexts(text: string): string[] {
  const good = masked(text)
  const cuts = cutAnew(good) ?? cutsIn(good)
  const wire = cuts && wireOf(text, cuts)
  if (wire !== undefined) return wire.items.map(({ raw }) => raw)
  return placesOfItems(good)?.items.map(({ start, end }) => text.slice(start, end)) ?? []
}
