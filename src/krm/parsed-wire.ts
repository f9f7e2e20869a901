import { isBlock, membersOf, rootEntries, startOf } from './members.ts'
import { parse } from './parse.ts'
import { HEADER, type Wire, wireOf } from './wire.ts'

/**
 * Cuts block-style ResourceList text at its items as a parser sees them, for what cannot be cut by lines: quoted text
 * with lines at the margin. Undefined where the text is laid out otherwise. Throws `YAMLException` where it is no YAML.
 */
export function sliceParsedWire(text: string): Wire | undefined {
  const parsed = parse(text)
  const { events, source } = parsed
  const entries = rootEntries(parsed)
  if (entries === undefined || !isBlock(events[1])) return undefined
  const list = entries.find(({ key }) => key === 'items')
  const sequence = events[list?.value ?? 0]
  if (list === undefined || sequence === undefined || !('start' in sequence) || !isBlock(sequence)) return undefined
  const toText = lineOffsets(source, text)
  const header = toText(list.keyStart)
  if (HEADER.exec(text.slice(header))?.index !== 0) return undefined
  const column = sequence.start - startOfLine(source, sequence.start)
  const nodes = membersOf(events, list.value).map((at) => events[at])
  const cuts = nodes.map((node) => toText(node === undefined ? 0 : markerLine(source, startOf(node), column)))
  const next = entries[entries.indexOf(list) + 1]
  const end = next === undefined ? endOfDocument(text, cuts.at(-1) ?? header) : toText(next.keyStart)
  return wireOf(text, header, cuts, end, column)
}

/** The start of the line in `text` that an offset in `source` stands in: the lines are the same, their indentation is not. */
function lineOffsets(source: string, text: string): (offset: number) => number {
  const [sourceLines, textLines] = [startsOfLines(source), startsOfLines(text)]
  const numbers = new Map(sourceLines.map((start, line) => [start, line]))
  return (offset) => textLines[numbers.get(startOfLine(source, offset)) ?? 0] ?? 0
}

function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function startOfLine(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset - 1) + 1
}

/** The line of the list marker that a node stands behind: above it there are comments at most. */
function markerLine(source: string, node: number, column: number): number {
  const isMarker = (line: number) => source.startsWith(`${' '.repeat(column)}-`, line)
  let line = startOfLine(source, node)
  while (line > 0 && !isMarker(line)) line = startOfLine(source, line - 1)
  return line
}

/** Where a document that goes on to the end of its text is closed by dots, if it is. */
function endOfDocument(text: string, from: number): number {
  const dots = text.lastIndexOf('\n...')
  return dots > from && /^\n\.\.\.\s*$/.test(text.slice(dots)) ? dots + 1 : text.length
}
