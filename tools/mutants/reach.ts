import { basename, dirname, relative } from 'node:path'
import type { Seen } from './messages.ts'
import type { Mutant } from './mutant.ts'

/** The tests that can see a fault, and what they took together without it, in milliseconds. */
export interface Reach {
  readonly tests: ReadonlyArray<readonly [file: string, index: number]>
  readonly milliseconds: number
}

/** What a test costs beside one of the source's own name, which most often is the one that fails: of its folder, and of another. */
const OF_ITS_FOLDER = 8
const FARTHER = 64

/**
 * The tests that enter the block of a fault, in the order of what they take, those near to the source before others. What stands outside
 * every block, or in one that is entered on loading, is seen by all tests whose file imports it: no block is given.
 */
export function reachOf(
  mutant: Mutant,
  block: number | undefined,
  importers: ReadonlySet<string>,
  seen: readonly Seen[],
  root: string,
): Reach {
  const those = seen
    .filter(({ file, blocks }) => (block === undefined ? importers.has(file) : blocks.includes(block)))
    .map((test) => ({ test, cost: test.milliseconds * distance(mutant.file, relative(root, test.file)) }))
    .sort((a, b) => a.cost - b.cost)
  return {
    tests: those.map(({ test: { file, index } }) => [file, index] as const),
    milliseconds: those.reduce((sum, { test }) => sum + test.milliseconds, 0),
  }
}

/** `test/` mirrors `src/`. */
function distance(source: string, test: string): number {
  const partOf = (path: string) => dirname(path).split('/').slice(1, 3).join('/')
  if (partOf(source) !== partOf(test)) return FARTHER
  return basename(test, '.test.ts') === basename(source, '.ts') ? 1 : OF_ITS_FOLDER
}
