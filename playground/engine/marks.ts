import { documentsOf } from '../../src/host/files/objects-in.ts'
import type { Finding, Severity } from '../../src/krm/finding.ts'
import { INDEX, PATH } from '../../src/krm/identity.ts'
import { locate, type Place } from '../../src/krm/splice.ts'
import { BOXES, type Box, FILES, type Texts } from './boxes.ts'
import type { Problem } from './read-box.ts'

/** A place in a text that a finding is about, in characters. */
export interface Mark {
  readonly box: Box
  readonly from: number
  readonly to: number
  readonly severity: Severity
  readonly message: string
}

/** Beyond these, places are not looked for: a person mends the first ones first. */
const MOST_MARKS = 50

/** Returns the places of errors and warnings whose object is in one of the texts. */
export function marksOf(findings: readonly Finding[], texts: Texts): Mark[] {
  const shown = findings.filter(({ severity }) => severity !== 'info').slice(0, MOST_MARKS)
  const documents = new Map<string, Located | undefined>()
  return shown.flatMap(({ subject, field, severity, code, message }) => {
    const { [PATH]: file, [INDEX]: index = '0' } = subject?.metadata.annotations ?? {}
    const box = BOXES.find((one) => FILES[one] === file)
    if (box === undefined) return []
    const key = `${box} ${index}`
    if (!documents.has(key)) documents.set(key, locatedDocument(texts[box], Number(index)))
    const found = documents.get(key)
    const place = found && placeOf(found.root, field?.path ?? 'metadata.name')
    if (found === undefined || place === undefined) return []
    const range = { from: found.start + place.from, to: found.start + place.to }
    return [{ box, ...range, severity, message: `${code}: ${message}` }]
  })
}

/** Returns the line that a problem names. */
export function problemMarks({ box, line, code, sentence }: Problem, texts: Texts): Mark[] {
  if (box === undefined || line === undefined) return []
  const lines = texts[box].split('\n')
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const to = from + (lines[line - 1]?.length ?? 0)
  return from > texts[box].length ? [] : [{ box, from, to, severity: 'error', message: `${code}: ${sentence}` }]
}

interface Located {
  readonly start: number
  readonly root: Place
}

/** A document of a stream of YAML by its number; undefined for JSON, whose Lists are not documents. */
function locatedDocument(text: string, index: number): Located | undefined {
  if (/^\s*[{[]/.test(text)) return undefined
  const document = documentsOf(text)[index]
  const root = document && locate(document.text)
  if (document === undefined || root === undefined) return undefined
  const start = text.indexOf(document.text)
  return start < 0 ? undefined : { start, root }
}

/** The key of a field, or of the nearest one above it that is there. */
function placeOf(root: Place, path: string): { from: number; to: number } | undefined {
  let found: { from: number; to: number } | undefined
  let place = root
  let rest = path
  while (rest !== '') {
    const [, index] = /^\[(\d+)\]\.?/.exec(rest) ?? []
    if (index !== undefined) {
      const item = place.items[Number(index)]
      if (item === undefined) return found
      rest = rest.replace(/^\[\d+\]\.?/, '')
      found = { from: item.start, to: Math.min(item.end, item.start + 1) }
      place = item
      continue
    }
    // keys of annotations and labels have dots, too
    const entry = place.entries
      .filter(({ key }) => rest === key || rest.startsWith(`${key}.`) || rest.startsWith(`${key}[`))
      .toSorted((a, b) => b.key.length - a.key.length)[0]
    if (entry === undefined) return found
    rest = rest.slice(entry.key.length).replace(/^\./, '')
    found = { from: entry.keyStart, to: entry.keyStart + entry.key.length }
    place = entry.value
  }
  return found
}
