import { KrmError } from './error.ts'
import { type IsLookedAt, readObject } from './read-object.ts'
import type { Item, KubernetesObject } from './types.ts'

/** Where an item stood in the ResourceList: the text as it was there, and the column its content began at. */
export interface Source {
  readonly raw: string
  readonly column: number
}

const sources = new WeakMap<Item, Source>()

/** The item's place on the wire, as long as nothing in it was changed. */
export function sourceOf(item: Item): Source | undefined {
  return sources.get(item)
}

/**
 * An item from the wire: parsed at once, so that bad YAML is found before
 * anything is done; its text is cut on demand.
 */
export function itemFromWire(source: Source, index: number, isLookedAt: IsLookedAt): Item {
  const { object, opaque } = readNamed(source.raw, index, () => readObject(unmarked(source), 'the object', isLookedAt))
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

/** An item that is made, not read. */
export function newItem(object: KubernetesObject): Item {
  return { object }
}

/** The list marker gives way to blanks: then the item is a document of its own, indented as a whole. */
function unmarked({ raw }: Source): string {
  return raw.replace(/^( *)- /, '$1  ')
}

/** The item's text with its indentation taken off; lines indented less (comments) begin at the margin. */
function outdent(source: Source): string {
  return unmarked(source).replace(new RegExp(`^ {1,${source.column}}`, 'gm'), '')
}

type Read = Pick<Item, 'object' | 'opaque'>

const LONGEST_LINE = 60
const NULL = /^(?:null|Null|NULL)$/

/** What an object that cannot be read is called: by kind, name and file, or by its number and first line. */
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

/** Reads an item; where that fails, now or when somebody looks at it, the error calls "the object" by its name. */
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
