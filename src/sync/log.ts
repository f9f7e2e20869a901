import type { Clock } from './clock.ts'

/** What a line of the log has besides its message: plain values by name. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** Where the controller says what it does; secrets are taken out before anything is written. */
export interface Log {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** The same log with these fields in each of its lines. */
  with(fields: Fields): Log
}

/** Says nothing. */
export const silentLog: Log = {
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
}

/** What a log is made of. */
export interface JsonLogOptions {
  readonly clock: Clock
  /** Takes one line, with the line break at its end. */
  readonly write: (line: string) => void
  /** Takes secrets out of a text. */
  readonly scrub?: (text: string) => string
  /** Fields of every line. */
  readonly fields?: Fields
}

/** A container runtime cuts lines at 16 KiB; what is cut is no JSON any more. */
const LONGEST = 4_000

/** A log of one JSON object a line: `time` (RFC 3339), `level`, `message`, then the fields, secrets taken out of every text. */
export function jsonLog({ clock, write, scrub = (text) => text, fields: own = {} }: JsonLogOptions): Log {
  const clean = (value: Fields[string]) => {
    if (typeof value !== 'string') return value
    const text = scrub(value)
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  }
  const say = (level: string, message: string, fields: Fields = {}) => {
    const head = { time: new Date(clock.now()).toISOString(), level, message: clean(message) }
    const rest = Object.entries({ ...own, ...fields }).map(([name, value]) => [
      name in head ? `${name}_` : name,
      clean(value),
    ])
    write(`${JSON.stringify({ ...head, ...Object.fromEntries(rest) })}\n`)
  }
  return {
    info: (message, fields) => say('info', message, fields),
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
    with: (fields) => jsonLog({ clock, write, scrub, fields: { ...own, ...fields } }),
  }
}
