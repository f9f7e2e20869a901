import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, YAMLException } from 'js-yaml'
import { isDeepEqual, isMap, type Mapping, member } from './map.ts'
import { eventsOf } from './parse.ts'
import { readAnyYaml } from './read-yaml.ts'
import { writeFlowYaml, writeYaml } from './write-yaml.ts'

interface Splice {
  start: number
  end: number
  text: string
}

/** Thrown by the functions below if a change has no simple place in the text. */
class NoPlace extends Error {}

/**
 * Applies the difference between two values of a document to its text. Only lines that differ change; comments, order
 * and spelling of the rest stay. Undefined if the text cannot represent the change; the result is read back and
 * compared before it is returned.
 */
export function spliceText(text: string, before: Mapping, after: Mapping): string | undefined {
  const root = locate(text)
  if (root === undefined || root.kind !== 'mapping') return undefined
  const splices: Splice[] = []
  try {
    spliceMapping(text, root, before, after, splices)
  } catch (error) {
    if (error instanceof NoPlace) return undefined
    throw error
  }
  // splices are in text order; those at one offset go from the innermost map outwards
  let result = text
  for (const { start, end, text: piece } of splices.toReversed())
    result = result.slice(0, start) + piece + result.slice(end)
  return saysSame(result, after) ? result : undefined
}

function spliceMapping(text: string, place: Place, before: Mapping, after: Mapping, splices: Splice[]): void {
  if (place.flow && place.entries.length > 0) {
    spliceFlow(text, place, before, after, splices)
    return
  }
  if (place.entries.length === 0) {
    splices.push({ start: place.start, end: place.end, text: writeFlowYaml(after) })
    return
  }
  for (const [index, entry] of place.entries.entries()) {
    const { key, keyStart, value } = entry
    if (member(after, key) === undefined) {
      const next = place.entries[index + 1]
      splices.push(removal(text, keyStart, value, next?.keyStart))
    } else if (!isDeepEqual(member(before, key), member(after, key))) {
      spliceValue(text, key, keyStart, value, member(before, key), member(after, key), splices)
    }
  }
  const added = Object.keys(after).filter((key) => member(after, key) !== undefined && !Object.hasOwn(before, key))
  if (added.length > 0)
    splices.push(addition(text, place, Object.fromEntries(added.map((key) => [key, member(after, key)]))))
}

/**
 * In flow style: values are replaced in place, new entries follow the last one, a removed entry goes with its comma.
 */
function spliceFlow(text: string, place: Place, before: Mapping, after: Mapping, splices: Splice[]): void {
  for (const [index, { key, keyStart, value }] of place.entries.entries()) {
    const next = place.entries[index + 1]
    const previous = place.entries[index - 1]
    const was = member(before, key)
    const is = member(after, key)
    if (is === undefined) {
      if (next !== undefined) splices.push({ start: keyStart, end: next.keyStart, text: '' })
      else if (previous !== undefined) splices.push({ start: previous.value.end, end: value.end, text: '' })
      else throw new NoPlace()
    } else if (isDeepEqual(was, is)) continue
    else if (value.kind === 'mapping' && value.entries.length > 0 && isMap(was) && isMap(is)) {
      spliceFlow(text, value, was, is, splices)
    } else if (value.end > value.start) splices.push({ start: value.start, end: value.end, text: writeFlowYaml(is) })
    else throw new NoPlace()
  }
  const added = Object.keys(after).filter((key) => member(after, key) !== undefined && !Object.hasOwn(before, key))
  const last = place.entries.at(-1)
  if (added.length === 0 || last === undefined) return
  const entries = writeFlowYaml(Object.fromEntries(added.map((key) => [key, member(after, key)]))).slice(1, -1)
  splices.push({ start: last.value.end, end: last.value.end, text: `, ${entries}` })
}

function spliceValue(
  text: string,
  key: string,
  keyStart: number,
  place: Place,
  before: unknown,
  after: unknown,
  splices: Splice[],
): void {
  if (
    place.kind === 'mapping' &&
    isMap(before) &&
    isMap(after) &&
    Object.values(after).some((member) => member !== undefined)
  ) {
    spliceMapping(text, place, before, after, splices)
    return
  }
  if (place.kind === 'sequence' && !place.flow && isSameLength(before, after)) {
    const changed = after as unknown[]
    const pairs = place.items.map((item, index) => ({ item, was: before[index], is: changed[index] }))
    for (const { item, was, is } of pairs) {
      if (isDeepEqual(was, is)) continue
      if (item.kind === 'mapping' && isMap(was) && isMap(is)) spliceMapping(text, item, was, is, splices)
      else if (item.kind === 'scalar' && item.flow && isScalar(is)) splices.push({ ...item, text: writeFlowYaml(is) })
      else throw new NoPlace()
    }
    return
  }
  if (place.kind === 'sequence' && Array.isArray(after) && isExtended(before, after)) {
    splices.push(appended(text, place, after.slice(before.length)))
    return
  }
  if (place.kind === 'sequence' && !place.flow && spliceShorter(text, place, before, after, splices)) return
  if (place.kind === 'scalar' && place.flow && isScalar(after) && place.end > place.start) {
    splices.push({ start: place.start, end: place.end, text: writeFlowYaml(after) })
    return
  }
  const end = endOfValue(text, place)
  splices.push({ start: keyStart, end, text: entryText({ [key]: after }, columnOf(text, keyStart)).trimEnd() })
}

/** Removes the lines of an entry; for a compact first entry (`- key: value`), only up to the next key. */
function removal(text: string, keyStart: number, value: Place, next: number | undefined): Splice {
  const lineStart = text.lastIndexOf('\n', keyStart - 1) + 1
  if (text.slice(lineStart, keyStart).trim() === '') {
    const newline = text.indexOf('\n', endOfValue(text, value))
    return { start: lineStart, end: newline < 0 ? text.length : newline + 1, text: '' }
  }
  if (next === undefined) throw new NoPlace()
  return { start: keyStart, end: next, text: '' }
}

function addition(text: string, place: Place, added: Mapping): Splice {
  const last = place.entries.at(-1)
  if (last === undefined) throw new NoPlace()
  const end = endOfValue(text, last.value)
  const newline = text.indexOf('\n', end)
  const column = columnOf(text, last.keyStart)
  const lines = ' '.repeat(column) + entryText(added, column)
  return newline < 0
    ? { start: text.length, end: text.length, text: `\n${lines}` }
    : { start: newline + 1, end: newline + 1, text: lines }
}

/**
 * Removes list items, each with its line, and appends others. Returns whether that is the difference: what stays keeps
 * its order, at least one item stays, and each removed one is a scalar with a line of its own.
 */
function spliceShorter(text: string, place: Place, before: unknown, after: unknown, splices: Splice[]): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== place.items.length) return false
  const kept = before.map((item) => !isScalar(item) || after.includes(item))
  const stays = before.filter((_, index) => kept[index])
  if (stays.length === 0 || stays.length === before.length) return false
  if (!isDeepEqual(stays, after.slice(0, stays.length))) return false
  for (const [index, item] of place.items.entries()) {
    if (kept[index]) continue
    const start = text.lastIndexOf('\n', item.start - 1) + 1
    if (text.slice(start, item.start).trim() !== '-') throw new NoPlace()
    const newline = text.indexOf('\n', item.end)
    splices.push({ start, end: newline < 0 ? text.length : newline + 1, text: '' })
  }
  const added = after.slice(stays.length)
  if (added.length > 0) splices.push(appended(text, place, added))
  return true
}

/** Appends list items after the last one, at the column of its marker, or before the closing bracket. */
function appended(text: string, place: Place, added: readonly unknown[]): Splice {
  const last = place.items.at(-1)
  if (place.flow && last !== undefined)
    return { start: last.end, end: last.end, text: `, ${writeFlowYaml(added).slice(1, -1)}` }
  const end = endOfValue(text, place)
  const newline = text.indexOf('\n', end)
  const at = newline < 0 ? text.length : newline + 1
  const lines = indented(writeYaml(added), columnOf(text, place.start))
  return { start: at, end: at, text: `${newline < 0 ? '\n' : ''}${lines}` }
}

/** The place of a block scalar includes the blank lines after it; its value ends with its last line. */
function endOfValue(text: string, place: Place): number {
  let last = place
  for (;;) {
    const inner = last.kind === 'mapping' ? last.entries.at(-1)?.value : last.items.at(-1)
    if (inner === undefined || last.flow) break
    last = inner
  }
  return last.kind === 'scalar' && !last.flow ? text.slice(0, last.end).trimEnd().length : last.end
}

function entryText(entries: Mapping, column: number): string {
  return indented(writeYaml(entries), column).slice(column)
}

function indented(text: string, column: number): string {
  return text.replaceAll(/^(?=[^\n])/gm, ' '.repeat(column))
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}

function saysSame(text: string, value: unknown): boolean {
  try {
    return isDeepEqual(readAnyYaml(text), value)
  } catch {
    return false
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isSameLength(before: unknown, after: unknown): before is unknown[] {
  return Array.isArray(before) && Array.isArray(after) && before.length === after.length
}

function isExtended(before: unknown, after: unknown): before is unknown[] {
  return (
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length > 0 &&
    after.length > before.length &&
    isDeepEqual(before, after.slice(0, before.length))
  )
}

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
