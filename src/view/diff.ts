import { isError } from '../finding/finding.ts'
import type { Plan } from '../types.ts'
import { type Cell, NONE, type Paint, type Role } from './columns.ts'
import { folded, messageOf } from './explain.ts'
import { reportLines, tableSections } from './report.ts'
import { tableRows } from './table.ts'
import { printable } from './width.ts'

/** One object that a render adds, changes or removes among what is applied. */
export interface ObjectDiff {
  readonly change: 'added' | 'changed' | 'removed'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** A unified diff of its YAML, with the headers of its two sides. */
  readonly patch: string
}

/** A comment longer than this is refused by GitHub, which takes 65,536 characters. */
const LONGEST_COMMENT = 60_000
/** Begins each comment, so that a later one replaces it. */
export const COMMENT_MARK = '<!-- nodefit diff -->'

/**
 * Formats what a render changes as lines for a terminal: the report of the run, then a unified diff of each object.
 */
export function diffLines(plan: Plan, diffs: readonly ObjectDiff[], paint: Paint): string[] {
  const report = reportLines(plan, false, paint)
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

/** A line of YAML holds no control characters but tabs, and one in a string is escaped there. */
function controlFree(line: string): string {
  return line.includes('\t') ? line : printable(line)
}

function countLine(diffs: readonly ObjectDiff[]): string {
  return `nodefit: ${countText(diffs)}`
}

function countText(diffs: readonly ObjectDiff[]): string {
  const count = (wanted: ObjectDiff['change']) => diffs.filter(({ change }) => change === wanted).length
  const objects = count('added') === 1 ? 'object' : 'objects'
  return `${count('added')} ${objects} added, ${count('changed')} changed, ${count('removed')} removed`
}

/**
 * Formats what a render changes as Markdown for the comment on a pull request: counts, the table of groups, findings,
 * and the diff in a block that opens. A diff that is too long for a comment ends with how much is left out.
 */
export function diffMarkdown(plan: Plan, diffs: readonly ObjectDiff[], title = ''): string {
  const errors = plan.findings.filter(isError).length
  const result = plan.failed ? `${errors} ${errors === 1 ? 'error' : 'errors'}, nothing is rendered` : countText(diffs)
  const head = [COMMENT_MARK, `### nodefit${title === '' ? '' : ` ${escaped(title)}`}: ${result}`, '']
  const table = plan.failed ? [] : markdownTable(plan)
  const findings = folded(plan.findings.filter(({ severity }) => severity !== 'info')).flatMap(({ finding, more }) => [
    `- **${finding.severity}** \`${finding.code}\`: ${escaped(printable(messageOf(finding)))}${more === 0 ? '' : ` (and ${more} more)`}`,
    ...fenced((finding.lines ?? []).map(printable), '  '),
  ])
  const shown = [...head, ...table, ...(findings.length === 0 ? [] : [...findings, ''])].join('\n')
  return shown + patchBlock(plan.failed ? [] : diffs, LONGEST_COMMENT - shown.length)
}

function markdownTable(plan: Plan): string[] {
  const { headings, rows } = tableRows(tableSections(plan))
  if (rows.length === 0) return []
  const shown = headings.flatMap((heading, index) =>
    rows.some((row) => !['', NONE].includes(row[index]?.text.trim() ?? '')) ? [{ heading, index }] : [],
  )
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(shown.map(({ heading }) => heading.charAt(0) + heading.slice(1).toLowerCase())),
    line(shown.map(() => '---')),
    ...rows.map((row) => line(shown.map(({ index }) => markdownCell(row[index])))),
    '',
  ]
}

function markdownCell(cell: Cell | undefined): string {
  const words = cell?.text.trim().replaceAll(/ +/g, ' ').split(' -> ').map(escaped).join(' → ') ?? ''
  return words !== '' && (cell?.role === 'less' || cell?.role === 'heading') ? `**${words}**` : words
}

function patchBlock(diffs: readonly ObjectDiff[], room: number): string {
  if (diffs.length === 0) return ''
  const lines = diffs.flatMap(({ patch }) => patch.trimEnd().split('\n'))
  const [open, close] = ['<details><summary>Diff</summary>\n\n', '\n</details>\n']
  let left = room - open.length - close.length - 200
  const end = lines.findIndex((text) => {
    left -= text.length + 1
    return left < 0
  })
  const kept = end < 0 ? lines : lines.slice(0, end)
  const note =
    kept.length === lines.length
      ? ''
      : `\n\nThese are the first ${kept.length} of ${lines.length} lines: run \`nodefit diff\` for all.\n`
  return `${open}${fenced(kept, '', 'diff').join('\n')}${note}\n${close}`
}

/** Puts lines into a fence that is longer than any run of backquotes in them. */
function fenced(lines: readonly string[], indent: string, language = ''): string[] {
  if (lines.length === 0) return []
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? [])
  const fence = '`'.repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1)
  return [`${fence}${language}`, ...lines, fence].map((line) => indent + line)
}

/** Keeps a text from being read as Markdown, HTML or the name of a person to notify. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>@|*_`[\]\\]/g, (character) => `&#${character.charCodeAt(0)};`)
}
