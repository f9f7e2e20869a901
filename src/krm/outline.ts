/** Texts that differ in words only: their outline, and the words in its gaps. */

/** Private-use characters, which have no meaning in YAML, in the gaps of an outline. */
export const MARK = '\ue000'
export const NUMBER_MARK = '\ue001'
/** An integer that every YAML reader takes as the same number. */
const INTEGER = /^(?:0|[1-9][0-9]{0,14})$/
/**
 * A word that every YAML reader takes as a string, such as a uid, a time, or a signature, which has a letter of no
 * number; or an integer.
 */
const BARE_WORD = [
  '(?!(?:true|false|null)$)[a-z][\\w.-]*',
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z',
  '(?=[\\w-]*[g-np-wyz])[\\w-]{40,}',
  INTEGER.source.slice(1, -1),
].join('|')
/** A text that needs no escapes, which stands in quotes. */
const QUOTED_TEXT = '[\\w .:/+@=,-]*'
/** What ends a line behind indentation, list markers and a key. */
const WORD = new RegExp(`^( *(?:- )*(?:[\\w./-]+: )?)(${BARE_WORD}|'${QUOTED_TEXT}'|"${QUOTED_TEXT}")$`, 'gim')
const GAP = new RegExp(`'${MARK}'|"${MARK}"|${MARK}|${NUMBER_MARK}`, 'g')
/** What may fill each kind of gap. */
const FILLS: Readonly<Record<string, RegExp>> = {
  [MARK]: new RegExp(`^(?!${INTEGER.source.slice(1)})(?:${BARE_WORD})$`, 'i'),
  [NUMBER_MARK]: INTEGER,
  [`'${MARK}'`]: new RegExp(`^'${QUOTED_TEXT}'$`, 'i'),
  [`"${MARK}"`]: new RegExp(`^"${QUOTED_TEXT}"$`, 'i'),
}

export interface Outlined {
  readonly outline: string
  readonly words: readonly string[]
}

/** Returns a text without its words, and the words; undefined if the text contains a mark. */
export function outlineOf(text: string): Outlined | undefined {
  if (text.includes(MARK) || text.includes(NUMBER_MARK)) return undefined
  const words: string[] = []
  const outline = text.replace(WORD, (_, before: string, word: string) => {
    const isQuoted = word.startsWith("'") || word.startsWith('"')
    words.push(isQuoted ? word.slice(1, -1) : word)
    if (isQuoted) return `${before}${word[0]}${MARK}${word[0]}`
    return `${before}${INTEGER.test(word) ? NUMBER_MARK : MARK}`
  })
  return { outline, words }
}

/**
 * Returns a function that gives the words of a text with this outline, and undefined for any other text. It compares
 * what stands between the gaps, which takes a small part of the time that making the outline of the text takes.
 */
export function wordsBy(outline: string): (text: string) => string[] | undefined {
  const between = outline.split(GAP)
  const gaps = outline.match(GAP) ?? []
  return (text) => {
    const words: string[] = []
    let at = 0
    for (let index = 0; index < gaps.length; index++) {
      const piece = between[index] as string
      if (!text.startsWith(piece, at)) return undefined
      at += piece.length
      const newline = text.indexOf('\n', at)
      const word = text.slice(at, newline < 0 ? text.length : newline)
      const gap = gaps[index] as string
      if (!(FILLS[gap] as RegExp).test(word)) return undefined
      words.push(gap.length === 1 ? word : word.slice(1, -1))
      at += word.length
    }
    const last = between[gaps.length] as string
    return text.length === at + last.length && text.endsWith(last) ? words : undefined
  }
}
