import { type Finding, hasRole, isError, plural } from '../krm/finding.ts'
import type { Plan } from '../rules/plan.ts'
import { type Cell, NONE, type Paint, printable, type Role } from './columns.ts'
import { explained, type Folded, folded, messageIn } from './explain.ts'
import { overviewOfSeveral, overviewTable } from './overview.ts'
import { reportLines, tableSections } from './report.ts'
import { rowTables, tableRows } from './table.ts'

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
function controlFree(line: string): string {
  return line.split('\t').map(printable).join('\t')
}

function countLine(diffs: readonly ObjectDiff[]): string {
  return `nodefit: ${countText(diffs)}`
}

/** Says how many objects a render adds, changes and removes. */
function countText(diffs: readonly ObjectDiff[]): string {
  const count = (wanted: ObjectDiff['change']) => diffs.filter(({ change }) => change === wanted).length
  return `${plural(count('added'), 'object')} added, ${count('changed')} changed, ${count('removed')} removed`
}

/** GitHub refuses a comment of more than 65,536 characters; the rest is for the notes on what is left out. */
const LONGEST_COMMENT = 64_000
/** How much of it the findings and the table may take each, so that some of the diff is always shown. */
const LONGEST_PART = 20_000
/** Begins each comment, so that a later one replaces it. */
export const COMMENT_MARK = '<!-- nodefit diff -->'

/**
 * Formats what a render changes as Markdown for the comment on a pull request: counts, the summary of each subject, its
 * groups or rows as a table, the findings, and the diff in a block that opens. Each part is cut at a whole entry and
 * says how many it shows of how many, so that the comment stays within what GitHub takes.
 */
export function diffMarkdown(plan: Plan, diffs: readonly ObjectDiff[], title = ''): string {
  const errors = plan.findings.filter(isError).length
  const result = plan.failed ? `${plural(errors, 'error')}, nothing is rendered` : countText(diffs)
  const head = `${COMMENT_MARK}\n### nodefit${title === '' ? '' : ` ${escaped(title)}`}: ${result}\n`
  const found = explained(plan.findings, false)
  const message = messageIn(plan.packages)
  const others = findingList(folded(found.filter((one) => !hasRole(one, 'summary'))), message)
  const overview = overviewPart(plan)
  if (plan.failed) return head + overview + others
  const ofSubjects = found.filter((one) => hasRole(one, 'summary')).map((finding) => ({ finding, more: 0 }))
  const summaries = findingList(ofSubjects, message)
  const shown = head + overview + summaries + tables(plan) + others
  return shown + patchBlock(diffs, LONGEST_COMMENT - shown.length)
}

function findingList(findings: readonly Folded[], message: (finding: Finding) => string): string {
  const entries = findings.map(({ finding, more }) =>
    [
      `- **${finding.severity}** \`${finding.code}\`: ${escaped(printable(message(finding)))}${more === 0 ? '' : ` (and ${more} more)`}`,
      ...fenced((finding.lines ?? []).map(printable), '  '),
    ].join('\n'),
  )
  return part(fitting(entries, LONGEST_PART), 'findings')
}

/** Returns the table of several packages. */
function overviewPart(plan: Plan): string {
  const rows = overviewOfSeveral(plan)
  return rows.length === 0 ? '' : markdownTable(overviewTable(rows), LONGEST_PART)
}

/** Returns the table of groups, and those of subjects without groups. */
function tables(plan: Plan): string {
  const groups = tableRows(tableSections(plan))
  const others = rowTables(plan).map((lines) => ({
    headings: lines[0]?.cells.map(([heading]) => heading) ?? [],
    rows: lines.map(({ cells }) => cells.map(([, text]): Cell => ({ text: printable(text) }))),
  }))
  const all = [groups, ...others].filter(({ rows }) => rows.length > 0)
  return all.map((one) => markdownTable(one, Math.floor(LONGEST_PART / all.length))).join('')
}

function markdownTable({ headings, rows }: ReturnType<typeof tableRows>, room: number): string {
  const shown = headings.flatMap((heading, index) =>
    rows.some((row) => !['', NONE].includes(row[index]?.text.trim() ?? '')) ? [{ heading, index }] : [],
  )
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = [line(shown.map(({ heading }) => headingText(heading))), line(shown.map(() => '---'))]
  const lines = rows.map((row) => line(shown.map(({ index }) => markdownCell(row[index]))))
  return part(fitting(lines, room), 'rows', head)
}

function headingText(heading: string): string {
  return heading.charAt(0) + heading.slice(1).toLowerCase().replace(/^pu\b/, 'PU')
}

function markdownCell(cell: Cell | undefined): string {
  const words = cell?.text.trim().replaceAll(/ +/g, ' ').split(' -> ').map(escaped).join(' → ') ?? ''
  return words !== '' && (cell?.role === 'less' || cell?.role === 'heading') ? `**${words}**` : words
}

function patchBlock(diffs: readonly ObjectDiff[], room: number): string {
  if (diffs.length === 0) return ''
  const [open, close] = ['\n<details><summary>Diff</summary>\n', '\n</details>\n']
  const lines = diffs.flatMap(({ patch }) => patch.trimEnd().split('\n').map(controlFree))
  const fit = fitting(lines, room - open.length - close.length - 2 * fenceFor(lines).length)
  return open + part({ ...fit, shown: fenced(fit.shown, '', 'diff') }, 'lines') + close
}

/** The first of some entries that take at most `room` characters, and how many there are of how many. */
interface Fitting {
  readonly shown: readonly string[]
  readonly count: number
  readonly all: number
}

function fitting(entries: readonly string[], room: number): Fitting {
  let left = room
  const end = entries.findIndex((text) => {
    left -= text.length + 1
    return left < 0
  })
  const shown = end < 0 ? entries : entries.slice(0, end)
  return { shown, count: shown.length, all: entries.length }
}

/** A paragraph of its own, with how many of the entries it shows where it does not show all. */
function part({ shown, count, all }: Fitting, what: string, head: readonly string[] = []): string {
  if (all === 0) return ''
  const note =
    count === all ? [] : ['', `These are the first ${count} of ${all} ${what}: run \`nodefit diff\` for all.`]
  return `\n${[...head, ...shown, ...note].join('\n')}\n`
}

/** Puts lines into a fence. */
function fenced(lines: readonly string[], indent: string, language = ''): string[] {
  if (lines.length === 0) return []
  const fence = fenceFor(lines)
  return [`${fence}${language}`, ...lines, fence].map((line) => indent + line)
}

/** A fence that is longer than any run of backquotes in these lines. */
function fenceFor(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? [])
  return '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1)
}

/** Keeps a text from being read as Markdown, HTML or the name of a person to notify. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>@|*_`[\]\\]/g, (character) => `&#${character.charCodeAt(0)};`)
}
