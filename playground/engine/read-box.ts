import { objectsIn, placedItems, refuseConflict } from '../../src/host/files/objects-in.ts'
import { UserError } from '../../src/host/files/user-error.ts'
import { KrmError } from '../../src/krm/error.ts'
import { PATH } from '../../src/krm/identity.ts'
import type { Item } from '../../src/krm/types.ts'
import { KubeError } from '../../src/kube/index.ts'
import { type Box, FILES } from './boxes.ts'

/** A text that cannot be read, in words, with its line where that is known. */
export interface Problem {
  readonly code: string
  readonly sentence: string
  readonly box?: Box
  readonly line?: number
}

export interface BoxContent {
  readonly items: readonly Item[]
  readonly problem?: Problem
}

const last = new Map<Box, { readonly text: string; readonly content: BoxContent }>()

/** Reads a text as `nodefit build` reads the file. The last content of each is kept, since one of them changes at a time. */
export function readBox(box: Box, text: string): BoxContent {
  const known = last.get(box)
  if (known?.text === text) return known.content
  const content = contentOf(box, text)
  last.set(box, { text, content })
  return content
}

function contentOf(box: Box, text: string): BoxContent {
  const name = FILES[box]
  try {
    refuseConflict(text, name)
    return { items: placedItems(objectsIn(text, name), name, { [PATH]: name }) }
  } catch (error) {
    return { items: [], problem: { ...problemOf(error), box } }
  }
}

/** Says what is wrong with an input. Throws what is no mistake of the user. */
export function problemOf(error: unknown): Problem {
  if (error instanceof KrmError || error instanceof KubeError) return withLine(error.code, error.message)
  if (!(error instanceof UserError)) throw error
  const [, code = 'InvalidInput', sentence = error.message] = /^([A-Z]\w+): ([\s\S]*)$/.exec(error.message) ?? []
  return withLine(code, sentence)
}

function withLine(code: string, sentence: string): Problem {
  const [, line] = /, line (\d+)\b/.exec(sentence) ?? []
  return { code, sentence, ...(line === undefined ? {} : { line: Number(line) }) }
}
