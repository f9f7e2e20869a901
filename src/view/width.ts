import { once } from '../world/index.ts'

/** What is narrow all the same: half-width forms. */
const NARROW = /^[\uff61-\uffdc\uffe8-\uffee]/
/** What takes none: combining marks, joiners and other characters that only say how to show others. */
const WITHOUT = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
/** Controls: what a name or message brings along must neither end its line nor steer the terminal; nor turn its direction. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const PLAIN = /^[\x20-\x7e]*$/
const CUT = '...'

/** Made when somebody asks: they take several milliseconds, which a program that shows no table need not spend. */
const characters = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))
/** What takes two columns of a terminal: East Asian wide and full-width characters, and pictures. */
const wide = once(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u,
)

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : charactersOf(text).reduce((sum, one) => sum + widthOf(one), 0)
}

/** A text of at most so many columns: what is too long loses its middle, since names differ at their ends. */
export function shortened(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  const characters = charactersOf(text)
  const room = Math.max(columns - CUT.length, 0)
  const end = fitting([...characters].reverse(), Math.floor(room / 2)).reverse()
  return [...fitting(characters, room - displayWidth(end.join(''))), CUT, ...end].join('')
}

/** A text on one line, without what would steer a terminal. */
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

function charactersOf(text: string): string[] {
  return [...characters().segment(text)].map(({ segment }) => segment)
}

function widthOf(character: string): number {
  if (wide().test(character) && !NARROW.test(character)) return 2
  return WITHOUT.test(character) ? 0 : 1
}
