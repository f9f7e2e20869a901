import { KORDER, KUBENODESMITH, NODEFIT, NODEFIT_GROUP } from '../../kinds/api-versions.ts'
import { AlikeTexts } from '../../krm/alike-texts.ts'
import { formatPlace, KrmError } from '../../krm/error.ts'
import { oddNumber } from '../../krm/go-scalar.ts'
import { apiGroup, INDEX } from '../../krm/identity.ts'
import { asObject, readDocument } from '../../krm/read-object.ts'
import { isPointer, readAnyYaml, refuseForbiddenText } from '../../krm/read-yaml.ts'
import { OWNER } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { UserError } from './user-error.ts'

const GROUPS = new Set([
  ...[NODEFIT, KORDER, KUBENODESMITH].map(apiGroup),
  'cluster.x-k8s.io',
  'karpenter.sh',
  'node.k8s.io',
])
const KINDS = new Set(['Node', 'LimitRange', 'ResourceQuota'])

/**
 * Whether nodefit reads more of an object than apiVersion, kind and metadata. Such objects are read strictly; invalid
 * YAML in other objects is not an error. ConfigMaps are not read strictly although a few are templates: code that reads
 * one throws its `opaque` error.
 */
export function isLookedAt({ apiVersion, kind, metadata }: KubernetesObject): boolean {
  const group = apiGroup(apiVersion)
  if (GROUPS.has(group) || kind.endsWith('List')) return true
  if ((group === '' && KINDS.has(kind)) || (group === 'apps' && kind === 'DaemonSet')) return true
  return [metadata.annotations, metadata.labels].some((map) =>
    Object.keys(map ?? {}).some((key) => key.startsWith(NODEFIT_GROUP)),
  )
}

/** A document; `text` is its source unless it comes from a List or a stream of JSON values. */
export interface Document {
  readonly value: unknown
  readonly text?: string
  readonly opaque?: KrmError
}

/** As in YAML. */
const MAX_DEPTH = 200
const LONG_INTEGER = /[[:,\s]-?[0-9]{16,}/
/** A signed action, whose numbers have one form. */
const SIGNED = /"kind"\s*:\s*"NodeAction"/
const OPENING = /^\s*[{[]/

/**
 * The objects of a file: the documents of a YAML stream, or JSON values in sequence; Lists give their items. `alike`
 * are the documents of earlier files. Throws `KrmError`.
 */
export function objectsIn(text: string, name: string, alike = new AlikeTexts()): Document[] {
  return documentsOf(text).flatMap(({ text: document, firstLine }, index) => {
    const place = `${name}, document ${index + 1},`
    if (OPENING.test(document)) return readJson(document, place, firstLine).flatMap((value) => unwrap({ value }, name))
    refuseForbiddenText(document, place, firstLine)
    return unwrap({ ...readDocument(document, place, isLookedAt, firstLine, alike), text: document }, name)
  })
}

/**
 * Returns the documents of a file as items, with the annotations that kpt would add; their source texts have none.
 * Throws `KrmError` for a document that is no object.
 */
export function placedItems(documents: readonly Document[], name: string, place: Record<string, string>): Item[] {
  return documents.map(({ value, ...rest }, index) => {
    const object = asObject(value, `${name}, object ${index + 1}`)
    return { ...rest, object: withAnnotations(object, { ...place, [INDEX]: String(index) }) }
  })
}

/** The object with more annotations. */
export function withAnnotations(object: KubernetesObject, more: Record<string, string>): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...more } } }
}

/** JSON values by `JSON.parse`, seven times as fast as the YAML reader; a text that is not JSON may still be YAML. */
function readJson(text: string, place: string, firstLine: number): unknown[] {
  const whole = parsed(text, place, firstLine)
  if (whole !== undefined) return [whole.value]
  const pieces = jsonValues(text).map((value) => ({
    ...value,
    json: parsed(value.text, place, firstLine + value.linesAbove),
  }))
  const wrong = pieces.find(({ json }) => json === undefined)
  if (wrong === undefined) return pieces.map(({ json }) => json?.value)
  try {
    return [readAnyYaml(text, place, firstLine)]
  } catch (error) {
    if (pieces[0] === wrong || !(error instanceof KrmError)) throw error
    return notJson(wrong.text, place, firstLine + wrong.linesAbove)
  }
}

/**
 * The value of a text that is one JSON value, else undefined. Long integers, which JSON.parse loses, are read as YAML;
 * a key that an object has twice is refused, as in YAML.
 */
function parsed(text: string, place: string, firstLine: number): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const keys = keysIn(value, MAX_DEPTH)
    if (keys === undefined) throw new KrmError('YamlRefused', `${place} is nested too deeply`)
    const twice = keyTwice(text, keys)
    if (twice !== undefined) throw duplicatedKey(twice, text, place, firstLine)
    const odd = SIGNED.test(text) ? oddNumber(text) : undefined
    if (odd !== undefined) {
      const words = `holds the number ${odd} beside a signed action, in which an integer has digits alone`
      throw new KrmError('YamlRefused', `${place} ${words}`)
    }
    return { value: LONG_INTEGER.test(text) ? readAnyYaml(text, place, firstLine) : value }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns how many keys the objects of a value have; undefined where it is nested too deeply. */
function keysIn(value: unknown, depth: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === 0) return undefined
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = Array.isArray(value) ? 0 : members.length
  for (const member of members) {
    if (typeof member !== 'object' || member === null) continue
    const more = keysIn(member, depth - 1)
    if (more === undefined) return undefined
    count += more
  }
  return count
}

function duplicatedKey({ key, lines: [first, second] }: KeyTwice, text: string, place: string, firstLine: number) {
  const words = `duplicated mapping key ${JSON.stringify(key)}, which line ${firstLine + first} has as well`
  return new KrmError('YamlSyntax', `${place} cannot be read as JSON: ${words}${formatPlace(text, second, firstLine)}`)
}

/**
 * Throws where the text is not JSON: the YAML reader's error has the place; a text that is valid YAML is an error, too.
 */
function notJson(text: string, place: string, firstLine: number): never {
  readAnyYaml(text, place, firstLine)
  const line = text.split('\n').findIndex((words) => words.trim() !== '')
  throw new KrmError(
    'YamlSyntax',
    `${place} holds text between JSON values that is not JSON${formatPlace(text, line, firstLine)}`,
  )
}

/** The items of a List, nested ones too. Throws `UserError` for a page of a longer List, since objects are missing. */
function unwrap(document: Document, name: string): Document[] {
  const { value } = document
  if (Array.isArray(value)) return value.flatMap((member) => unwrap({ value: member }, name))
  if (!isList(value)) return [document]
  const { metadata } = value
  if (metadata?.continue || metadata?.remainingItemCount) {
    throw new UserError(
      `PartialList: ${name} is one page of a longer list. List without a limit, such as kubectl get nodes -o json --chunk-size=0`,
    )
  }
  const { apiVersion, kind } = value
  const memberKind = kind.slice(0, -'List'.length)
  return value.items.flatMap((member) =>
    unwrap({ value: memberKind === '' ? member : { apiVersion, kind: memberKind, ...(member as object) } }, name),
  )
}

interface List {
  apiVersion: string
  kind: string
  metadata?: { continue?: string; remainingItemCount?: number }
  items: unknown[]
}

function isList(value: unknown): value is List {
  const { kind, items } = (value ?? {}) as Partial<List>
  return typeof kind === 'string' && kind.endsWith('List') && kind !== 'ResourceList' && Array.isArray(items)
}

/** A document of a YAML stream, and its first line in the file. */
export interface DocumentText {
  readonly text: string
  readonly firstLine: number
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm
const REST_OF_MARKER = /^[ \t]*(?:#.*)?\r?\n/

/** The documents of a stream without those of comments alone. Text on the line of a marker belongs to the document. */
export function documentsOf(stream: string): DocumentText[] {
  const documents: DocumentText[] = []
  let line = 1
  const add = (start: number, end: number) => {
    const piece = stream.slice(start, end)
    const rest = start === 0 ? undefined : REST_OF_MARKER.exec(piece)?.[0]
    const text = piece.slice(rest?.length ?? 0).replace(/^\.\.\.[ \t]*\r?$/gm, '')
    if (/^[ \t]*[^#\s]/m.test(text)) documents.push({ text, firstLine: rest === undefined ? line : line + 1 })
    line += piece.split('\n').length - 1
  }
  let start = 0
  for (const { index } of stream.matchAll(MARKER)) {
    add(start, index)
    start = index + '---'.length
  }
  add(start, stream.length)
  return documents
}

/** A JSON value of a stream, and the number of lines before it. */
export interface JsonText {
  readonly text: string
  readonly linesAbove: number
}

const BRACKET_OR_QUOTE = /["{}[\]]/g
const ESCAPE_OR_QUOTE = /\\[\s\S]|"/g

/**
 * The objects and lists of a stream of JSON values, with or without line breaks between them, as kubectl reads them.
 * Text between two values belongs to the next; an unclosed value extends to the end.
 */
export function jsonValues(text: string): JsonText[] {
  const values: JsonText[] = []
  let start = 0
  let lines = 0
  let depth = 0
  const add = (end: number) => {
    const value = text.slice(start, end)
    if (value.trim() !== '') values.push({ text: value, linesAbove: lines })
    lines += value.split('\n').length - 1
    start = end
  }
  BRACKET_OR_QUOTE.lastIndex = 0
  for (let found = BRACKET_OR_QUOTE.exec(text); found !== null; found = BRACKET_OR_QUOTE.exec(text)) {
    const [token] = found
    if (token === '"') BRACKET_OR_QUOTE.lastIndex = endOfString(text, found.index)
    else if (token === '{' || token === '[') depth++
    else if (--depth <= 0) {
      depth = 0
      add(found.index + 1)
    }
  }
  add(text.length)
  return values
}

/** A key that an object of a JSON text has twice, and the lines of both, from 0 on. */
export interface KeyTwice {
  readonly key: string
  readonly lines: readonly [first: number, second: number]
}

/**
 * Returns the first key that an object of a JSON text has twice: `JSON.parse` keeps the last, others the first. `keys`
 * is how many keys the parsed text has: where as many are written, which is quick to count, none is there twice.
 */
export function keyTwice(text: string, keys: number): KeyTwice | undefined {
  if (mostKeys(text) === keys) return undefined
  /** The keys of each open object with the place of each; undefined for a list. */
  const open: Array<Map<string, number> | undefined> = []
  BRACKET_OR_QUOTE.lastIndex = 0
  for (let found = BRACKET_OR_QUOTE.exec(text); found !== null; found = BRACKET_OR_QUOTE.exec(text)) {
    const { 0: token, index } = found
    if (token === '{' || token === '[') open.push(token === '{' ? new Map() : undefined)
    else if (token !== '"') open.pop()
    else {
      const end = endOfString(text, index)
      BRACKET_OR_QUOTE.lastIndex = end
      COLON.lastIndex = end
      const known = open.at(-1)
      if (known === undefined || !COLON.test(text)) continue
      const key = JSON.parse(text.slice(index, end)) as string
      const first = known.get(key)
      if (first !== undefined) return { key, lines: [lineAt(text, first), lineAt(text, index)] }
      known.set(key, index)
    }
  }
  return undefined
}

const COLON = /\s*:/y

/**
 * Returns how many keys a JSON text has, at most: a string that begins with a colon counts, too. Infinity where a blank
 * comes before a colon, of which nothing follows.
 */
function mostKeys(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === QUOTE) count++
    else if (before <= BLANK) return Number.POSITIVE_INFINITY
  }
  return count
}

const QUOTE = 0x22
const BLANK = 0x20

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length - 1
}

function endOfString(text: string, start: number): number {
  ESCAPE_OR_QUOTE.lastIndex = start + 1
  for (let found = ESCAPE_OR_QUOTE.exec(text); found !== null; found = ESCAPE_OR_QUOTE.exec(text)) {
    if (found[0] === '"') return found.index + 1
  }
  return text.length
}

const CONFLICT_MARKER = /^(?:<{7}|>{7}|\|{7})(?: .*)?$/m

/**
 * Refuses a file that Git has left with conflict markers: in YAML no value begins a line with one. What nodefit
 * rendered, such as all of `folder`, needs no merge, since the next run writes it. A pointer of Git LFS is refused as
 * well: it is no file of anybody's. Throws `UserError` with the line.
 */
export function refuseConflict(text: string, name: string, folder?: string): void {
  if (isPointer(text))
    throw new UserError(`NotText: ${name} is a pointer of Git LFS: fetch the file itself with git lfs pull`)
  const found = CONFLICT_MARKER.exec(text)
  if (found === null) return
  const line = text.slice(0, found.index).split('\n').length
  const where = `ConflictMarkers: ${name} has the markers of a Git conflict, line ${line}: ${found[0]}`
  const isRendered = folder !== undefined || text.includes(`${OWNER}:`)
  throw new UserError(
    isRendered
      ? `${where}. nodefit rendered it: take either side (git checkout --ours -- ${folder ?? name}), then build again`
      : `${where}. Merge it by hand, then run the command again`,
  )
}
