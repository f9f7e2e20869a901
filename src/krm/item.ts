import { KrmError } from './error.ts'
import { readYaml } from './read-yaml.ts'
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

/** An item from the wire: parsed at once, so that bad YAML is found before anything is done. */
export function itemFromWire(source: Source, name: string): Item {
  const text = outdent(source)
  const item: Item = { object: asObject(readYaml(text, name), name), text }
  sources.set(item, source)
  return item
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

/** Takes the list marker and the indentation off; lines indented less (comments) begin at the margin. */
function outdent({ raw, column }: Source): string {
  return raw.replace(/^( *)- /, '$1  ').replace(new RegExp(`^ {1,${column}}`, 'gm'), '')
}
