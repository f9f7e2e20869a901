import { KrmError } from './error.ts'
import { describe, PATH } from './identity.ts'
import { newItem } from './item.ts'
import { isDeepEqual, isMap, memberOf } from './map.ts'
import { readIdentity } from './read-object.ts'
import { spliceText } from './splice.ts'
import type { Item, KubernetesObject } from './types.ts'

type Metadata = KubernetesObject['metadata']

const METADATA = /^metadata:[ \t]*\r?\n(?:(?:[ \t]+.*|[ \t]*#.*|)(?:\r?\n|$))*/gm

/**
 * Returns the item after a change. Whatever the change leaves alone keeps its text: comments, order, spelling of
 * numbers; if nothing changes, the same item is returned. `change` must not modify its argument. An opaque item allows
 * changes of metadata only; any other throws `KrmError`, since the unread part would be lost.
 */
export function edit(item: Item, change: (object: KubernetesObject) => KubernetesObject): Item {
  const object = change(structuredClone(item.object))
  if (isDeepEqual(object, item.object)) return item
  if (item.opaque) return editOpaque(item, item.opaque, object)
  const source = editableText(item)
  const text = source === undefined ? undefined : spliceText(source, item.object, object)
  return text === undefined ? newItem(object) : { object, text }
}

/**
 * Sets annotations, or removes those whose value is null. Faster than `edit` for large items, since it reads the
 * metadata only.
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
  if (isDeepEqual(meta, metadata)) return item
  if (item.opaque) return editOpaque(item, item.opaque, object)
  const source = editableText(item)
  if (source === undefined) return newItem(object)
  const text = spliceMetadata(source, metadata, meta)
  return text === undefined ? edit(item, () => object) : { object, text }
}

/**
 * Returns the text that a change may be written into, cut once; undefined where it lacks the place that a command has
 * added to the object, since no change of it says the same as the object.
 */
function editableText({ object: { metadata }, text }: Item): string | undefined {
  return metadata.annotations?.[PATH] === undefined || text?.includes(PATH) ? text : undefined
}

/** The unread part of an opaque item is in its text only. The edited text is read back before it is returned. */
function editOpaque(item: Item, opaque: KrmError, object: KubernetesObject): Item {
  const text = spliceMetadata(item.text ?? '', item.object.metadata, object.metadata)
  if (text === undefined || !isDeepEqual(readIdentity(text), object))
    throw new KrmError(
      'YamlRefused',
      `${describe(item.object)} contains YAML that nodefit does not read, so it cannot be changed`,
    )
  return { object, text, opaque }
}

/** A line of a block that is read by its indentation alone: a key, and nothing or a value that ends with the line. */
const SIMPLE_LINE = /^( *)[\w./-]+:(?: (?:[\w.][\w./:-]*|"[^"\\]*"|'[^']*'))?$/

/**
 * Adds one annotation with a value that is written in quotes, where all lines are simple: without parsing, since
 * thousands of inputs are marked. Undefined for any other change or text.
 */
function withAnnotation(block: string, before: Metadata, after: Metadata): string | undefined {
  if (!isSameButAnnotations(before, after)) return undefined
  const isFirst = before.annotations === undefined
  const { annotations: were = {} } = before
  const { annotations: are } = after
  if (!isMap(were) || !isMap(are)) return undefined
  const added = Object.keys(are).filter((name) => !Object.hasOwn(were, name))
  const [key = ''] = added
  if (added.length !== 1 || !['true', 'false'].includes(String(are[key])) || !/^[\w./-]+$/.test(key)) return undefined
  if (Object.keys(were).some((name) => were[name] !== are[name])) return undefined
  const lines = block.split('\n')
  const columns = lines.slice(0, -1).map((line) => SIMPLE_LINE.exec(line)?.[1]?.length ?? -1)
  if (lines.at(-1) !== '' || columns.includes(-1)) return undefined
  const first = lines.findIndex((line, index) => columns[index] === columns[1] && line.trim() === 'annotations:')
  if (isFirst && first < 0 && columns.length > 1) {
    const indent = ' '.repeat(columns[1] ?? 0)
    return `${block}${indent}annotations:\n${indent}  ${key}: "${are[key]}"\n`
  }
  const column = columns[first + 1] ?? 0
  if (first < 1 || column <= (columns[first] ?? 0)) return undefined
  const next = columns.findIndex((one, index) => index > first && one < column)
  const end = next < 0 ? lines.length - 1 : next
  if (columns.slice(first + 1, end).some((one) => one !== column)) return undefined
  const line = `${' '.repeat(column)}${key}: "${are[key]}"`
  return [...lines.slice(0, end), line, ...lines.slice(end)].join('\n')
}

function isSameButAnnotations(before: Metadata, after: Metadata): boolean {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== 'annotations')
  return names.every((name) => isDeepEqual(memberOf(before, name), memberOf(after, name)))
}

/** Edits the top-level `metadata` block of block-style text as its own document. */
function spliceMetadata(text: string, before: Metadata, after: Metadata): string | undefined {
  const [block, other] = text.matchAll(METADATA)
  if (block === undefined || other !== undefined) return undefined
  const piece = block[0]
  const changed = withAnnotation(piece, before, after) ?? spliceText(piece, { metadata: before }, { metadata: after })
  return changed === undefined
    ? undefined
    : text.slice(0, block.index) + changed + text.slice(block.index + piece.length)
}
