/** Every way in which text can fail to be a ResourceList that is safe to work on. */
export type KrmErrorCode = 'EmptyInput' | 'NotText' | 'YamlSyntax' | 'YamlRefused' | 'NotAResourceList' | 'NotAnObject'

/** Thrown when input is not a ResourceList, or holds YAML that readers understand differently. */
export class KrmError extends Error {
  readonly code: KrmErrorCode

  constructor(code: KrmErrorCode, message: string) {
    super(message)
    this.name = 'KrmError'
    this.code = code
  }
}

const LONGEST_QUOTE = 60
/** How much of a long line is quoted before the place that is meant. */
const BEFORE = 40

/** The line of its author's file that a text begins in; null where the text is not as its author wrote it. */
export type FirstLine = number | null

/**
 * Where something is wrong in a text, as the end of a sentence: the line's number and the line. A host adds lines to an
 * object, and leaves out and joins others: then the line is quoted, and a number would be a false one.
 */
export function placeOf(text: string, line: number | undefined, firstLine: FirstLine, column = 0): string {
  if (line === undefined) return ''
  const lines = text.split(/\r\n?|\n/)
  let last = Math.min(line, lines.length - 1)
  while (last > 0 && (lines[last] ?? '').trim() === '') last--
  const quote = excerpt(lines[last] ?? '', last === line ? column : 0)
  return `, ${firstLine === null ? 'in the line' : `line ${firstLine + last}`}: ${quote}`
}

/** A line without the blanks around it, but with a tab that indents it, which is often what is wrong; of a long one what is about the column. */
function excerpt(line: string, column: number): string {
  const words = (/^ *\t/.test(line) ? '\\t' : '') + line.trim()
  if (words.length <= LONGEST_QUOTE) return words
  const at = column - (line.length - line.trimStart().length)
  const start = at >= LONGEST_QUOTE && at <= words.length ? at - BEFORE : 0
  const end = start + LONGEST_QUOTE
  return `${start > 0 ? '…' : ''}${words.slice(start, end)}${end < words.length ? '…' : ''}`
}
