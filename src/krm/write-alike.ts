import { isMap } from './map.ts'
import { isPlainInteger, wordText } from './words.ts'

/** A private-use character, which has no meaning in YAML. A value with a text that contains it is printed itself. */
const MARK = '\ue002'
/** Printed in quotes, since a text with a colon and a blank must be. */
const QUOTED_MARK = `${MARK}: `
const MARKS = new RegExp(`"${QUOTED_MARK}"|${MARK}`)
/** The number of outlines that are kept: alike values are neighbours. */
const MOST = 64

/**
 * Prints values that differ in words only, such as thousands of partial Nodes: their outline, the value without its
 * words, is printed when it comes the second time, and each further text is that one filled with words.
 */
export class AlikeWriter {
  readonly #printed = new Map<string, readonly string[] | 'once' | 'none'>()

  /** Returns the text that `print` gives for the value. */
  write(value: unknown, print: (value: unknown) => string): string {
    const words: string[] = []
    const outline = outlineOf(value, words)
    if (outline === undefined) return print(value)
    const known = this.#printed.get(outline)
    const pieces = known === 'once' ? piecesOf(outline, words.length, print) : known
    if (pieces !== known || pieces === undefined) this.#remember(outline, pieces ?? 'once')
    if (typeof pieces !== 'object') return print(value)
    let text = ''
    for (const [index, piece] of pieces.entries()) text += piece + (words[index] ?? '')
    return text
  }

  #remember(outline: string, pieces: readonly string[] | 'once' | 'none'): void {
    this.#printed.set(outline, pieces)
    if (this.#printed.size <= MOST) return
    for (const oldest of this.#printed.keys()) {
      this.#printed.delete(oldest)
      return
    }
  }
}

/**
 * Returns a value as JSON without its words, which are added to `words` as they are printed; undefined if JSON cannot
 * say it. Faster than `JSON.stringify` with a function that is called for each member.
 */
function outlineOf(value: unknown, words: string[]): string | undefined {
  if (typeof value === 'string') {
    const word = wordText(value)
    if (word !== undefined) {
      words.push(word)
      return word === value ? `"${MARK}"` : `"${QUOTED_MARK}"`
    }
    return value.includes(MARK) ? undefined : JSON.stringify(value)
  }
  if (value === null || typeof value === 'boolean' || isPlainInteger(value)) return String(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const entry of value) {
      const outline = outlineOf(entry, words)
      if (outline === undefined) return undefined
      text += text === '' ? outline : `,${outline}`
    }
    return `[${text}]`
  }
  if (!isMap(value)) return undefined
  for (const key of Object.keys(value)) {
    const outline = outlineOf(value[key], words)
    if (outline === undefined) return undefined
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${outline}`
  }
  return `{${text}}`
}

/** Returns the printed text between the words; 'none' unless each word is a mark of its own. */
function piecesOf(outline: string, count: number, print: (value: unknown) => string): readonly string[] | 'none' {
  const pieces = print(JSON.parse(outline)).split(MARKS)
  return pieces.length === count + 1 ? pieces : 'none'
}
