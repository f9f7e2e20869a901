import { newItem } from './item.ts'
import { isSame, spliceText } from './splice.ts'
import type { Item, KubernetesObject } from './types.ts'

/**
 * The item after a change. What the change leaves alone keeps its text: comments, order, spelling of numbers. An
 * item in whose object nothing changes is given back as it is. The change must not modify the object it is given.
 */
export function edit(item: Item, change: (object: KubernetesObject) => KubernetesObject): Item {
  const object = change(structuredClone(item.object))
  if (isSame(object, item.object)) return item
  const text = item.text === undefined ? undefined : spliceText(item.text, item.object, object)
  return text === undefined ? newItem(object) : { object, text }
}

/**
 * The item with annotations set, or removed where the value is null. As `edit`, but quick for large items: it looks
 * no further than the metadata.
 */
export function annotate(item: Item, changes: Record<string, string | null>): Item {
  const { metadata } = item.object
  const annotations: Record<string, string> = { ...metadata.annotations }
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete annotations[key]
    else annotations[key] = value
  }
  const meta = { ...metadata, annotations }
  if (Object.keys(annotations).length === 0) delete (meta as Partial<typeof meta>).annotations
  const object = { ...item.object, metadata: meta }
  if (isSame(meta, metadata)) return item
  const text = item.text === undefined ? undefined : spliceMetadata(item.text, metadata, meta)
  return text === undefined ? edit(item, () => object) : { object, text }
}

/** Changes only the top-level `metadata` block of block-style text, taken as a document of its own. */
function spliceMetadata(text: string, before: object, after: object): string | undefined {
  const block = /^metadata:[ \t]*\r?\n(?:(?:[ \t]+.*|[ \t]*#.*|)(?:\r?\n|$))*/m.exec(text)
  if (block === null) return undefined
  const piece = block[0]
  const changed = spliceText(piece, { metadata: before }, { metadata: after })
  return changed === undefined
    ? undefined
    : text.slice(0, block.index) + changed + text.slice(block.index + piece.length)
}
