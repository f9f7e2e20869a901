import { totalsOf } from '../fate/index.ts'
import { type Finding, hasRole, isError } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import type { Plan } from '../rules/plan.ts'
import { type Paint, printable, shortened } from './columns.ts'
import { explained, type Folded, folded, messageIn, messageOf } from './explain.ts'
import { groupRows } from './group-rows.ts'
import { overviewLines, overviewOfSeveral } from './overview.ts'
import { rowTableLines, rowTables, type Section, tableLines } from './table.ts'

/**
 * Formats a run for a reader, as lines: of several packages what it does in each, the table of groups, each subject's
 * summary with the fleet's totals, and the findings, most severe first, those of one kind folded. With `isWhole`, gives
 * every finding, and folds nothing. A failed run has only findings, and what it would do in the packages that have no
 * errors.
 */
export function reportLines(plan: Plan, isWhole: boolean, paint: Paint): string[] {
  const message = messageIn(plan.packages)
  const lineOfFinding = (one: Folded) => findingLine(one, message(one.finding), paint)
  const lines = (findings: readonly Finding[]) => folded(findings, isWhole).map(lineOfFinding)
  const shown = explained(plan.findings, isWhole)
  const overview = overviewLines(overviewOfSeveral(plan), paint)
  if (plan.failed) return [...lines(shown), ...(overview.length === 0 ? [] : ['', ...overview])]
  const explanations = new Set(shown.filter((one) => !explained([one], false).includes(one)))
  const summaries = shown.filter((finding) => hasRole(finding, 'summary'))
  const others = shown.filter((one) => !explanations.has(one) && !hasRole(one, 'summary'))
  const parts = [
    overview,
    lines([...explanations]),
    tableLines(tableSections(plan), paint),
    ...rowTables(plan).map((rows) => rowTableLines(rows, paint)),
    summaries.map((finding) => lineOfFinding({ finding, more: 0 })),
    lines(others),
  ]
  return parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ['', ...part]))
}

/** Returns a section of the table of groups for each subject of a run. */
export function tableSections({ packages }: Plan): Section[] {
  return packages.flatMap(({ path, planned }) =>
    planned.map((one): Section => {
      return {
        title: `${describe(one.subject.object)}${path === '' ? '' : ` in ${path}`}`,
        rows: groupRows(one),
        totals: totalsOf(one),
      }
    }),
  )
}

function findingLine({ finding, more }: Folded, message: string, paint: Paint): string {
  const { severity, code } = finding
  const rest = more === 0 ? '' : ` (and ${more} more, with --all)`
  return [`nodefit: ${paint(severity, severity)}: ${code}: ${printable(message)}${rest}`, ...linesOf(finding)].join(
    '\n',
  )
}

const MOST_ERRORS = 3
const MOST_COLUMNS = 1000

/**
 * Formats a run for a program that shows it in one place, such as Argo CD: for a failed run its first errors, each on a
 * short line, and how many more there are; for any other the findings that are shown by default, folded.
 */
export function briefLines(plan: Plan): string[] {
  if (!plan.failed) return folded(explained(plan.findings, false)).map(({ finding }) => lineOf(finding))
  const errors = plan.findings.filter(isError)
  const shown = errors.slice(0, MOST_ERRORS).map(lineOf)
  const more = errors.length - shown.length
  return more === 0 ? shown : [...shown, `nodefit: and ${more} more`]
}

function lineOf(finding: Plan['findings'][number]): string {
  const line = `nodefit: ${finding.code}: ${shortened(printable(messageOf(finding)), MOST_COLUMNS)}`
  return [line, ...linesOf(finding)].join('\n')
}

function linesOf({ lines = [] }: Finding): string[] {
  return lines.map(printable)
}
