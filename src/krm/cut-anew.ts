import { closingQuote, parse, quoteLeftOpen } from './parse.ts'
import { type Cuts, cutsIn, indentAt, isBlank, lineAfter } from './wire.ts'

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
