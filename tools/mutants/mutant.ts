/** One deliberate fault: a small edit of one source file. */
export interface Mutant {
  /** The path below the root, `src/…`. */
  readonly file: string
  /** What kind of edit it is, `negate` or `drop filter`; `named` for those written by hand. */
  readonly kind: string
  readonly line: number
  readonly start: number
  readonly end: number
  /** What stands there, and what stands there instead. */
  readonly from: string
  readonly to: string
  /** The innermost block that holds the place: tests that never enter it cannot see the edit. -1 is the file itself. */
  readonly block: number
}

/** A function's body or a block in it, by where it stands: a place that a test enters or not. */
export interface Block {
  readonly start: number
  readonly end: number
  /** An arrow function's expression has no braces to write into. */
  readonly isExpression: boolean
}

/** The same for the same edit of the same text, also where lines above it come and go. */
export function keyOf({ file, kind, from, to }: Mutant): string {
  return `${file} | ${kind} | ${oneLine(from)} => ${oneLine(to)}`
}

/** The text of a file with the fault in it. */
export function applied(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
