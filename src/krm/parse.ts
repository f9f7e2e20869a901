import { type Event, parseEvents, YAMLException } from 'js-yaml'

const MAX_DEPTH = 200
/** How many characters may be parsed again to indent lines, before giving up; this takes a few seconds. */
const MAX_REPARSED = 1 << 26
/** How many lines are indented one by one before checking whether that can succeed; the number doubles each time. */
const PATIENCE = 8
const LINE_BREAK = /\r\n?|\n/g
const OPEN_BRACKET = 'unexpected end of the stream within a flow collection'
const INDENT = ' '.repeat(MAX_DEPTH)

type Quote = '"' | "'"

/** The events of a text, as offsets into `source`, which is the text with some lines indented further. */
export interface Parsed {
  readonly events: readonly Event[]
  readonly source: string
}

/**
 * Parses a YAML text into events. Go's readers accept any indentation of lines within brackets and quotes, the library
 * does not. Where it reports such a line, the line is indented further, which changes insignificant white space only.
 * Throws `YAMLException`.
 */
export function parse(text: string): Parsed {
  let source = text
  let patience = PATIENCE
  for (let tries = 0, reparsed = 0; ; tries++, reparsed += 2 * source.length) {
    try {
      return { events: eventsOf(source), source }
    } catch (error) {
      const offset = deficient(error)
      if (offset === undefined || reparsed > MAX_REPARSED) throw error
      if (tries === patience) {
        refuseOpenBracket(source, offset)
        patience *= 2
      }
      source = indentedAt(source, offset)
    }
  }
}

/** Returns the events of a text whose indentation the library accepts. */
export function eventsOf(text: string): Event[] {
  return parseEvents(text, { maxDepth: MAX_DEPTH })
}

function deficient(error: unknown): number | undefined {
  return error instanceof YAMLException && error.reason === 'deficient indentation' ? error.mark?.position : undefined
}

/**
 * Looks for an error after a bracket that is still open, which otherwise would be found only after indenting all lines
 * before it one by one. Throws that error, a `YAMLException`.
 */
function refuseOpenBracket(source: string, offset: number): void {
  const start = lineStart(source, offset)
  const indented = source.slice(0, start) + INDENT + source.slice(start).replaceAll(LINE_BREAK, `$&${INDENT}`)
  const error = errorOf(indented)
  const end = error?.mark?.position
  if (error === undefined || end === undefined) return
  const above = `${indented.slice(0, lineStart(indented, end))}${INDENT}`
  if (error.reason === OPEN_BRACKET || errorOf(above)?.reason === OPEN_BRACKET) throw error
}

function errorOf(source: string): YAMLException | undefined {
  try {
    eventsOf(source)
  } catch (error) {
    if (error instanceof YAMLException) return error
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

/** Indents the line of an offset; within quotes, every line up to the closing quote. */
function indentedAt(source: string, offset: number): string {
  const start = lineStart(source, offset)
  const quote = openQuote(source.slice(0, start))
  const end = quote === undefined ? offset : closingQuote(source, offset, quote)
  const lines = source.slice(start, end).replaceAll(LINE_BREAK, `$&${INDENT}`)
  return source.slice(0, start) + INDENT + lines + source.slice(end)
}

function lineStart(source: string, offset: number): number {
  return Math.max(source.lastIndexOf('\n', offset - 1), source.lastIndexOf('\r', offset - 1)) + 1
}

/** Returns the quote that is open at the end of a text, according to the library's error that it is never closed. */
function openQuote(text: string): Quote | undefined {
  return quoteLeftOpen(() => eventsOf(`${text}${INDENT}x`))
}

/** Returns the quote that is still open at the end of a text. */
export function quoteLeftOpen(read: () => unknown): Quote | undefined {
  try {
    read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    if (!(error instanceof YAMLException)) throw error
    if (error.reason.endsWith('within a double quoted scalar')) return '"'
    if (error.reason.endsWith('within a single quoted scalar')) return "'"
  }
  return undefined
}

/** Returns the offset of the quote that closes the one open at `from`; the length of the text if none does. */
export function closingQuote(source: string, from: number, quote: Quote): number {
  const tokens = quote === '"' ? /\\[\s\S]|"/g : /''|'/g
  tokens.lastIndex = from
  for (let found = tokens.exec(source); found !== null; found = tokens.exec(source)) {
    if (found[0] === quote) return found.index
  }
  return source.length
}
