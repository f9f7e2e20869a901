import type { Clock } from '../cluster/clock.ts'
import type { Fields, Log } from './context.ts'

/** How a log writes its lines. */
export interface JsonLogOptions {
  readonly clock: Clock
  /** Takes one line, with its line break. */
  readonly write: (line: string) => void
  /** Removes secrets from a text. */
  readonly scrub?: (text: string) => string
  /** Fields of every line. */
  readonly fields?: Fields
}

/** Container runtimes split lines at 16 KiB, and half a line is no JSON. */
const MAX_LENGTH = 4_000

/** A log of JSON lines: `time` (RFC 3339), `level`, `message`, then the fields. Secrets are removed from every text. */
export function jsonLog({ clock, write, scrub = (text) => text, fields: common = {} }: JsonLogOptions): Log {
  const clean = (value: Fields[string]) => {
    if (typeof value !== 'string') return value
    const text = scrub(value)
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  }
  const writeLine = (level: string, message: string, fields: Fields = {}) => {
    const head = { time: new Date(clock.now()).toISOString(), level, message: clean(message) }
    const rest = Object.entries({ ...common, ...fields }).map(([name, value]) => [
      name in head ? `${name}_` : name,
      clean(value),
    ])
    write(`${JSON.stringify({ ...head, ...Object.fromEntries(rest) })}\n`)
  }
  return {
    info: (message, fields) => writeLine('info', message, fields),
    warn: (message, fields) => writeLine('warn', message, fields),
    error: (message, fields) => writeLine('error', message, fields),
    with: (fields) => jsonLog({ clock, write, scrub, fields: { ...common, ...fields } }),
  }
}
