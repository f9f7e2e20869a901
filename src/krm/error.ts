/** The ways in which text can fail to be a ResourceList that is safe to work on. */
export type KrmErrorCode =
  | 'EmptyInput'
  | 'NotText'
  | 'YamlSyntax'
  | 'YamlRefused'
  | 'NotAResourceList'
  | 'NotAnObject'
  | 'FileNotRead'
  | 'TooLarge'

/** Thrown if input is not a ResourceList, or holds YAML that readers interpret differently. */
export class KrmError extends Error {
  readonly code: KrmErrorCode

  constructor(code: KrmErrorCode, message: string) {
    super(message)
    this.name = 'KrmError'
    this.code = code
  }
}

const LONGEST_QUOTE = 60
/** How much of a long line is quoted before the place of the error. */
const BEFORE = 40

/** The line in the author's file at which a text begins; null if a host has changed the text. */
export type FirstLine = number | null

/**
 * Formats the place of an error for the end of a sentence: the line number and the line. If a host has added, dropped
 * or joined lines, its numbers mean nothing to the author, and only the line is quoted.
 */
export function formatPlace(text: string, line: number | undefined, firstLine: FirstLine, column = 0): string {
  if (line === undefined) return ''
  const lines = text.split(/\r\n?|\n/)
  let last = Math.min(line, lines.length - 1)
  while (last > 0 && (lines[last] ?? '').trim() === '') last--
  const quote = excerpt(lines[last] ?? '', last === line ? column : 0)
  return `, ${firstLine === null ? 'in the line' : `line ${firstLine + last}`}: ${quote}`
}

/**
 * Trims a line, but keeps a leading tab visible, which is often the error. Of a long line it returns the part around
 * the column.
 */
function excerpt(line: string, column: number): string {
  const words = (/^ *\t/.test(line) ? '\\t' : '') + line.trim()
  if (words.length <= LONGEST_QUOTE) return words
  const at = column - (line.length - line.trimStart().length)
  const start = at >= LONGEST_QUOTE && at <= words.length ? at - BEFORE : 0
  const end = start + LONGEST_QUOTE
  return `${start > 0 ? '…' : ''}${words.slice(start, end)}${end < words.length ? '…' : ''}`
}
