import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { eventsOf, type Parsed } from './parse.ts'

/** An entry of a mapping: its key, the key's offset, and the event at which the value begins. */
export interface Entry {
  /** Undefined if the key is not a scalar. */
  readonly key: string | undefined
  readonly keyStart: number
  readonly value: number
}

/**
 * Returns the entries of a document that is a mapping; undefined if it is something else, or if a second document
 * follows.
 */
export function rootEntries({ events, source }: Parsed): Entry[] | undefined {
  if (events[1]?.type !== EVENT_ID.MAPPING || events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length > 1)
    return undefined
  const members = membersOf(events, 1)
  const entries = members.flatMap((at, index) => {
    const event = events[at]
    const value = members[index + 1]
    if (index % 2 === 1 || event === undefined || value === undefined) return []
    const key = event.type === EVENT_ID.SCALAR ? getScalarValue(source, event) : undefined
    return [{ key, keyStart: startOf(event), value }]
  })
  return entries.every(({ keyStart }) => Number.isFinite(keyStart)) ? entries : undefined
}

/** Returns the events at which the members of a collection begin; for a mapping, keys and values alternate. */
function membersOf(events: readonly Event[], at: number): number[] {
  const members: number[] = []
  let depth = 0
  for (let next = at + 1; depth >= 0 && next < events.length; next++) {
    const type = events[next]?.type
    if (type === EVENT_ID.POP) depth--
    else {
      if (depth === 0) members.push(next)
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    }
  }
  return members
}

/** Returns the offset of a value with its tag, anchor and quotes; Infinity if the value is empty. */
function startOf(event: Event): number {
  const starts: number[] = []
  if ('tagStart' in event) starts.push(event.tagStart)
  if ('anchorStart' in event) starts.push(event.anchorStart - 1)
  if ('start' in event) starts.push(event.start)
  if (event.type === EVENT_ID.SCALAR) {
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
    starts.push(event.valueStart - (isQuoted ? 1 : 0))
  }
  return Math.min(...starts.filter((start) => start >= 0))
}

/** Whether the event begins a mapping or a list in block style. */
export function isBlock(event: Event | undefined): boolean {
  const isCollection = event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE
  return isCollection && event.style === COLLECTION_STYLE.BLOCK
}

/** Whether a document has anchors or aliases; also true where it cannot be parsed. */
export function hasAnchors(text: string): boolean {
  try {
    return eventsOf(text).some(
      (event) => event.type === EVENT_ID.ALIAS || ('anchorStart' in event && event.anchorStart >= 0),
    )
  } catch {
    return true
  }
}
