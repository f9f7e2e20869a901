/**
 * Patterns that somebody else wrote, matched in a time that grows with pattern times text (Thompson's construction), as
 * Go's regexp does: no text makes a run take long. It takes what names are matched with: literals, classes, groups,
 * alternatives, repetition, and anchors at the ends.
 */
export type Matches = (text: string) => boolean

/** The most states of a pattern, so that counted repetition cannot grow without end. */
const MOST_STATES = 10_000
/** The most that a repetition may count, as in Go. */
const MOST_REPEATED = 1000
/** The deepest nesting of groups. */
const MOST_NESTED = 100

type Accepts = (point: number) => boolean
/** A state accepts a character and goes on, goes on by itself, or is the end. */
type State = { readonly accepts?: Accepts; next: number[] }
type Part =
  | { readonly kind: 'one'; readonly accepts: Accepts }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'any'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }

/** Thrown within this file alone, for what it does not read. */
class Unread extends Error {}

/** How many steps the patterns of one look may take together: about a second's worth. */
const MOST_STEPS = 10_000_000

/**
 * What the patterns of one look at a package may cost together: each is matched in linear time, and a package of a
 * megabyte may have tens of thousands of them, for hundreds of names.
 */
export class Effort {
  #left: number

  constructor(steps = MOST_STEPS) {
    this.#left = steps
  }

  /** Whether nothing is left: what is matched from then on matches nothing. */
  get isSpent(): boolean {
    return this.#left <= 0
  }

  /** Allows more, for one more name that is to be matched. */
  allow(steps: number): void {
    if (!this.isSpent) this.#left += steps
  }

  spend(steps: number): void {
    this.#left -= steps
  }
}

/**
 * Returns a matcher of whole texts for a regular expression as Go has it; undefined for one that it does not read, and
 * once the effort is spent.
 */
export function wholePattern(source: string, effort = new Effort()): Matches | undefined {
  effort.spend(8 * source.length)
  if (effort.isSpent) return undefined
  try {
    return matcherOf(new Reader(source).read(), effort)
  } catch (error) {
    if (error instanceof Unread) return undefined
    throw error
  }
}

/** Returns a matcher of whole texts for a glob of `*` and `?`, which stand for any characters, and for one. */
export function globPattern(glob: string, effort = new Effort()): Matches {
  effort.spend(glob.length)
  if (effort.isSpent) return () => false
  const parts = Array.from(glob, (letter): Part => {
    if (letter === '*') return { kind: 'repeat', part: ANY, least: 0, most: Number.POSITIVE_INFINITY }
    return letter === '?' ? ANY : literal(letter.codePointAt(0) ?? 0)
  })
  const whole = parts.filter((part, index) => part.kind !== 'repeat' || parts[index - 1]?.kind !== 'repeat')
  return whole.length < MOST_STATES / 2 ? matcherOf({ kind: 'all', parts: whole }, effort) : (text) => text === glob
}

const ANY: Part = { kind: 'one', accepts: () => true }

function literal(wanted: number): Part {
  return { kind: 'one', accepts: (point) => point === wanted }
}

const isDigit: Accepts = (point) => point >= 0x30 && point <= 0x39
const isSpace: Accepts = (point) => [0x20, 0x09, 0x0a, 0x0c, 0x0d].includes(point)
const isWord: Accepts = (point) =>
  isDigit(point) || point === 0x5f || (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a)
const CLASSES: Readonly<Record<string, Accepts>> = {
  ...{ d: isDigit, s: isSpace, w: isWord },
  ...{ D: (point) => !isDigit(point), S: (point) => !isSpace(point), W: (point) => !isWord(point) },
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

/** Reads a regular expression. */
class Reader {
  readonly #letters: readonly string[]
  #at = 0
  #ignoresCase = false
  #depth = 0

  constructor(source: string) {
    this.#letters = Array.from(source)
  }

  read(): Part {
    if (this.#takes('(?i)')) this.#ignoresCase = true
    const node = this.#alternatives()
    if (this.#at < this.#letters.length) throw new Unread()
    return node
  }

  #alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (let letter = this.#peek(); letter !== undefined && letter !== '|' && letter !== ')'; letter = this.#peek()) {
      // anchors of a whole match say nothing at its ends, and are not read elsewhere
      if (letter === '^' && parts.length === 0) this.#at++
      else if (letter === '$' && [undefined, '|', ')'].includes(this.#letters[this.#at + 1])) this.#at++
      else parts.push(this.#repeated(this.#atom()))
    }
    return { kind: 'all', parts }
  }

  #atom(): Part {
    const letter = this.#next()
    if (letter === '(') {
      if ((this.#peek() === '?' && !this.#takes('?:')) || this.#depth >= MOST_NESTED) throw new Unread()
      this.#depth++
      const node = this.#alternatives()
      this.#depth--
      if (!this.#takes(')')) throw new Unread()
      return node
    }
    if (letter === '[') return this.#class()
    if (letter === '.') return ANY
    if (letter === '\\') return this.#escaped()
    if ('*+?{}^$]'.includes(letter)) throw new Unread()
    return this.#letter(letter)
  }

  #escaped(): Part {
    const letter = this.#next()
    const accepts = CLASSES[letter]
    if (accepts !== undefined) return { kind: 'one', accepts }
    return this.#letter(escapedLetter(letter))
  }

  #letter(letter: string): Part {
    if (!this.#ignoresCase) return literal(letter.codePointAt(0) ?? 0)
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()].map((one) => one.codePointAt(0))
    return { kind: 'one', accepts: (point) => point === lower || point === upper }
  }

  #class(): Part {
    const isNot = this.#takes('^')
    const ranges: Accepts[] = []
    for (let isFirst = true; isFirst || this.#peek() !== ']'; isFirst = false) {
      const letter = this.#next()
      if (letter === '[' && this.#peek() === ':') throw new Unread()
      const set = letter === '\\' ? CLASSES[this.#peek() ?? ''] : undefined
      if (set !== undefined) {
        this.#at++
        ranges.push(set)
        continue
      }
      const first = letter === '\\' ? escapedLetter(this.#next()) : letter
      const isRange = this.#peek() === '-' && this.#letters[this.#at + 1] !== ']'
      if (isRange) this.#at++
      const end = isRange ? this.#next() : first
      const last = isRange && end === '\\' ? escapedLetter(this.#next()) : end
      const [low = 0, high = 0] = [first, last].map((one) => one.codePointAt(0))
      if (high < low) throw new Unread()
      ranges.push((point) => point >= low && point <= high)
    }
    this.#at++
    const fits = (point: number) => ranges.some((accepts) => accepts(point))
    const isIn: Accepts = this.#ignoresCase ? (point) => casesOf(String.fromCodePoint(point)).some(fits) : fits
    return { kind: 'one', accepts: isNot ? (point) => !isIn(point) : isIn }
  }

  #repeated(part: Part): Part {
    const bounds = this.#bounds()
    if (bounds === undefined) return part
    // a lazy repetition matches the same whole texts
    this.#takes('?')
    if (['*', '+', '?', '{'].includes(this.#peek() ?? '')) throw new Unread()
    return { kind: 'repeat', part, least: bounds[0], most: bounds[1] }
  }

  #bounds(): readonly [least: number, most: number] | undefined {
    if (this.#takes('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#takes('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#takes('?')) return [0, 1]
    if (this.#peek() !== '{') return undefined
    const end = this.#letters.indexOf('}', this.#at)
    const text = this.#letters.slice(this.#at + 1, Math.max(end, this.#at + 1)).join('')
    const [, least, comma, most] = /^(\d{1,4})(,(\d{1,4})?)?$/.exec(text) ?? []
    if (least === undefined) throw new Unread()
    this.#at = end + 1
    const open = most === undefined ? Number.POSITIVE_INFINITY : Number(most)
    const bounds = [Number(least), comma === undefined ? Number(least) : open] as const
    const isTooMuch = bounds.some((one) => one > MOST_REPEATED && one !== Number.POSITIVE_INFINITY)
    if (isTooMuch || bounds[1] < bounds[0]) throw new Unread()
    return bounds
  }

  #peek(): string | undefined {
    return this.#letters[this.#at]
  }

  #next(): string {
    const letter = this.#letters[this.#at++]
    if (letter === undefined) throw new Unread()
    return letter
  }

  #takes(word: string): boolean {
    const isThere = Array.from(word).every((letter, index) => this.#letters[this.#at + index] === letter)
    if (isThere) this.#at += word.length
    return isThere
  }
}

function casesOf(letter: string): number[] {
  return [letter.toLowerCase(), letter.toUpperCase()].map((one) => one.codePointAt(0) ?? 0)
}

function escapedLetter(letter: string): string {
  const control = CONTROLS[letter]
  if (control !== undefined) return control
  if (/[A-Za-z0-9]/.test(letter)) throw new Unread()
  return letter
}

/** The most sets of states that a pattern remembers. */
const MOST_SETS = 1000

/** A set of states that may be current at once, and the sets that follow it by the characters that were met there. */
interface StateSet {
  readonly states: readonly number[]
  readonly isEnd: boolean
  readonly next: Map<number, StateSet | undefined>
}

/** Makes the states of a pattern, of which any number may be current at once; sets of them are made as they are met. */
function matcherOf(node: Part, effort: Effort): Matches {
  const states: State[] = [{ next: [] }]
  const add = (state: State): number => {
    if (states.length >= MOST_STATES) throw new Unread()
    return states.push(state) - 1
  }
  /** Adds a node in front of a state; returns where it begins. */
  const before = (one: Part, after: number): number => {
    if (one.kind === 'one') return add({ accepts: one.accepts, next: [after] })
    if (one.kind === 'all') return one.parts.reduceRight((next, part) => before(part, next), after)
    if (one.kind === 'any') return add({ next: one.parts.map((part) => before(part, after)) })
    let start = after
    if (one.most === Number.POSITIVE_INFINITY) {
      start = add({ next: [after] })
      const loop = states[start] as State
      loop.next.unshift(before(one.part, start))
    } else
      for (let count = one.least; count < one.most; count++) start = add({ next: [before(one.part, start), after] })
    for (let count = 0; count < one.least; count++) start = before(one.part, start)
    return start
  }
  const first = before(node, 0)
  effort.spend(8 * states.length)
  const known = new Map<string, StateSet>()
  const setOf = (from: readonly number[]): StateSet | undefined => {
    if (from.length === 0) return undefined
    const reached = [...closed(states, from)].sort((a, b) => a - b)
    effort.spend(8 * reached.length)
    const key = reached.join()
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= MOST_SETS) known.clear()
    const made: StateSet = { states: reached, isEnd: reached[0] === 0, next: new Map() }
    known.set(key, made)
    return made
  }
  const after = (current: StateSet, point: number): StateSet | undefined => {
    if (current.next.has(point)) return current.next.get(point)
    effort.spend(current.states.length)
    const next = setOf(current.states.flatMap((at) => (states[at]?.accepts?.(point) ? (states[at]?.next ?? []) : [])))
    current.next.set(point, next)
    return next
  }
  let start: StateSet | undefined
  return (text) => {
    start ??= setOf([first])
    let current = start
    for (const letter of text) {
      effort.spend(1)
      if (effort.isSpent) return false
      current = current && after(current, letter.codePointAt(0) ?? 0)
      if (current === undefined) return false
    }
    return current?.isEnd === true
  }
}

/** Returns the states that are reached without a character. */
function closed(states: readonly State[], from: readonly number[]): Set<number> {
  const reached = new Set(from)
  for (const at of reached) {
    const state = states[at]
    if (state?.accepts === undefined) for (const next of state?.next ?? []) reached.add(next)
  }
  return reached
}
