/** One field of a table. */
export interface Cell {
  readonly text: string
  readonly role?: Role
  /** Whether it takes a whole line, whatever the columns are. */
  readonly isLine?: boolean
}

/** A column: its heading, and whether it is aligned right, as counts are. */
export interface Column {
  readonly heading: string
  readonly isCount?: boolean
}

const GAP = '  '
/** What a table shows for no value. */
export const NONE = '-'

/**
 * Formats rows as lines, each column as wide as its widest cell. Omits a column without content, and spaces at the end
 * of a line.
 */
export function alignedLines(columns: readonly Column[], rows: ReadonlyArray<readonly Cell[]>, paint: Paint): string[] {
  const shown = columns.flatMap((column, index) => {
    const cells = rows.map((row) => row[index] ?? { text: '' })
    if (cells.every(({ text }) => text.trim() === '' || text.trim() === NONE)) return []
    const heading: Cell = { text: column.heading, role: 'heading' }
    const width = Math.max(...[heading, ...cells].map(({ text, isLine }) => (isLine ? 0 : displayWidth(text))))
    return [[heading, ...cells].map((cell) => padded(cell, width, column.isCount === true))]
  })
  return [undefined, ...rows].map((_, line) => {
    const cells = shown.map((column) => column[line] ?? padded({ text: '' }, 0, false))
    const last = cells.findLastIndex(({ text }) => text !== '')
    return cells
      .slice(0, last + 1)
      .map(({ before, text, after, role }, index) => {
        const painted = role === undefined || text === '' ? text : paint(role, text)
        return before + painted + (index === last ? '' : after)
      })
      .join(GAP)
  })
}

function padded({ text, role }: Cell, width: number, isCount: boolean) {
  const blank = ' '.repeat(Math.max(width - displayWidth(text), 0))
  const own = text.trimEnd()
  const tail = text.slice(own.length)
  return isCount
    ? { before: blank, text: own, after: tail, role }
    : { before: '', text: own, after: tail + blank, role }
}

/** Formats amounts before and after, with the arrows of a column aligned; no arrow where there is no earlier amount. */
export function arrowed(pairs: ReadonlyArray<{ before?: string; after: string }>): string[] {
  const left = Math.max(0, ...pairs.map(({ before }) => (before === undefined ? 0 : displayWidth(before))))
  return pairs.map(({ before, after }) => {
    if (left === 0) return after
    if (before === undefined) return `${' '.repeat(left)}    ${after}`
    return `${' '.repeat(left - displayWidth(before))}${before} -> ${after}`
  })
}

/** The meaning of a piece of text; the output decides how it looks. */
export type Role = 'error' | 'warning' | 'info' | 'heading' | 'less' | 'added' | 'quiet'

/** Styles a piece of text by its role, without a change of its width. */
export type Paint = (role: Role, text: string) => string

/** Returns text unstyled. */
export const plain: Paint = (_role, text) => text

/** Control characters: a name or message must not end its line, control the terminal, or reverse the text direction. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const PLAIN = /^[\x20-\x7e]*$/
const CUT = '...'

/**
 * Returns how many columns of a terminal a text takes, at most: two for each character beyond ASCII, which is exact for
 * Han, kana, Hangul and most pictures. Names in Kubernetes are ASCII; only a file path or a message of another program
 * may hold other characters.
 */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : [...text].reduce((sum, character) => sum + widthOf(character), 0)
}

/** Shortens a text to at most this many columns by cutting its middle, since names differ at their ends. */
export function shortened(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  const characters = [...text]
  const room = Math.max(columns - CUT.length, 0)
  const end = fitting([...characters].reverse(), Math.floor(room / 2)).reverse()
  return [...fitting(characters, room - displayWidth(end.join(''))), CUT, ...end].join('')
}

/** Shortens a text to at most this many columns by cutting its end. */
export function beginningOf(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return [...fitting([...text], Math.max(columns - CUT.length, 0)), CUT].join('')
}

/** Returns a text on one line, without control characters. */
export function printable(text: string): string {
  return text
    .replaceAll(/\s*[\r\n]+\s*/g, ' ')
    .replaceAll(CONTROL, (control) => `\\u{${(control.codePointAt(0) ?? 0).toString(16)}}`)
}

function fitting(characters: readonly string[], columns: number): string[] {
  let left = columns
  const end = characters.findIndex((character) => {
    left -= widthOf(character)
    return left < 0
  })
  return characters.slice(0, end < 0 ? characters.length : end)
}

function widthOf(character: string): 1 | 2 {
  return PLAIN.test(character) ? 1 : 2
}
