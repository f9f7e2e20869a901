import { locate, type Place } from './locate.ts'
import { named } from './name-of.ts'
import { type IsLookedAt, readObject } from './read-object.ts'
import type { Item } from './types.ts'

/** A ResourceList in flow style, as JSON is: the items, each with its text, and the text without them. */
interface FlowItems {
  readonly frame: string
  readonly items: readonly Item[]
}

/** The places of a list's items, whatever its layout; undefined where they cannot be told. */
export function placesOfItems(text: string): Place | undefined {
  return locate(text)?.entries.find(({ key }) => key === 'items')?.value
}

/** Items in flow style, read one by one; undefined where one of them is laid out in lines. */
export function readFlowItems(text: string, list: Place | undefined, isLookedAt: IsLookedAt): FlowItems | undefined {
  if (list?.kind !== 'sequence' || !list.flow || !list.items.every(({ flow }) => flow)) return undefined
  const items = list.items.map(({ start, end }, index) => {
    const piece = text.slice(start, end)
    return { ...named(piece, index, () => readObject(piece, 'the object', isLookedAt)), text: `${piece}\n` }
  })
  return { frame: `${text.slice(0, list.start)}[]${text.slice(list.end)}`, items }
}
