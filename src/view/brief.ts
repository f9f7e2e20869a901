import { isError } from '../finding/finding.ts'
import type { Plan } from '../types.ts'
import { explained } from './explain.ts'
import { folded } from './fold.ts'
import { messageOf } from './message.ts'
import { printable, shortened } from './width.ts'

const MOST_ERRORS = 3
const MOST_COLUMNS = 1000

/**
 * What a run says to a program that shows it in one place, as Argo CD does: of a run that failed its first errors, each
 * on a short line, and how many more there are; of any other what is said without being asked for, folded.
 */
export function briefLines(plan: Plan): string[] {
  if (!plan.failed) return folded(explained(plan.findings, false)).map(({ finding }) => lineOf(finding))
  const errors = plan.findings.filter(isError)
  const shown = errors.slice(0, MOST_ERRORS).map(lineOf)
  const more = errors.length - shown.length
  return more === 0 ? shown : [...shown, `nodefit: and ${more} more`]
}

function lineOf(finding: Plan['findings'][number]): string {
  return `nodefit: ${finding.code}: ${shortened(printable(messageOf(finding)), MOST_COLUMNS)}`
}
