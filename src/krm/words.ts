import type { Mapping } from './map.ts'

/** A text that is printed without quotes: a word that no YAML reader takes as another type, or a uid. */
const WORD =
  /^(?:(?!(?:true|false|null|y|yes|n|no|on|off)$)[a-z][\w./-]*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i
/** A text that is printed in double quotes as it is: digits, a time, and what has a colon and a blank. */
const QUOTED = /^(?:[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z|[\w .:/+@=,()-]*: [\w .:/+@=,()-]*)$/
/** JSON of printable ASCII, such as a signed action: double quotes have the same escapes in YAML. */
const JSON_TEXT = /^(?:\{[ -~]*\}|\[[ -~]*\])$/
/** A longer key would stand on a line of its own. */
const LONGEST_KEY = 1000

/** Returns a text as YAML has it where that is known without a printer; undefined for any other. */
export function wordText(text: string): string | undefined {
  if (WORD.test(text)) return text
  if (QUOTED.test(text)) return `"${text}"`
  return JSON_TEXT.test(text) ? JSON.stringify(text) : undefined
}

/** Whether JSON and YAML print a number as the same digits. */
export function isPlainInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

/**
 * Prints a map of words and integers below a key: a line for each member, indented by two. Undefined where it has
 * others.
 */
export function wordLines(map: Mapping): string | undefined {
  let text = ''
  for (const key of Object.keys(map)) {
    const value = map[key]
    const printed = typeof value === 'string' ? wordText(value) : isPlainInteger(value) ? String(value) : undefined
    if (printed === undefined || key.length > LONGEST_KEY || wordText(key) !== key) return undefined
    text += `\n  ${key}: ${printed}`
  }
  return text
}
