import { YAMLException } from 'js-yaml'
import { KrmError } from './error.ts'
import { nameOf } from './name-of.ts'
import { sliceParsedWire } from './parsed-wire.ts'
import { placeOf } from './place-of.ts'
import type { Wire } from './wire.ts'

/**
 * What was cut by lines and could not be read, cut as a parser sees it. Where that fails too, it throws the error of the
 * piece that is wrong, which need not be the first that could not be read.
 */
export function cutAnew(text: string, wire: Wire, first: KrmError): Wire {
  try {
    const parsed = sliceParsedWire(text)
    if (parsed !== undefined) return parsed
  } catch (error) {
    if (!(error instanceof YAMLException || error instanceof RangeError)) throw error
    if (error instanceof YAMLException) throw errorOfPiece(text, wire, error) ?? first
  }
  throw first
}

/** The parser's error as that of the item it is in; undefined where it is in none, or only said where the text ends. */
function errorOfPiece(text: string, { items }: Wire, { mark, reason }: YAMLException): KrmError | undefined {
  const marker = /^ *-/.exec(items[0]?.raw ?? '')?.[0]
  if (mark === undefined || marker === undefined || reason.includes('end of the stream')) return undefined
  const lines = text.split('\n')
  const isMarker = (line: string | undefined) => line?.startsWith(`${marker} `)
  let first = Math.min(mark.line, lines.length - 1)
  while (first >= 0 && !isMarker(lines[first])) first--
  if (first < 0) return undefined
  const next = lines.findIndex((line, index) => index > first && isMarker(line))
  const piece = lines.slice(first, next < 0 ? undefined : next).join('\n')
  const index = lines.slice(0, first).filter(isMarker).length
  const sentence = `${nameOf(piece, index)} is not YAML that nodefit reads: ${reason}${placeOf(piece, mark.line - first, 1)}`
  return new KrmError('YamlSyntax', sentence)
}
