import { defineScalarTag, defineSequenceTag, NOT_RESOLVED, Schema } from 'js-yaml'
import { READ_SCHEMA } from './go-schema.ts'

/** Of private use: it means nothing in YAML. A text that holds it is read as it stands. */
const MARK = '\ue000'
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
 * their lines, far faster than a parser gets through them. Undefined where there are none. Lines and columns of errors are
 * not those of the text, so that what fails has to be read once more as it stands.
 */
export function foldLists(text: string): FoldedText | undefined {
  if (text.includes(MARK)) return undefined
  const lists: string[][] = []
  const folded = text.replace(RUN, (run: string, indent: string) => {
    const marker = `${indent}- `
    return `${marker}${MARK}${lists.push(run.slice(marker.length, -1).split(`\n${marker}`)) - 1}\n`
  })
  if (lists.length === 0) return undefined
  const found = new Set<FoldedList>()
  return { text: folded, schema: unfoldingSchema(lists, found), isRead: () => found.size === lists.length }
}

class FoldedList {
  readonly words: readonly string[]

  constructor(words: readonly string[]) {
    this.words = words
  }
}

function unfoldingSchema(lists: readonly string[][], found: Set<FoldedList>): Schema {
  const listTag = defineScalarTag('tag:nodefit.dev,2026:folded-list', {
    implicit: true,
    implicitFirstChars: [MARK],
    resolve: (text) => {
      const words = lists[Number(text.slice(MARK.length))]
      return words === undefined ? NOT_RESOLVED : new FoldedList(words)
    },
    identify: () => false,
  })
  const sequenceTag = defineSequenceTag<unknown[]>('tag:yaml.org,2002:seq', {
    create: () => [],
    addItem: (sequence, item) => {
      if (!(item instanceof FoldedList)) sequence.push(item)
      else {
        found.add(item)
        for (const word of item.words) sequence.push(word)
      }
    },
    identify: Array.isArray,
  })
  return new Schema([
    ...READ_SCHEMA.tags.filter(({ tagName }) => tagName !== sequenceTag.tagName),
    sequenceTag,
    listTag,
  ])
}
