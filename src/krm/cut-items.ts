import type { Source } from './item.ts'
import { closingQuote, parse, quoteLeftOpen } from './parse.ts'

/** A ResourceList in the block layout that Go hosts write, cut into its items and the rest. */
export interface Wire {
  /** Everything except the items: apiVersion, kind, functionConfig, results. */
  readonly frame: string
  readonly items: readonly Source[]
}

const TAB = 9

/** Offsets of the cuts: the line above the items, each item's marker line, and the line after the last item. */
export interface Cuts {
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
export function findCuts(text: string): Cuts | undefined {
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
export function cutPieces(text: string, { header, markers, end, column }: Cuts): Wire | undefined {
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
export function cutOutsideQuotes(text: string): Cuts | undefined {
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
