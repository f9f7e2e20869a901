import type { Mutant } from './mutant.ts'
import { NAMED } from './named.ts'
import type { Places } from './places.ts'

/** The faults written by hand, in the files that are tried; one whose text is not there exactly once is an error. */
export function namedMutants(
  sources: ReadonlyArray<Places & { readonly file: string; readonly text: string }>,
): Mutant[] {
  return NAMED.flatMap(({ what, file, from, to }) => {
    const source = sources.find((one) => one.file === file)
    if (source === undefined) return []
    const { text, blocks } = source
    const start = text.indexOf(from)
    if (start < 0 || text.indexOf(from, start + 1) >= 0) throw new Error(`${file} has not exactly one of: ${from}`)
    const block = blocks.findLastIndex((one) => one.start <= start && start < one.end)
    const line = text.slice(0, start).split('\n').length
    return [{ file, kind: `named: ${what}`, line, start, end: start + from.length, from, to, block }]
  })
}
