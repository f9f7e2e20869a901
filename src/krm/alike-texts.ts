import { isMap, type Mapping, setMember } from './map.ts'

/** Texts that differ in words only: their outline, and the words in its gaps. */

/** Private-use characters, which have no meaning in YAML, in the gaps of an outline. */
const MARK = '\ue000'
const NUMBER_MARK = '\ue001'
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

interface Outlined {
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

const MARKS = new RegExp(`[${MARK}${NUMBER_MARK}]`, 'g')
/** What stands for the first integer of an outline while it is parsed; the next has the next number. */
const PLACEHOLDER = 700_000_000_000_000
/** The longest text that is compared with others, in characters; longer ones are rarely alike. */
const LONGEST = 1 << 14
/** The number of outlines that are kept: alike texts are neighbours. */
const MOST = 64
/** The number of outlines that a text is compared with before its own is made. */
const MOST_RECENT = 4

/** A value with gaps for words. What has no gap is one value in memory, which all texts of the outline share. */
type Pattern =
  | { readonly kind: 'word' | 'integer'; readonly index: number }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'list'; readonly entries: readonly Pattern[] }
  | { readonly kind: 'map'; readonly keys: readonly string[]; readonly members: readonly Pattern[] }

interface Recent {
  readonly pattern: Pattern
  /** Returns the words of a text of its outline. */
  readonly wordsOf: (text: string) => readonly string[] | undefined
}

/**
 * Reads YAML texts that differ in words only, such as thousands of rendered objects: their outline, the text without
 * its words, is parsed when it comes the second time, and each further text is its pattern filled with words.
 */
export class AlikeTexts {
  readonly #patterns = new Map<string, Pattern | 'once' | 'none'>()
  /** The outlines of the last texts that were filled, the last first. */
  readonly #recent: Recent[] = []

  /**
   * Returns the value of a text, as `parse` would; undefined if the text must be parsed itself, which also reports its
   * errors. Values may share members, which are frozen.
   */
  read(text: string, parse: (text: string) => unknown): unknown {
    if (text.length > LONGEST) return undefined
    for (const [index, recent] of this.#recent.entries()) {
      const words = recent.wordsOf(text)
      if (words === undefined) continue
      if (index > 0) this.#use(recent)
      return fill(recent.pattern, words)
    }
    const outlined = outlineOf(text)
    if (outlined === undefined) return undefined
    const { outline, words } = outlined
    const known = this.#patterns.get(outline)
    const pattern = known === 'once' ? patternOf(outline, words.length, parse) : known
    if (pattern !== known || pattern === undefined) this.#remember(outline, pattern ?? 'once')
    if (typeof pattern !== 'object') return undefined
    this.#use({ pattern, wordsOf: wordsBy(outline) })
    return fill(pattern, words)
  }

  #use(recent: Recent): void {
    const index = this.#recent.indexOf(recent)
    if (index >= 0) this.#recent.splice(index, 1)
    this.#recent.unshift(recent)
    this.#recent.length = Math.min(this.#recent.length, MOST_RECENT)
  }

  #remember(outline: string, pattern: Pattern | 'once' | 'none'): void {
    this.#patterns.set(outline, pattern)
    if (this.#patterns.size <= MOST) return
    for (const oldest of this.#patterns.keys()) {
      this.#patterns.delete(oldest)
      return
    }
  }
}

/** Returns the pattern of an outline; 'none' unless each word is read as a value of its own, exactly once. */
function patternOf(outline: string, count: number, parse: (text: string) => unknown): Pattern | 'none' {
  let marks = 0
  const indexes = new Map<unknown, number>()
  const marked = outline.replace(MARKS, (mark) => {
    // an integer below `|-` or behind a tag is a text: only one that is read as a number is one
    const filled = mark === MARK ? `${mark}${marks}` : PLACEHOLDER + marks
    indexes.set(filled, marks++)
    return String(filled)
  })
  if (marks !== count || outline.includes(String(PLACEHOLDER).slice(0, -4))) return 'none'
  try {
    const pattern = toPattern(parse(marked), indexes)
    return indexes.size === 0 ? pattern : 'none'
  } catch {
    // parsing the text itself reports the error with its place
    return 'none'
  }
}

/** Takes each mark that it finds out of `indexes`. Throws where a mark is not a whole value, or comes twice. */
function toPattern(value: unknown, indexes: Map<unknown, number>): Pattern {
  const index = indexes.get(value)
  if (index !== undefined) {
    indexes.delete(value)
    return { kind: typeof value === 'string' ? 'word' : 'integer', index }
  }
  if (typeof value === 'string' && value.includes(MARK)) throw new Error('a word is a part of a text')
  const entries = Array.isArray(value) ? value.map((entry) => toPattern(entry, indexes)) : []
  const keys = isMap(value) ? Object.keys(value) : []
  if (keys.some((key) => key.includes(MARK))) throw new Error('a word is a part of a key')
  const members = isMap(value) ? keys.map((key) => toPattern(value[key], indexes)) : []
  if ([...entries, ...members].every(({ kind }) => kind === 'value'))
    return { kind: 'value', value: Object.freeze(value) }
  return Array.isArray(value) ? { kind: 'list', entries } : { kind: 'map', keys, members }
}

function fill(pattern: Pattern, words: readonly string[]): unknown {
  switch (pattern.kind) {
    case 'word':
      return words[pattern.index]
    case 'integer':
      return Number(words[pattern.index])
    case 'value':
      return pattern.value
    case 'list':
      return pattern.entries.map((entry) => fill(entry, words))
    case 'map': {
      const map: Mapping = {}
      pattern.keys.forEach((key, index) => {
        setMember(map, key, fill(pattern.members[index] as Pattern, words))
      })
      return map
    }
  }
}
