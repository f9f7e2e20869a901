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
const ITEMS = /"items"\s*:/g
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

/** Whether a List has `items` twice, of which `JSON.parse` keeps the last: `{"items": [1], "items": []}`. */
export function hasItemsTwice(text: string): boolean {
  if ((text.match(ITEMS)?.length ?? 0) < 2) return false
  let depth = 0
  let count = 0
  BRACKET_OR_QUOTE.lastIndex = 0
  for (let found = BRACKET_OR_QUOTE.exec(text); found !== null; found = BRACKET_OR_QUOTE.exec(text)) {
    const [token] = found
    if (token === '"') {
      const end = endOfString(text, found.index)
      BRACKET_OR_QUOTE.lastIndex = end
      if (depth === 1 && text.slice(found.index, end) === '"items"' && /^\s*:/.test(text.slice(end, end + 100))) count++
    } else depth += token === '{' || token === '[' ? 1 : -1
  }
  return count > 1
}

function endOfString(text: string, start: number): number {
  ESCAPE_OR_QUOTE.lastIndex = start + 1
  for (let found = ESCAPE_OR_QUOTE.exec(text); found !== null; found = ESCAPE_OR_QUOTE.exec(text)) {
    if (found[0] === '"') return found.index + 1
  }
  return text.length
}
