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
