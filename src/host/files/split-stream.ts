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
