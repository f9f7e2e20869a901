import type { Source } from './item.ts'
import { closingQuote, parse, quoteLeftOpen } from './parse.ts'

/** A ResourceList in the block layout that Go's hosts write, cut into its items and the rest. */
export interface Wire {
  /** everything but the items: apiVersion, kind, functionConfig, results */
  readonly frame: string
  readonly items: readonly Source[]
}

const TAB = 9

/** Where a ResourceList is cut: the line above its items, the lines of their markers, the line behind the last one. */
export interface Cuts {
  readonly header: number
  readonly markers: readonly number[]
  readonly end: number
  readonly column: number
}

/**
 * Cuts block-style ResourceList text at its items, by lines. Undefined where the text is laid out otherwise (JSON,
 * flow style): then it has to be parsed whole. A cut in the wrong place, as within quotes that reach over lines at the
 * margin, cannot go unnoticed, since each piece is parsed as a document of its own, and one of them ends within the quotes.
 */
export function cutsIn(text: string): Cuts | undefined {
  const header = /^items:[ \t]*(?:#[^\n]*)?\r?\n/m.exec(text)
  if (header === null) return undefined
  const start = header.index + header[0].length
  const column = markerColumn(text, start)
  if (column === undefined) return undefined
  const markers: number[] = []
  let end = text.length
  for (let at = start; at < text.length; at = lineAfter(text, at)) {
    const indent = indentAt(text, at, column + 1)
    // no key of the ResourceList stands behind a tab: such a line is the item's, and for its reader to judge
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

/** The end of a document with something behind it, or the beginning of another. */
const OTHER_DOCUMENT = /^(?:---(?:\s|$)|\.\.\.[ \t]*\r?\n\s*\S)/

/**
 * The pieces of a text; undefined where a marker stands on a line of its own, a line is neither an item's nor behind them, or
 * what is behind them is no longer of the same document.
 */
export function wireOf(text: string, { header, markers, end, column }: Cuts): Wire | undefined {
  const items = markers.map((at, index) => ({ raw: text.slice(at, markers[index + 1] ?? end), column: column + 2 }))
  if (items.some(({ raw }) => /^ *-[ \t]*(\r?\n|$)/.test(raw)) || text.startsWith(' ', end)) return undefined
  if (OTHER_DOCUMENT.test(text.slice(end))) return undefined
  return { frame: text.slice(0, header) + text.slice(end), items: items.map(normalize) }
}

/** `- ` may be followed by more blanks only if the content keeps its column; then it counts as indented. */
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

/** The start of the next line. */
function lineAfter(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

/** The blanks a line begins with, counted no further than needed. */
function indentAt(text: string, at: number, most: number): number {
  let indent = 0
  while (indent < most && text.charCodeAt(at + indent) === 32) indent++
  return indent
}

/** Whether nothing but a comment begins here. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at >= text.length || code === 10 || code === 35 || (code === 13 && text.charCodeAt(at + 1) === 10)
}

function isMarker(text: string, at: number): boolean {
  return text.charCodeAt(at) === 45 && (text.charCodeAt(at + 1) === 32 || text.charCodeAt(at + 1) === 10)
}

/** Characters that are parsed again for items with many texts at the margin, before they are given up. */
const MOST_PARSED = 1 << 26
/** One for a header that is none, one for the items behind the right one, one to see that nothing is left. */
const MOST_ROUNDS = 3

type Range = [from: number, to: number]

/**
 * The cuts of a text in which those by lines alone are wrong: no line within quotes is a marker, a header or an end.
 * Undefined where there is no line at the margin within quotes.
 */
export function cutAnew(text: string): Cuts | undefined {
  let masked = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const cuts = cutsIn(masked)
    if (cuts === undefined) return undefined
    const next = withoutLines(text, quotedLines(text, cuts.column))
    if (next === masked) return masked === text ? undefined : cuts
    masked = next
  }
  return undefined
}

/** From each line at the margin that is within quotes to where these close: the piece up to such a line leaves them open. */
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

/** The text, as long as it was, without the line breaks from the one above each range to its end. */
function withoutLines(text: string, ranges: readonly Range[]): string {
  const parts: string[] = []
  let at = 0
  for (const [from, to] of ranges) {
    parts.push(text.slice(at, from - 1), text.slice(from - 1, to).replaceAll('\n', ' '))
    at = to
  }
  return parts.join('') + text.slice(at)
}
