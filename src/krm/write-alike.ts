import { isMap, type Mapping, setMember } from './map.ts'
import { isPlainInteger, wordText } from './words.ts'

/** A private-use character, which has no meaning in YAML. A value with a text that contains it is printed itself. */
const MARK = '\ue002'
/** Printed in quotes, since a text with a colon and a blank must be. */
const QUOTED_MARK = `${MARK}: `
const MARKS = new RegExp(`"${QUOTED_MARK}"|${MARK}`)
/** The number of outlines that are kept: alike values are neighbours. */
const MOST = 64
/** The number of texts that have a number in outlines: those that are no words are few, and come again and again. */
const MOST_TEXTS = 4096

/**
 * Prints values that differ in words only, such as thousands of partial Nodes: their outline, the value without its
 * words, is printed when it comes the second time, and each further text is that one filled with words.
 */
export class AlikeWriter {
  readonly #printed = new Map<string, readonly string[] | 'once' | 'none'>()
  readonly #numbers = new Map<string, number>()

  /** Returns the text that `print` gives for the value. */
  write(value: unknown, print: (value: unknown) => string): string {
    const words: string[] = []
    const outline = this.#outlineOf(value, words)
    if (outline === undefined) return print(value)
    const known = this.#printed.get(outline)
    const pieces = known === 'once' ? piecesOf(value, words.length, print) : known
    if (pieces !== known || pieces === undefined) this.#remember(outline, pieces ?? 'once')
    if (typeof pieces !== 'object') return print(value)
    let text = ''
    for (const [index, piece] of pieces.entries()) text += piece + (words[index] ?? '')
    return text
  }

  #remember(outline: string, pieces: readonly string[] | 'once' | 'none'): void {
    this.#printed.set(outline, pieces)
    if (this.#printed.size > MOST)
      for (const oldest of this.#printed.keys()) {
        this.#printed.delete(oldest)
        break
      }
    if (this.#numbers.size <= MOST_TEXTS) return
    this.#printed.clear()
    this.#numbers.clear()
  }

  /**
   * Returns a text that two values have in common only where they are the same but for their words, which are added to
   * `words` as they are printed; undefined if JSON cannot say the value.
   */
  #outlineOf(value: unknown, words: string[]): string | undefined {
    if (typeof value === 'string') {
      const word = wordText(value)
      if (word === undefined) return value.includes(MARK) ? undefined : this.#numberOf(value)
      words.push(word)
      return word === value ? MARK : QUOTED_MARK
    }
    if (value === null || typeof value === 'boolean' || isPlainInteger(value)) return `=${value}`
    let outline = ''
    if (Array.isArray(value)) {
      for (const entry of value) {
        const inner = this.#outlineOf(entry, words)
        if (inner === undefined) return undefined
        outline += `${inner},`
      }
      return `[${outline}]`
    }
    if (!isMap(value)) return undefined
    for (const key of Object.keys(value)) {
      const inner = this.#outlineOf(value[key], words)
      if (inner === undefined) return undefined
      outline += `${this.#numberOf(key)}${inner},`
    }
    return `{${outline}}`
  }

  /** Returns a text that stands for another one. */
  #numberOf(text: string): string {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return `#${number}`
  }
}

/** Returns the printed text between the words; 'none' unless each word is a mark of its own. */
function piecesOf(value: unknown, count: number, print: (value: unknown) => string): readonly string[] | 'none' {
  const pieces = print(marked(value)).split(MARKS)
  return pieces.length === count + 1 ? pieces : 'none'
}

/** Returns a value with marks for its words. */
function marked(value: unknown): unknown {
  if (typeof value === 'string') {
    const word = wordText(value)
    if (word === undefined) return value
    return word === value ? MARK : QUOTED_MARK
  }
  if (Array.isArray(value)) return value.map(marked)
  if (!isMap(value)) return value
  const map: Mapping = {}
  for (const key of Object.keys(value)) setMember(map, key, marked(value[key]))
  return map
}
