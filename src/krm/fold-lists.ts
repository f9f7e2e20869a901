import { defineSequenceTag, Schema } from 'js-yaml'
import { READ_SCHEMA } from './go-scalar.ts'

/** Of private use: it means nothing in YAML. A text that holds it, or says it by an escape, is read as it stands. */
const MARK = '\ue000'
const ESCAPED_MARK = /\\[uU](?:0000)?[eE]000/
/**
 * Entries of one list that any YAML reader takes for strings: what Go resolves to something else and begins with a
 * letter (`true`, `null`) has five letters at most. A run is bounded for the regular expression's stack.
 */
const RUN = /^( *)- [A-Za-z][\w.-]{5,252}\n(?:\1- [A-Za-z][\w.-]{5,252}\n){15,500}/gm

/** A text in which long lists of plain words are one entry each, and the schema that reads them as what they were. */
export interface FoldedText {
  readonly text: string
  readonly schema: Schema
  /** Whether every folded entry was found as one: otherwise it was not in a list, but part of a text. */
  readonly isRead: () => boolean
}

/**
 * Folds the long lists of plain words of a YAML text, of which an inventory consists nearly whole: they are cut out by
 * their lines, far faster than a parser gets through them. Undefined where they are less than half of the text. Lines and
 * columns of errors are not those of the text, so that what fails has to be read once more as it stands.
 */
export function foldLists(text: string): FoldedText | undefined {
  const lists = new Map<unknown, string[]>()
  const folded = text.replace(RUN, (run: string, indent: string) => {
    const marker = `${indent}- `
    const mark = `${MARK}${lists.size}`
    lists.set(mark, run.slice(marker.length, -1).split(`\n${marker}`))
    return `${marker}${mark}\n`
  })
  if (lists.size === 0 || folded.length * 2 > text.length) return undefined
  if (folded.split(MARK).length > lists.size + 1 || ESCAPED_MARK.test(folded)) return undefined
  const found = new Set<unknown>()
  return { text: folded, schema: unfoldingSchema(lists, found), isRead: () => found.size === lists.size }
}

/** Reads as Go does, and puts the words of a folded list where its mark stands as an entry. */
function unfoldingSchema(lists: ReadonlyMap<unknown, readonly string[]>, found: Set<unknown>): Schema {
  const sequenceTag = defineSequenceTag<unknown[]>('tag:yaml.org,2002:seq', {
    create: () => [],
    addItem: (sequence, item) => {
      const words = lists.get(item)
      if (words === undefined) sequence.push(item)
      else {
        found.add(item)
        sequence.push(...words)
      }
    },
    identify: Array.isArray,
  })
  return new Schema([...READ_SCHEMA.tags.filter(({ tagName }) => tagName !== sequenceTag.tagName), sequenceTag])
}
