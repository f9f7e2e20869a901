/** A private-use character, which has no meaning in YAML. A value with a text that contains it is printed itself. */
const MARK = '\ue002'
/** Printed in quotes, since a text with a colon and a blank must be. */
const QUOTED_MARK = `${MARK}: `
const MARKS = new RegExp(`"${QUOTED_MARK}"|${MARK}`)
/** A text that is printed without quotes: a word that no YAML reader takes as another type, or a uid. */
const WORD =
  /^(?:(?!(?:true|false|null|y|yes|n|no|on|off)$)[a-z][\w./-]*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i
/** A text that is printed in double quotes as it is: digits, and what has a colon and a blank. */
const QUOTED = /^(?:[0-9]+|[\w .:/+@=,()-]*: [\w .:/+@=,()-]*)$/
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
    return pieces.map((piece, index) => piece + (words[index] ?? '')).join('')
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
 * say it.
 */
function outlineOf(value: unknown, words: string[]): string | undefined {
  let isWritable = true
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') {
      if (WORD.test(member)) {
        words.push(member)
        return MARK
      }
      if (QUOTED.test(member)) {
        words.push(`"${member}"`)
        return QUOTED_MARK
      }
      isWritable &&= !member.includes(MARK)
      return member
    }
    const isJson =
      member === null || typeof member === 'boolean' || typeof member === 'object' || isPlainInteger(member)
    isWritable &&= isJson
    return isJson ? member : null
  })
  return isWritable ? text : undefined
}

/** Whether JSON and YAML print a number as the same digits. */
function isPlainInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

/** Returns the printed text between the words; 'none' unless each word is a mark of its own. */
function piecesOf(outline: string, count: number, print: (value: unknown) => string): readonly string[] | 'none' {
  const pieces = print(JSON.parse(outline)).split(MARKS)
  return pieces.length === count + 1 ? pieces : 'none'
}
