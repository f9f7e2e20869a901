/** Where a position of a text is among the keys of its document. */
export interface KeyPath {
  /** The keys from the root down, `[]` for an entry of a list; of a value its own key too. */
  readonly path: readonly string[]
  /** Whether a value is written here, behind its key. */
  readonly isValue: boolean
  /** Where the word begins that is being written. */
  readonly from: number
  /** The column of the key. */
  readonly column: number
  /** The first line of the document. */
  readonly start: number
}

const LINE = /^( *)((?:- +)*)(?:(["']?)([\w./-]+)\3:(?: +(.*))?)?/
const ENTRY = '[]'

/** Returns where an offset is among the keys; undefined in a comment, or where the block style does not tell. */
export function keyPathAt(text: string, offset: number): KeyPath | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(lineStart, offset)
  if (/^\s*#|\t| #|^---/.test(before)) return undefined
  const start = documentStart(text, lineStart)
  const [, spaces = '', dashes = '', , key, value] = LINE.exec(before) ?? []
  const column = spaces.length + dashes.length
  const word = before.slice(column)
  const isValue = key !== undefined && value !== undefined
  if (!isValue && !/^["']?[\w./-]*$/.test(word)) return undefined
  if (isValue && /^[[{|>&*!]/.test(value)) return undefined
  const above = pathAbove(text.slice(start, lineStart), column, dashes === '' ? undefined : spaces.length)
  return {
    path: isValue ? [...above, key] : above,
    isValue,
    from: isValue ? lineStart + before.length - value.length : lineStart + column,
    column,
    start,
  }
}

/** The keys above a column; `dash` is where the dash of a list is on the line itself. */
function pathAbove(text: string, column: number, dash: number | undefined): string[] {
  const path: string[] = dash === undefined ? [] : [ENTRY]
  let [limit, isList] = dash === undefined ? [column, false] : [dash, true]
  for (const line of text.split('\n').reverse()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, spaces = '', dashes = '', , key, value = ''] = LINE.exec(line) ?? []
    const at = spaces.length + dashes.length
    const isParent = key !== undefined && value.replace(/^#.*/, '') === '' && (at < limit || (isList && at <= limit))
    if (isParent && (dashes === '' || at < limit)) path.unshift(key)
    else if (!(dashes !== '' && at === limit && !isList)) continue
    isList = false
    limit = at
    if (dashes !== '') {
      path.unshift(ENTRY)
      isList = true
      limit = spaces.length
    }
  }
  return path
}

function documentStart(text: string, before: number): number {
  const marker = text.lastIndexOf('\n---', before)
  if (marker >= 0) return text.indexOf('\n', marker + 1) + 1
  return text.startsWith('---') ? text.indexOf('\n') + 1 : 0
}
