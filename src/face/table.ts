import type { RowLine } from '../core/index.ts'
import type { Restart, Totals } from '../fate/index.ts'
import { coresText, gibibytesText } from '../kube/index.ts'
import type { Plan } from '../rules/plan.ts'
import { alignedLines, arrowed, type Cell, type Column, NONE, type Paint, printable, shortened } from './columns.ts'
import type { Amount, GroupRow } from './group-rows.ts'

/** The groups of one subject. */
export interface Section {
  /** The line above its rows where there are several sections. */
  readonly title: string
  readonly rows: readonly GroupRow[]
  readonly totals?: Totals
}

const COLUMNS: readonly Column[] = [
  { heading: 'GROUP' },
  { heading: 'NODES', isCount: true },
  { heading: 'CONTAINER' },
  { heading: 'CPU REQUEST' },
  { heading: 'MEMORY REQUEST' },
  { heading: 'CPU LIMIT' },
  { heading: 'MEMORY LIMIT' },
  { heading: 'RESTARTS' },
]
/** Names differ at their ends, so a longer name is shortened in its middle. */
const NAME_WIDTH = 48
/** Up to this many groups, unchanged groups have rows of their own. */
const FEW = 20

/** A line of a table: its cells before the amounts, the amounts, and what restarts. */
interface Row {
  readonly head: readonly [Cell, Cell, Cell]
  readonly amounts: readonly Pair[]
  readonly restarts: Cell
  readonly isQuiet: boolean
}

interface Pair {
  readonly before?: string
  readonly after: string
  readonly isLess?: boolean
}

/**
 * Formats the groups of all subjects as an aligned table, with a total below each subject's groups; no lines where
 * there are no groups.
 */
export function tableLines(sections: readonly Section[], paint: Paint): string[] {
  const { rows } = tableRows(sections)
  return rows.length === 0 ? [] : alignedLines(COLUMNS, rows, paint)
}

/** Returns the headings and cells of that table, for other forms of it. */
export function tableRows(sections: readonly Section[]): {
  readonly headings: readonly string[]
  readonly rows: ReadonlyArray<readonly Cell[]>
} {
  const filled = sections.filter(({ rows }) => rows.length > 0)
  const isFolded = filled.reduce((sum, { rows }) => sum + rows.length, 0) > FEW
  const names = new Set(filled.flatMap(({ rows }) => rows.flatMap((row) => row.containers.map(({ name }) => name))))
  const isNamed = names.size > 1
  const rows = filled.flatMap((section, index) => [
    ...(filled.length > 1 ? titleRows(section.title, index === 0) : []),
    ...section.rows.filter(({ kind }) => !isFolded || kind !== 'unchanged').flatMap((row) => rowsOf(row, isNamed)),
    ...foldedRows(isFolded ? section.rows.filter(({ kind }) => kind === 'unchanged') : []),
    ...totalRows(section),
  ])
  const amounts = [0, 1, 2, 3].map((index) => arrowed(rows.map((row) => row.amounts[index] ?? { after: '' })))
  const cells = rows.map(({ head, amounts: pairs, restarts, isQuiet }, line) => {
    const texts = amounts.map((column, index): Cell => {
      return { text: column[line] ?? '', role: pairs[index]?.isLess ? 'less' : undefined }
    })
    const all: Cell[] = [...head, ...texts, restarts]
    return isQuiet ? all.map(({ text }): Cell => ({ text, role: 'quiet' })) : all
  })
  return { headings: COLUMNS.map(({ heading }) => heading), rows: cells }
}

const EMPTY: Cell = { text: '' }

function line(text: string, isQuiet: boolean): Row {
  return { head: [{ text }, EMPTY, EMPTY], amounts: [], restarts: EMPTY, isQuiet }
}

function titleRows(title: string, isFirst: boolean): Row[] {
  const blank: Cell = { text: '', isLine: true }
  const own: Cell = { text: printable(title), role: 'heading', isLine: true }
  return [...(isFirst ? [] : [blank]), own].map((cell) => ({ ...line('', false), head: [cell, EMPTY, EMPTY] }))
}

/** Returns a line for each container, with the group's name and nodes on the first. */
function rowsOf({ name, nodeCount, mayStay, kind, restart, containers }: GroupRow, isNamed: boolean): Row[] {
  const isQuiet = kind === 'unchanged'
  const shown = containers.length === 0 ? [{ name: '', amounts: [] }] : containers
  return shown.map((container, index): Row => {
    const nameCell: Cell = { text: isNamed ? shortened(printable(container.name), NAME_WIDTH) : '' }
    return {
      head:
        index === 0
          ? [{ text: shortened(printable(name), NAME_WIDTH) }, { text: nodesText(nodeCount, mayStay) }, nameCell]
          : [EMPTY, EMPTY, nameCell],
      amounts: container.amounts.map((amount) => pairOf(amount, kind === 'removed')),
      restarts: { text: index === 0 ? restartText(kind, restart) : '' },
      isQuiet,
    }
  })
}

/** Formats a number of nodes, those apart that have a pod only if it runs there already: `15 (+3)`. */
function nodesText(nodeCount: number | undefined, mayStay = 0): string {
  if (nodeCount === undefined) return NONE
  return mayStay === 0 ? `${nodeCount}` : `${nodeCount - mayStay} (+${mayStay})`
}

function foldedRows(rows: readonly GroupRow[]): Row[] {
  return rows.length === 0 ? [] : [line(`and ${rows.length} unchanged`, true)]
}

function pairOf({ before, after, isBeforeKnown, comparison }: Amount, isRemoved: boolean): Pair {
  const [was, is] = [printable(before ?? NONE), printable(after ?? NONE)]
  if (isRemoved) return { after: was }
  if (!isBeforeKnown || comparison === 0) return { after: is }
  return { before: was, after: is, isLess: comparison < 0 }
}

/** Formats how many pods restart, and how many nodes move or lose their agent; a new object has no pods yet. */
function restartText(kind: ChangeKind, restart: Restart | undefined): string {
  const lost = lostText(restart?.lost, restart?.mayLose)
  if (kind === 'removed' || kind === 'released') return [kind, ...lost].join(', ')
  if (restart === undefined) return NONE
  const { pods, moved, isOnDelete } = restart
  const own = pods === 0 ? [] : [isOnDelete ? `${pods} on delete` : `${pods}`]
  const starts = [...own, ...(moved === 0 ? [] : [`${moved} ${moved === 1 ? 'moves' : 'move'}`])]
  const first = starts.length === 0 && kind === 'added' ? ['new'] : starts
  return [...first, ...lost].join(', ') || NONE
}

/** Formats how many nodes lose their agent, those apart where nothing shows one: `2 (+3) lost`. */
function lostText(lost = 0, mayLose = 0): string[] {
  return lost + mayLose === 0 ? [] : [`${nodesText(lost + mayLose, mayLose)} lost`]
}

type ChangeKind = GroupRow['kind']

/** Returns the requests of all the pods of a subject, how many of them restart, and how many nodes lose theirs. */
function totalRows({ rows, totals }: Section): Row[] {
  if (totals === undefined) return []
  const { before, after, mayStay } = totals
  const pair = (unit: string, was: string | undefined, is: string): Pair =>
    was === undefined || was === is ? { after: `${is} ${unit}` } : { before: was, after: `${is} ${unit}` }
  const starting = rows.reduce((sum, { restart }) => sum + (restart?.pods ?? 0) + (restart?.moved ?? 0), 0)
  const sumOf = (key: 'lost' | 'mayLose') => rows.reduce((sum, { restart }) => sum + (restart?.[key] ?? 0), 0)
  return [
    {
      head: [{ text: 'total' }, { text: nodesText(after.pods + mayStay, mayStay) }, EMPTY],
      amounts: [
        pair('cores', before && coresText(before.cpu), coresText(after.cpu)),
        pair('GiB', before && gibibytesText(before.memory), gibibytesText(after.memory)),
      ],
      restarts: {
        text: [...(starting === 0 ? [] : [`${starting}`]), ...lostText(sumOf('lost'), sumOf('mayLose'))].join(', '),
      },
      isQuiet: false,
    },
  ]
}

/** Formats the rows of subjects without groups as tables, one for those of equal headings; no lines without rows. */
export function rowTables({ packages }: Plan): RowLine[][] {
  const rows = packages.flatMap(({ planned }) =>
    planned.flatMap(({ account }) => account.filter((line): line is RowLine => line.kind === 'row')),
  )
  const headings = ({ cells }: RowLine) => cells.map(([heading]) => heading).join()
  return [...new Set(rows.map(headings))].map((text) => rows.filter((row) => headings(row) === text))
}

/** Formats such a table, each column as wide as its widest cell. */
export function rowTableLines(rows: readonly RowLine[], paint: Paint): string[] {
  const [first] = rows
  if (first === undefined) return []
  const isCount = (index: number) => index > 0 && rows.every(({ cells }) => /^\d+$/.test(cells[index]?.[1] ?? ''))
  const columns = first.cells.map(([heading], index) => ({ heading, isCount: isCount(index) }))
  return alignedLines(
    columns,
    rows.map(({ cells }) => cells.map(([, text]) => ({ text: shortened(printable(text), NAME_WIDTH) }))),
    paint,
  )
}
