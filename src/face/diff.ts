import { plural } from '../krm/finding/index.ts'
import type { Plan } from '../rules/plan.ts'
import type { Paint, Role } from './columns.ts'
import { reportLines } from './report.ts'
import { printable } from './width.ts'

/** One object that a render adds, changes or removes among what is applied. */
export interface ObjectDiff {
  readonly change: 'added' | 'changed' | 'removed'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** The package that it is in, where there are several. */
  readonly package?: string
  /** A unified diff of its YAML, with the headers of its two sides. */
  readonly patch: string
}

/**
 * Formats what a render changes as lines for a terminal: the report of the run, then a unified diff of each object.
 */
export function diffLines(plan: Plan, diffs: readonly ObjectDiff[], paint: Paint, isWhole = false): string[] {
  const report = reportLines(plan, isWhole, paint)
  if (plan.failed) return report
  const patches = diffs.flatMap(({ patch }) =>
    patch
      .trimEnd()
      .split('\n')
      .map((line) => painted(line, paint)),
  )
  return [...report, ...(report.length > 0 && patches.length > 0 ? [''] : []), ...patches, countLine(diffs)]
}

function painted(line: string, paint: Paint): string {
  const text = controlFree(line)
  const role = PATCH_ROLES.find(([start]) => line.startsWith(start))?.[1]
  return role === undefined ? text : paint(role, text)
}

const PATCH_ROLES: ReadonlyArray<readonly [string, Role]> = [
  ['---', 'heading'],
  ['+++', 'heading'],
  ['@@', 'quiet'],
  ['-', 'error'],
  ['+', 'added'],
]

/** Returns a line of YAML without what controls a terminal or the direction of text; tabs stay. */
export function controlFree(line: string): string {
  return line.split('\t').map(printable).join('\t')
}

function countLine(diffs: readonly ObjectDiff[]): string {
  return `nodefit: ${countText(diffs)}`
}

/** Says how many objects a render adds, changes and removes. */
export function countText(diffs: readonly ObjectDiff[]): string {
  const count = (wanted: ObjectDiff['change']) => diffs.filter(({ change }) => change === wanted).length
  return `${plural(count('added'), 'object')} added, ${count('changed')} changed, ${count('removed')} removed`
}
