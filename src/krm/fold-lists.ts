import { defineSequenceTag, Schema } from 'js-yaml'
import { READ_SCHEMA } from './go-scalar.ts'

/** A private-use character, which has no meaning in YAML. A text that contains it, or its escape, is not folded. */
const MARK = '\ue000'
const ESCAPED_MARK = /\\[uU](?:0000)?[eE]000/
/**
 * List entries that every YAML reader takes as strings: the words that Go resolves to other types (`true`, `null`) have
 * at most five letters. A run is bounded because of the regular expression's stack.
 */
const RUN = /^( *)- [A-Za-z][\w.-]{5,252}\n(?:\1- [A-Za-z][\w.-]{5,252}\n){15,500}/gm

/** A text in which each long list of plain words is one entry, and the schema that expands it again. */
export interface FoldedText {
  readonly text: string
  readonly schema: Schema
  /** Whether every folded entry was read as a list entry. If not, one of them was part of a longer text. */
  readonly isRead: () => boolean
}

/**
 * Folds the long lists of plain words in a YAML text, which make up most of an inventory: cutting them out by line is
 * far faster than parsing them. Undefined if they are less than half of the text. Lines and columns in errors do not
 * match the original, so a text that fails must be parsed again unfolded.
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

/** Returns a schema that reads scalars as Go does, and replaces each mark by the entries of its list. */
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
