import type { AlikeTexts } from './alike-texts.ts'
import { KrmError } from './error.ts'
import { hasAnchors, type IsLookedAt, readObject } from './read-object.ts'
import type { Item, KubernetesObject } from './types.ts'

/** The text of an item in the ResourceList, and the column at which its content begins. */
export interface Source {
  readonly raw: string
  readonly column: number
}

const sources = new WeakMap<Item, Source>()

/** Returns the text of an item on the wire; undefined once the item has changed. */
export function sourceOf(item: Item): Source | undefined {
  return sources.get(item)
}

/**
 * Makes an item from its text on the wire. It is parsed at once, so that invalid YAML is found before anything is done;
 * its own text is cut on demand.
 */
export function itemFromWire(source: Source, index: number, isLookedAt: IsLookedAt, alike: AlikeTexts): Item {
  const read = () => readObject(unmarked(source), 'the object', isLookedAt, alike)
  const { object, opaque } = readNamed(source.raw, index, read)
  const item = new WireItem(object, source, opaque)
  sources.set(item, source)
  return item
}

class WireItem implements Item {
  readonly object: KubernetesObject
  readonly opaque?: KrmError
  readonly #source: Source

  constructor(object: KubernetesObject, source: Source, opaque: KrmError | undefined) {
    this.object = object
    this.#source = source
    if (opaque) this.opaque = opaque
  }

  get text(): string {
    return outdent(this.#source)
  }
}

/** Whether the text of an item has more characters than `length`. Cuts it only where it may be that long. */
export function isLonger(item: Item, length: number): boolean {
  const source = sources.get(item)
  return (source === undefined || source.raw.length > length) && item.text !== undefined && item.text.length > length
}

/** Whether the text of an item has anchors or aliases; also true where it cannot be parsed. */
export function usesAnchors(item: Item): boolean {
  // most texts have none of the characters, and need neither to be cut nor to be parsed
  const written = sourceOf(item)?.raw ?? item.text ?? ''
  return /[&*]/.test(written) && hasAnchors(item.text ?? '')
}

/** Makes an item that has no text yet. */
export function newItem(object: KubernetesObject): Item {
  return { object }
}

/** Replaces the list marker by blanks, which makes the item a document of its own, indented as a whole. */
function unmarked({ raw }: Source): string {
  return raw.replace(/^( *)- /, '$1  ')
}

/** Removes the item's indentation. Lines that are indented less (comments) begin at the margin. */
function outdent(source: Source): string {
  return unmarked(source).replace(new RegExp(`^ {1,${source.column}}`, 'gm'), '')
}

type Read = Pick<Item, 'object' | 'opaque'>

const LONGEST_LINE = 60
const NULL = /^(?:null|Null|NULL)$/

/** Names an object that cannot be read: by kind, name and file, or by its index and first line. */
export function describeUnread(raw: string, index: number): string {
  const path = /^[^#\n]*\b(?:internal\.)?config\.kubernetes\.io\/path["']?: *["']?([^"'\n,}]+)/m.exec(raw)?.[1]
  const file = path === undefined ? '' : ` (${path})`
  const kind = /(?:^[ -]*|[{,]\s*)["']?kind["']?: *["']?([A-Za-z]+)/m.exec(raw)?.[1]
  const metadata = /(?:^[ -]*|[{,]\s*)["']?metadata["']?:/m.exec(raw)
  const name =
    metadata === null
      ? undefined
      : /(?:^ *|[{,]\s*)["']?name["']?: *["']?([^"'\s,}]+)/m.exec(raw.slice(metadata.index + metadata[0].length))?.[1]
  if (kind !== undefined && name !== undefined && !NULL.test(kind)) return `${kind} ${name}${file}`
  const first =
    raw
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  return `item ${index}${file}, which begins with "${first.slice(0, LONGEST_LINE)}",`
}

/** Reads an item. In any error, now or later, it replaces "the object" by the object's name. */
export function readNamed(raw: string, index: number, read: () => Read): Read {
  const withName = ({ code, message }: KrmError) =>
    new KrmError(
      code,
      message.replace('the object', () => describeUnread(raw, index)),
    )
  try {
    const { object, opaque } = read()
    return opaque === undefined ? { object } : { object, opaque: withName(opaque) }
  } catch (error) {
    throw error instanceof KrmError ? withName(error) : error
  }
}
