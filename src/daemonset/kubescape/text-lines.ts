/** What a line of YAML is: structure; text in a block or in quotes; or a plain text going on from the line before. */
export type LineKind = 'yaml' | 'text' | 'continued'

const BLOCK_SCALAR = /(?:^|[\s:-])[|>](?:[+-]?[1-9]?|[1-9][+-])\s*(?:#.*)?$/
const COMMENT = /^\s*#/
/** A key or list marker with a plain text behind it: nothing that begins another kind of value. */
const PLAIN_VALUE = /^\s*(?:-\s+)*(?:(?:"[^"]*"\s*|'[^']*'\s*|[^\s'"{}#&*[\]-][^#]*?):\s+|-\s+)[^\s"'|>{}[\]&*!#%@`-]/

/**
 * Which lines of a YAML text are structure. Nothing but these may be taken for an action of a template: the text within
 * a scalar is its author's, whatever it looks like.
 */
export function kindsOf(lines: readonly string[]): LineKind[] {
  let quote: string | undefined
  let block: number | undefined
  let plain: number | undefined
  return lines.map((line) => {
    const indent = line.search(/\S/)
    if (quote !== undefined) {
      quote = quoteAfter(line, quote)
      return 'text'
    }
    if (block !== undefined && (indent < 0 || indent > block)) return 'text'
    block = undefined
    if (plain !== undefined && !COMMENT.test(line) && (indent < 0 || indent > plain)) return 'continued'
    plain = undefined
    if (COMMENT.test(line) || indent < 0) return 'yaml'
    if (BLOCK_SCALAR.test(line)) block = columnOfKey(line)
    else {
      quote = quoteAfter(line, undefined)
      if (quote === undefined && PLAIN_VALUE.test(line)) plain = columnOfKey(line)
    }
    return 'yaml'
  })
}

/** The quote that is still open at the end of a line; `open` is the one open at its beginning. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open
  for (let at = 0; at < line.length; at++) {
    const character = line[at]
    if (quote === undefined) {
      if (character === '#' && /(^|\s)$/.test(line.slice(0, at))) return undefined
      if ((character === '"' || character === "'") && /(^|[[{,?]|[:-]\s)\s*$/.test(line.slice(0, at))) quote = character
    } else if (quote === '"' && character === '\\') at++
    else if (character === quote) {
      if (quote === "'" && line[at + 1] === "'") at++
      else quote = undefined
    }
  }
  return quote
}

/** The column that a text must be right of: that of its key, or of the list marker it stands behind. */
function columnOfKey(line: string): number {
  const [markers = ''] = /^\s*(?:-\s+)*/.exec(line) ?? []
  const isKey = /^(?:"[^"]*"\s*|'[^']*'\s*|[^'"{}#&*[\]]+?):(?:\s|$)/.test(line.slice(markers.length))
  return isKey ? markers.length : markers.lastIndexOf('-')
}
