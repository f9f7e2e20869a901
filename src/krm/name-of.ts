import { KrmError } from './error.ts'

const LONGEST_LINE = 60

/** What an object that cannot be read is called: by kind, name and file, or by its number and first line. */
export function nameOf(raw: string, index: number): string {
  const path = /^[^#\n]*\b(?:internal\.)?config\.kubernetes\.io\/path["']?: *["']?([^"'\n,}]+)/m.exec(raw)?.[1]
  const file = path === undefined ? '' : ` (${path})`
  const kind = /(?:^[ -]*|[{,]\s*)["']?kind["']?: *["']?([A-Za-z]+)/m.exec(raw)?.[1]
  const metadata = /(?:^[ -]*|[{,]\s*)["']?metadata["']?:/m.exec(raw)
  const name =
    metadata === null
      ? undefined
      : /(?:^ *|[{,]\s*)["']?name["']?: *["']?([^"'\s,}]+)/m.exec(raw.slice(metadata.index + metadata[0].length))?.[1]
  if (kind !== undefined && name !== undefined) return `${kind} ${name}${file}`
  const first =
    raw
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  return `item ${index}${file}, which begins with "${first.slice(0, LONGEST_LINE)}",`
}

/** Reads an item; where that fails, the error calls "the object" by its name. */
export function named<T>(raw: string, index: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    throw new KrmError(error.code, error.message.replace('the object', nameOf(raw, index)))
  }
}
