import { KrmError } from './error.ts'
import { readCheckedYaml } from './read-yaml.ts'
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
 * An item from a wire in which `refuseForbiddenText` found nothing: parsed at once, so that bad YAML is found before
 * anything is done; its text is cut on demand.
 */
export function itemFromWire(source: Source, name: string): Item {
  const item = new WireItem(asObject(readCheckedYaml(unmarked(source), name), name), source)
  sources.set(item, source)
  return item
}

class WireItem implements Item {
  readonly object: KubernetesObject
  readonly #source: Source

  constructor(object: KubernetesObject, source: Source) {
    this.object = object
    this.#source = source
  }

  get text(): string {
    return outdent(this.#source)
  }
}

/** An item that is made, not read. */
export function newItem(object: KubernetesObject): Item {
  return { object }
}

/** Refuses what has no apiVersion, kind and metadata, or labels and annotations that are not text. */
export function asObject(value: unknown, name: string): KubernetesObject {
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is not a Kubernetes object but ${kindOf(value)}`)
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new KrmError('NotAnObject', `${name} has no apiVersion and kind`)
  }
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    throw new KrmError('NotAnObject', `${name}: metadata is ${kindOf(metadata)}`)
  }
  if (!isMap(metadata)) return { ...value, apiVersion, kind, metadata: { name: '' } }
  for (const field of ['labels', 'annotations']) refuseUnlessTextMap(metadata[field], `${name}: metadata.${field}`)
  return value as KubernetesObject
}

function refuseUnlessTextMap(value: unknown, name: string): void {
  if (value === undefined || value === null) return
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is ${kindOf(value)}`)
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'object' ? 'map' : typeof value}`
}

/** The list marker gives way to blanks: then the item is a document of its own, indented as a whole. */
function unmarked({ raw }: Source): string {
  return raw.replace(/^( *)- /, '$1  ')
}

/** The item's text with its indentation taken off; lines indented less (comments) begin at the margin. */
function outdent(source: Source): string {
  return unmarked(source).replace(new RegExp(`^ {1,${source.column}}`, 'gm'), '')
}
