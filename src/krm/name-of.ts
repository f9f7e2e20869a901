import { KrmError } from './error.ts'
import type { Item } from './types.ts'

type Read = Pick<Item, 'object' | 'opaque'>

const LONGEST_LINE = 60
const NULL = /^(?:null|Null|NULL)$/

/** What an object that cannot be read is called: by kind, name and file, or by its number and first line. */
export function describeUnread(raw: string, index: number): string {
  const path = /^[^#\n]*\b(?:internal\.)?config\.kubernetes\.io\/path["']?: *["']?([^"'\n,}]+)/m.exec(raw)?.[1]
  const file = path === undefined ? '' : ` (${path})`
  const kind = /(?:^[ -]*|[{,]\s*)["']?kind["']?: *["']?([A-Za-z]+)/m.exec(raw)?.[1]
  const metadata = /(?:^[ -]*|[{,]\s*)["']?metadata["']?:/m.exec(raw)
  const name =
    metadata === null
      ? undefined
      : /(?:^ *|[{,]\s*)["']?name["']?: *["']?([^"'\s,}]+)/m.exec(raw.slice(metadata.index + metadata[0].length))?.[1]
  if (kind !== undefined && name !== undefined && !NULL.test(kind)) return `${kind} ${name}${file}`
  const first =
    raw
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  return `item ${index}${file}, which begins with "${first.slice(0, LONGEST_LINE)}",`
}

/** Reads an item; where that fails, now or when somebody looks at it, the error calls "the object" by its name. */
export function named(raw: string, index: number, read: () => Read): Read {
  const withName = ({ code, message }: KrmError) =>
    new KrmError(
      code,
      message.replace('the object', () => describeUnread(raw, index)),
    )
  try {
    const { object, opaque } = read()
    return opaque === undefined ? { object } : { object, opaque: withName(opaque) }
  } catch (error) {
    throw error instanceof KrmError ? withName(error) : error
  }
}
