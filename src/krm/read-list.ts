import { AlikeTexts } from './alike-texts.ts'
import { KrmError } from './error.ts'
import { describeUnread, itemFromWire, newItem, readNamed, type Source } from './item.ts'
import { isMap, type Mapping } from './map.ts'
import { closingQuote, parse, quoteLeftOpen } from './parse.ts'
import { asObject, type IsLookedAt, readObject } from './read-object.ts'
import { escaped, masked, readAnyYaml, refuseForbiddenText } from './read-yaml.ts'
import { locate, type Place } from './splice.ts'
import type { Item, ResourceList, Result } from './types.ts'

const API_VERSION = /^config\.kubernetes\.io\/(v1|v1beta1|v1alpha1)$/
const FRAME = 'what surrounds the items of the ResourceList'

/**
 * Reads a ResourceList (config.kubernetes.io v1, v1beta1 or v1alpha1) as hosts write it. Each item keeps its text. An
 * item for which `isLookedAt` is false may contain otherwise refused YAML, and is opaque then. Throws `KrmError` on
 * anything else: no input, no ResourceList, YAML that is unsafe to pass on.
 */
export function readResourceList(text: string, isLookedAt: IsLookedAt = () => true): ResourceList {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (body.trim() === '') throw new KrmError('EmptyInput', 'no input: a ResourceList was expected on stdin')
  refuseForbiddenInput(body)
  const wire = cut(body, findCuts)
  try {
    if (wire !== undefined) return readWire(wire, isLookedAt)
  } catch (error) {
    const better = error instanceof KrmError ? cut(body, cutOutsideQuotes) : undefined
    if (better === undefined) throw error
    return readWire(better, isLookedAt)
  }
  const better = cut(body, cutOutsideQuotes)
  return better === undefined ? readWhole(body, isLookedAt) : readWire(better, isLookedAt)
}

function cut(text: string, by: (text: string) => Cuts | undefined): Wire | undefined {
  const cuts = by(text)
  return cuts && cutPieces(text, cuts)
}

function readWire(wire: Wire, isLookedAt: IsLookedAt): ResourceList {
  const frame = asResourceList(readAnyYaml(wire.frame, FRAME, null))
  if (Object.hasOwn(frame, 'items')) throw new KrmError('YamlSyntax', 'the ResourceList has the key items twice')
  const alike = new AlikeTexts()
  const items = wire.items.map((source, index) => itemFromWire(source, index, isLookedAt, alike))
  return assemble(frame, items, itemFromFrame(wire.frame, frame))
}

/**
 * Reads any layout. Flow-style items are read one by one; others are parsed whole, and keep their text if it matches
 * the value.
 */
function readWhole(text: string, isLookedAt: IsLookedAt): ResourceList {
  const places = placesOfItems(text)
  const flow = readFlowItems(text, places, isLookedAt)
  const list = asResourceList(flow === undefined ? readAnyYaml(text) : readAnyYaml(flow.frame, FRAME, null))
  if (!Array.isArray(list.items))
    throw new KrmError('NotAResourceList', 'the ResourceList has no items: write items: [] for an empty list')
  const readHere = list.items.map((value: unknown, index) => {
    const object = asObject(value, `item ${index}`)
    const place = places?.items[index]
    return place?.flow ? { object, text: `${text.slice(place.start, place.end)}\n` } : newItem(object)
  })
  const config = list.functionConfig ? newItem(asObject(list.functionConfig, 'functionConfig')) : undefined
  return assemble(list, flow?.items ?? readHere, config)
}

function assemble(list: Mapping, items: readonly Item[], functionConfig: Item | undefined): ResourceList {
  const results = Array.isArray(list.results) ? (list.results as Result[]) : []
  const apiVersion = String(list.apiVersion)
  return functionConfig === undefined ? { apiVersion, items, results } : { apiVersion, items, functionConfig, results }
}

function asResourceList(value: unknown): Mapping {
  if (!isMap(value)) {
    throw new KrmError('NotAResourceList', 'the input is not a ResourceList')
  }
  const { apiVersion, kind } = value
  if (kind !== 'ResourceList' || typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion)) {
    throw new KrmError(
      'NotAResourceList',
      `the input is ${String(apiVersion)} ${String(kind)}, not a config.kubernetes.io ResourceList (v1, v1beta1 or v1alpha1)`,
    )
  }
  return value
}

/** Returns the functionConfig with its own text, so that it is written unchanged. */
function itemFromFrame(frame: string, list: Mapping): Item | undefined {
  if (list.functionConfig === undefined || list.functionConfig === null) return undefined
  const object = asObject(list.functionConfig, 'functionConfig')
  const block = /^functionConfig:[ \t]*\r?\n((?:(?:[ \t]+.*|[ \t]*#.*|)(?:\r?\n|$))*)/m.exec(frame)
  const indent = /^ */.exec(block?.[1] ?? '')?.[0].length ?? 0
  if (block === null || indent === 0) return newItem(object)
  return { object, text: (block[1] ?? '').replace(new RegExp(`^ {1,${indent}}`, 'gm'), '') }
}

/** A ResourceList in flow style, such as JSON: its items, each with its text, and the text without them. */
interface FlowItems {
  readonly frame: string
  readonly items: readonly Item[]
}

/** Locates the items of a list in any layout; undefined if that is not possible. */
function placesOfItems(text: string): Place | undefined {
  return locate(text)?.entries.find(({ key }) => key === 'items')?.value
}

/** Reads flow-style items one by one; undefined if one of them is in block style. */
function readFlowItems(text: string, list: Place | undefined, isLookedAt: IsLookedAt): FlowItems | undefined {
  if (list?.kind !== 'sequence' || !list.flow || !list.items.every(({ flow }) => flow)) return undefined
  const items = list.items.map(({ start, end }, index) => {
    const piece = text.slice(start, end)
    return { ...readNamed(piece, index, () => readObject(piece, 'the object', isLookedAt)), text: `${piece}\n` }
  })
  return { frame: `${text.slice(0, list.start)}[]${text.slice(list.end)}`, items }
}

/**
 * Refuses a ResourceList with characters that Go's readers reject or change, and names the item that contains them.
 * Throws `KrmError`.
 */
function refuseForbiddenInput(text: string): void {
  try {
    refuseForbiddenText(text, 'the input')
  } catch (error) {
    for (const [index, piece] of itemTexts(text).entries())
      refuseForbiddenText(piece, describeUnread(escaped(piece), index), null)
    throw error
  }
}

/** Returns the texts of the items, cut as if all characters were allowed; empty if they cannot be cut. */
function itemTexts(text: string): string[] {
  const good = masked(text)
  const cuts = cutOutsideQuotes(good) ?? findCuts(good)
  const wire = cuts && cutPieces(text, cuts)
  if (wire !== undefined) return wire.items.map(({ raw }) => raw)
  return placesOfItems(good)?.items.map(({ start, end }) => text.slice(start, end)) ?? []
}

/** A ResourceList in the block layout that Go hosts write, cut into its items and the rest. */
interface Wire {
  /** Everything except the items: apiVersion, kind, functionConfig, results. */
  readonly frame: string
  readonly items: readonly Source[]
}

const TAB = 9

/** Offsets of the cuts: the line above the items, each item's marker line, and the line after the last item. */
interface Cuts {
  readonly header: number
  readonly markers: readonly number[]
  readonly end: number
  readonly column: number
}

/**
 * Cuts a block-style ResourceList at its items, line by line; undefined for other layouts (JSON, flow style), which
 * must be parsed whole. A wrong cut, such as within quotes that span lines at the margin, is always noticed: each piece
 * is parsed as its own document, and one of them ends inside the quotes.
 */
function findCuts(text: string): Cuts | undefined {
  const header = /^items:[ \t]*(?:#[^\n]*)?\r?\n/m.exec(text)
  if (header === null) return undefined
  const start = header.index + header[0].length
  const column = markerColumn(text, start)
  if (column === undefined) return undefined
  const markers: number[] = []
  let end = text.length
  for (let at = start; at < text.length; at = lineAfter(text, at)) {
    const indent = indentAt(text, at, column + 1)
    // no key of the ResourceList follows a tab, so the line belongs to the item, whose parser judges it
    if (indent > column || isBlank(text, at + indent) || text.charCodeAt(at + indent) === TAB) continue
    if (indent === column && isMarker(text, at + indent)) {
      markers.push(at)
      continue
    }
    if (/[,}\]]/.test(text.charAt(at + indent))) continue
    end = at
    break
  }
  return { header: header.index, markers, end, column }
}

/** A document end followed by content, or the start of another document. */
const OTHER_DOCUMENT = /^(?:---(?:\s|$)|\.\.\.[ \t]*\r?\n\s*\S)/

/**
 * Cuts the text into its pieces. Undefined if an item's marker has a line of its own, if a line belongs neither to an
 * item nor to what follows the items, or if a new document follows.
 */
function cutPieces(text: string, { header, markers, end, column }: Cuts): Wire | undefined {
  const items = markers.map((at, index) => ({ raw: text.slice(at, markers[index + 1] ?? end), column: column + 2 }))
  if (items.some(({ raw }) => /^ *-[ \t]*(\r?\n|$)/.test(raw)) || text.startsWith(' ', end)) return undefined
  if (OTHER_DOCUMENT.test(text.slice(end))) return undefined
  return { frame: text.slice(0, header) + text.slice(end), items: items.map(normalize) }
}

/** Several blanks may follow `-` if the content keeps its column; the content's column is then larger. */
function normalize(source: Source): Source {
  const marker = /^ *-( +)(?=[^ #\r\n])/.exec(source.raw)
  const blanks = marker?.[1]?.length ?? 1
  return blanks === 1 ? source : { raw: source.raw, column: source.column + blanks - 1 }
}

function markerColumn(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at = lineAfter(text, at)) {
    const indent = indentAt(text, at, 64)
    if (isBlank(text, at + indent)) continue
    return isMarker(text, at + indent) ? indent : undefined
  }
  return undefined
}

/** Returns the offset of the next line. */
function lineAfter(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

/** Returns the number of blanks that a line begins with, at most `most`. */
function indentAt(text: string, at: number, most: number): number {
  let indent = 0
  while (indent < most && text.charCodeAt(at + indent) === 32) indent++
  return indent
}

/** Whether the rest of the line is empty or a comment. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at >= text.length || code === 10 || code === 35 || (code === 13 && text.charCodeAt(at + 1) === 10)
}

function isMarker(text: string, at: number): boolean {
  return text.charCodeAt(at) === 45 && (text.charCodeAt(at + 1) === 32 || text.charCodeAt(at + 1) === 10)
}

/** How many characters may be parsed again for items with many quoted lines at the margin, before giving up. */
const MOST_PARSED = 1 << 26
/** One round for a false header, one for false items after the true one, and one to confirm that none is left. */
const MOST_ROUNDS = 3

type Range = [from: number, to: number]

/**
 * Cuts a text in which `findCuts` takes a line within quotes for a marker, a header or an end. Undefined if no line at
 * the margin is within quotes.
 */
function cutOutsideQuotes(text: string): Cuts | undefined {
  let masked = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const cuts = findCuts(masked)
    if (cuts === undefined) return undefined
    const next = withoutLines(text, quotedLines(text, cuts.column))
    if (next === masked) return masked === text ? undefined : cuts
    masked = next
  }
  return undefined
}

/**
 * Returns the ranges from each line at the margin that is within quotes to the closing quote. A line is within quotes
 * if the piece before it leaves them open.
 */
function quotedLines(text: string, column: number): Range[] {
  const ranges: Range[] = []
  let from = 0
  let parsed = 0
  for (let at = lineAfter(text, 0); at < text.length; at = lineAfter(text, at)) {
    const indent = indentAt(text, at, column + 1)
    if (indent > column || isBlank(text, at + indent) || /[,}\]]/.test(text.charAt(at + indent))) continue
    parsed += at - from
    if (parsed > MOST_PARSED) return ranges
    const piece = text.slice(from, at)
    const quote = quoteLeftOpen(() => parse(piece))
    if (quote === undefined) from = at
    else {
      const to = closingQuote(text, at, quote)
      if (to === text.length) return ranges
      ranges.push([at, to])
      at = to
    }
  }
  return ranges
}

/** Replaces the line breaks in each range, and the one before it, by blanks, so that offsets stay the same. */
function withoutLines(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let at = 0
  for (const [from, to] of ranges) {
    parts.push(text.slice(at, from - 1), text.slice(from - 1, to).replaceAll('\n', ' '))
    at = to
  }
  return parts.join('') + text.slice(at)
}
