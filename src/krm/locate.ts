import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, YAMLException } from 'js-yaml'
import { eventsOf } from './parse.ts'

/** Where a value is in its text: `start` and `end` are offsets and include quotes and brackets. */
export interface Place {
  readonly kind: 'mapping' | 'sequence' | 'scalar'
  readonly flow: boolean
  readonly start: number
  readonly end: number
  readonly entries: ReadonlyArray<{ key: string; keyStart: number; value: Place }>
  readonly items: readonly Place[]
}

/**
 * Locates the values of a document. Undefined if complex keys or tags make text and value differ, or if only Go accepts
 * the indentation. An alias counts as a scalar.
 */
export function locate(text: string): Place | undefined {
  try {
    const events = eventsOf(text)
    return events.some(isTagged) ? undefined : readPlace({ text, events, at: 1, position: 0 })
  } catch (error) {
    if (error instanceof ComplexKey || error instanceof YAMLException) return undefined
    throw error
  }
}

class ComplexKey extends Error {}

interface Reader {
  readonly text: string
  readonly events: Event[]
  at: number
  position: number
}

function isTagged(event: Event): boolean {
  return 'tagStart' in event && event.tagStart >= 0
}

function readPlace(reader: Reader): Place {
  const event = reader.events[reader.at++]
  if (event?.type === EVENT_ID.ALIAS) {
    reader.position = event.anchorEnd
    return { kind: 'scalar', flow: true, start: event.anchorStart - 1, end: event.anchorEnd, entries: [], items: [] }
  }
  if (event?.type === EVENT_ID.SCALAR) {
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0
    const start = event.valueStart < 0 ? reader.position : event.valueStart - quoted
    const end = event.valueStart < 0 ? reader.position : event.valueEnd + quoted
    reader.position = end
    const flow = event.style !== SCALAR_STYLE.LITERAL_BLOCK && event.style !== SCALAR_STYLE.FOLDED_BLOCK
    return { kind: 'scalar', flow, start, end, entries: [], items: [] }
  }
  if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) throw new ComplexKey()
  const kind = event.type === EVENT_ID.MAPPING ? 'mapping' : 'sequence'
  const flow = event.style === COLLECTION_STYLE.FLOW
  reader.position = event.start + (flow ? 1 : 0)
  const entries: Array<{ key: string; keyStart: number; value: Place }> = []
  const items: Place[] = []
  while (reader.events[reader.at]?.type !== EVENT_ID.POP) {
    if (kind === 'mapping') entries.push(readEntry(reader))
    else items.push(readPlace(reader))
  }
  reader.at++
  if (flow) reader.position = afterBracket(reader.text, reader.position, kind === 'mapping' ? '}' : ']')
  return { kind, flow, start: event.start, end: reader.position, entries, items }
}

function readEntry(reader: Reader): { key: string; keyStart: number; value: Place } {
  const event = reader.events[reader.at]
  if (event?.type !== EVENT_ID.SCALAR || event.valueStart < 0) throw new ComplexKey()
  const key = getScalarValue(reader.text, event)
  const place = readPlace(reader)
  reader.position = reader.text.indexOf(':', place.end) + 1
  return { key, keyStart: place.start, value: readPlace(reader) }
}

/** Returns the offset after the bracket that closes a flow collection, skipping blanks, commas and comments. */
function afterBracket(text: string, from: number, bracket: string): number {
  let at = from
  while (text[at] !== bracket) {
    if (text[at] === '#') at = text.indexOf('\n', at)
    else at++
    if (at <= 0 || at >= text.length) throw new ComplexKey()
  }
  return at + 1
}
