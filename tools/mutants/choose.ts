import { createHash } from 'node:crypto'
import { keyOf, type Mutant } from './mutant.ts'

/** The parts that decide what is rendered get five faults a file, the others of the core one, and what makes a first package. */
const FIVE = ['plan/sizing/', 'core/', 'fate/', 'rules/', 'plan/reservation/', 'facts/usage/', 'plan/action/']
const ONE = ['kube/', 'krm/', 'kinds/', 'facts/inventory/', 'core/object/', 'plan/daemonset/', 'plan/pool/', 'face/']
const NONE = ['krm/finding.ts', 'face/scan/', 'face/page/', 'face/expect/']
const FIRST = /^src\/host\/cli\/first-/
/** Of one kind in one file, so that a file full of comparisons is tried in other ways too. */
const MOST_OF_A_KIND = 2

/** Whether a source file has a rule of its own to break. */
export function hasRules(file: string): boolean {
  return !/generated|codes\.ts$|index\.ts$/.test(file)
}

/** How many faults a source file gets in the full run. */
export function quotaOf(file: string): number {
  if (!hasRules(file)) return 0
  const path = file.replace(/^src\//, '')
  const isIn = (parts: readonly string[]) => parts.some((part) => path.startsWith(part))
  if (isIn(NONE)) return 0
  if (isIn(FIVE) && !isIn(ONE)) return 5
  return isIn(ONE) || FIRST.test(file) ? 1 : 0
}

/** Some of a file's faults: by a hash of the edit itself, so that a change elsewhere in the file chooses no others. */
export function choose(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const ofKind = new Map<string, number>()
  const ranked = byHash(distinct(mutants), seed)
  const mixed = ranked.filter(({ kind }) => {
    ofKind.set(kind, (ofKind.get(kind) ?? 0) + 1)
    return (ofKind.get(kind) ?? 0) <= MOST_OF_A_KIND
  })
  const others = ranked.filter((mutant) => !mixed.includes(mutant))
  return [...mixed, ...others].slice(0, count).sort((a, b) => a.start - b.start)
}

/** The faults in an order that only the seed decides. */
export function byHash(mutants: readonly Mutant[], seed: string): Mutant[] {
  const hashOf = (mutant: Mutant) =>
    createHash('sha256')
      .update(`${seed}\n${keyOf(mutant)}`)
      .digest('hex')
  return mutants
    .map((mutant) => ({ mutant, hash: hashOf(mutant) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ mutant }) => mutant)
}

/** One of those that are written alike, since they share a name in the table. */
function distinct(mutants: readonly Mutant[]): Mutant[] {
  return [...new Map(mutants.toReversed().map((mutant) => [keyOf(mutant), mutant])).values()].reverse()
}
