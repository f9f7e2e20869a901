import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, YAMLException } from 'js-yaml'
import type { AlikeTexts } from './alike-texts.ts'
import { type FirstLine, KrmError } from './error.ts'
import { LEGACY_PATH, PATH } from './identity.ts'
import { isKustomizationPath, withKustomizationDefaults } from './kustomization.ts'
import { isMap, type Mapping } from './map.ts'
import { eventsOf, type Parsed, parse } from './parse.ts'
import { readAnyYaml } from './read-yaml.ts'
import type { Item, KubernetesObject } from './types.ts'

/** Whether the caller reads more of an object than apiVersion, kind and metadata. */
export type IsLookedAt = (object: KubernetesObject) => boolean

/** The fields that are read of every object. */
const IDENTITY = ['apiVersion', 'kind', 'metadata']

/** Reads an item as an object. Throws `KrmError`. */
export function readObject(
  text: string,
  name: string,
  isLookedAt: IsLookedAt,
  alike?: AlikeTexts,
): Pick<Item, 'object' | 'opaque'> {
  const { value, opaque } = readDocument(text, name, isLookedAt, null, alike)
  return { object: asObject(value, name), ...(opaque && { opaque }) }
}

/**
 * Reads a document. If it contains refused YAML and the caller does not read such an object, it is opaque: the value is
 * its identity only, and `opaque` the error. Throws `KrmError`.
 */
export function readDocument(
  text: string,
  name: string,
  isLookedAt: IsLookedAt,
  firstLine: FirstLine,
  alike?: AlikeTexts,
): { value: unknown; opaque?: KrmError } {
  try {
    return { value: readAnyYaml(text, name, firstLine, alike) }
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    const value = readIdentity(text)
    if (value === undefined || isLookedAt(value)) throw error
    return { value, opaque: error }
  }
}

/**
 * Reads apiVersion, kind and metadata, each as its own document. Undefined if one of them cannot be read, or if the
 * text cannot be parsed into events, since then even the end of the object is unknown.
 */
export function readIdentity(text: string): KubernetesObject | undefined {
  try {
    const pieces = identityTexts(text)
    if (pieces === undefined) return undefined
    const values = pieces.map((piece) => readAnyYaml(piece, 'the object'))
    return values.every(isMap) ? asObject(Object.assign({}, ...values), 'the object') : undefined
  } catch (error) {
    if (error instanceof KrmError || error instanceof YAMLException || error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the identity's entries, each with the text up to the next key. */
function identityTexts(text: string): string[] | undefined {
  const parsed = parse(text)
  const entries = rootEntries(parsed)
  if (entries === undefined) return undefined
  const { events, source } = parsed
  const isFlow = !isBlock(events[1])
  const pieces = entries.flatMap(({ key, keyStart }, index) => {
    if (key === undefined || !IDENTITY.includes(key)) return []
    const next = entries[index + 1]?.keyStart
    const lineStart = source.lastIndexOf('\n', keyStart - 1) + 1
    if (!isFlow) {
      const end = next === undefined ? source.length : source.lastIndexOf('\n', next - 1) + 1
      return [{ key, piece: ' '.repeat(keyStart - lineStart) + source.slice(keyStart, end) }]
    }
    return [{ key, piece: next === undefined ? `{${source.slice(keyStart)}` : `{${source.slice(keyStart, next)}\n}` }]
  })
  const isTwice = new Set(pieces.map(({ key }) => key)).size < pieces.length
  return isTwice ? undefined : pieces.map(({ piece }) => piece)
}

/**
 * Checks that a value is an object: apiVersion, kind and metadata are present, name and namespace are scalars, labels
 * and annotations are maps. Throws `KrmError`.
 */
export function asObject(value: unknown, name: string): KubernetesObject {
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is not a Kubernetes object but ${describeType(value)}`)
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    if (isOfKustomize(value)) return withKustomizationDefaults(value)
    throw new KrmError('NotAnObject', `${name} has no apiVersion and kind`)
  }
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    throw new KrmError('NotAnObject', `${name}: metadata is ${describeType(metadata)}`)
  }
  if (!isMap(metadata)) return { ...value, apiVersion, kind, metadata: { name: '' } }
  for (const field of ['name', 'namespace']) refuseUnlessScalar(metadata[field], `${name}: metadata.${field}`)
  for (const field of ['labels', 'annotations']) refuseUnlessMap(metadata[field], `${name}: metadata.${field}`)
  return value as KubernetesObject
}

/** kustomize fills in apiVersion and kind of its own file, and kpt passes it as it is. */
function isOfKustomize({ metadata }: Mapping): boolean {
  const annotations = isMap(metadata) ? metadata.annotations : undefined
  return isMap(annotations) && [PATH, LEGACY_PATH].some((key) => isKustomizationPath(annotations[key]))
}

function refuseUnlessMap(value: unknown, name: string): void {
  if (value === undefined || value === null) return
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is ${describeType(value)}`)
}

/** Names appear in every message and are compared everywhere, so a map or list is refused. */
function refuseUnlessScalar(value: unknown, name: string): void {
  if (typeof value === 'object' && value !== null)
    throw new KrmError('NotAnObject', `${name} is ${describeType(value)}`)
}

function describeType(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'object' ? 'map' : typeof value}`
}

/** An entry of a mapping: its key, the key's offset, and the event at which the value begins. */
interface Entry {
  /** Undefined if the key is not a scalar. */
  readonly key: string | undefined
  readonly keyStart: number
  readonly value: number
}

/**
 * Returns the entries of a document that is a mapping; undefined if it is something else, or if a second document
 * follows.
 */
function rootEntries({ events, source }: Parsed): Entry[] | undefined {
  if (events[1]?.type !== EVENT_ID.MAPPING || events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length > 1)
    return undefined
  const members = membersOf(events, 1)
  const entries = members.flatMap((at, index) => {
    const event = events[at]
    const value = members[index + 1]
    if (index % 2 === 1 || event === undefined || value === undefined) return []
    const key = event.type === EVENT_ID.SCALAR ? getScalarValue(source, event) : undefined
    return [{ key, keyStart: startOf(event), value }]
  })
  return entries.every(({ keyStart }) => Number.isFinite(keyStart)) ? entries : undefined
}

/** Returns the events at which the members of a collection begin; for a mapping, keys and values alternate. */
function membersOf(events: readonly Event[], at: number): number[] {
  const members: number[] = []
  let depth = 0
  for (let next = at + 1; depth >= 0 && next < events.length; next++) {
    const type = events[next]?.type
    if (type === EVENT_ID.POP) depth--
    else {
      if (depth === 0) members.push(next)
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    }
  }
  return members
}

/** Returns the offset of a value with its tag, anchor and quotes; Infinity if the value is empty. */
function startOf(event: Event): number {
  const starts: number[] = []
  if ('tagStart' in event) starts.push(event.tagStart)
  if ('anchorStart' in event) starts.push(event.anchorStart - 1)
  if ('start' in event) starts.push(event.start)
  if (event.type === EVENT_ID.SCALAR) {
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    starts.push(event.valueStart - (isQuoted ? 1 : 0))
  }
  return Math.min(...starts.filter((start) => start >= 0))
}

/** Whether the event begins a mapping or a list in block style. */
function isBlock(event: Event | undefined): boolean {
  const isCollection = event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE
  return isCollection && event.style === COLLECTION_STYLE.BLOCK
}

/** Whether a document has anchors or aliases; also true where it cannot be parsed. */
export function hasAnchors(text: string): boolean {
  try {
    return eventsOf(text).some(
      (event) => event.type === EVENT_ID.ALIAS || ('anchorStart' in event && event.anchorStart >= 0),
    )
  } catch {
    return true
  }
}
