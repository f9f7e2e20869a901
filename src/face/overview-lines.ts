import type { Total } from '../fate/index.ts'
import { coresText, gibibytesText } from '../kube/index.ts'
import { alignedLines, arrowed, type Cell, type Column, NONE, type Paint } from './columns.ts'
import { type AmountRange, type OverviewRow, overviewSum } from './overview.ts'
import { printable, shortened } from './width.ts'

const COLUMNS: readonly Column[] = [
  { heading: 'CLUSTER' },
  { heading: 'PACKAGE' },
  { heading: 'POLICY' },
  { heading: 'GROUPS' },
  { heading: 'NODES', isCount: true },
  { heading: 'CPU REQUEST' },
  { heading: 'MEMORY REQUEST' },
  { heading: 'RESTARTS' },
  { heading: 'CORES' },
  { heading: 'GIB' },
]
/** Names differ at their ends, so a longer name is shortened in its middle. */
const NAME_WIDTH = 48

/** Formats what a run does in each package as an aligned table, with the sums of all below; no lines without rows. */
export function overviewLines(rows: readonly OverviewRow[], paint: Paint): string[] {
  return rows.length === 0 ? [] : alignedLines(COLUMNS, overviewTable(rows).rows, paint)
}

/** Returns the headings and cells of that table, for other forms of it. */
export function overviewTable(rows: readonly OverviewRow[]): {
  readonly headings: readonly string[]
  readonly rows: ReadonlyArray<readonly Cell[]>
} {
  const all = [...rows, overviewSum(rows)]
  const isNamed = new Set(rows.flatMap(({ subject }) => subject ?? [])).size > 1
  const pairs: ReadonlyArray<(row: OverviewRow) => Pair> = [
    ({ cpu }) => rangePair(cpu),
    ({ memory }) => rangePair(memory),
    ({ totals }) => totalPair(totals, ({ cpu }) => coresText(cpu)),
    ({ totals }) => totalPair(totals, ({ memory }) => gibibytesText(memory)),
  ]
  const columns = pairs.map((pairOf) => arrowed(all.map(pairOf)))
  const cells = all.map((row, index): Cell[] => {
    const [cpu, memory, cores, gib] = columns.map((column): Cell => ({ text: column[index] ?? '' }))
    const name = (text: string | undefined): Cell => ({ text: shortened(printable(text ?? ''), NAME_WIDTH) })
    const [failed, isSum] = [row.errors.length > 0, index === rows.length]
    const figure = (text: string): Cell => ({ text: failed ? '' : text })
    return [
      isSum ? { text: 'total' } : name(row.cluster),
      name(row.path),
      isNamed ? name(row.subject) : { text: '' },
      failed ? { text: row.errors.join(', '), role: 'error' } : { text: isSum ? '' : groupsText(row) },
      figure(`${row.nodes}`),
      ...[cpu, memory].map((cell) => cell ?? { text: '' }),
      figure(restartsText(row)),
      ...[cores, gib].map((cell) => cell ?? { text: '' }),
    ]
  })
  return { headings: COLUMNS.map(({ heading }) => heading), rows: cells }
}

function groupsText({ groups, changed }: OverviewRow): string {
  return changed === 0 ? `${groups}` : `${groups}, ${changed} ${changed === 1 ? 'changes' : 'change'}`
}

function restartsText({ podsRestarted, nodesMoved, nodesWithoutAgent }: OverviewRow): string {
  const parts = [
    ...(podsRestarted === 0 ? [] : [`${podsRestarted}`]),
    ...(nodesMoved === 0 ? [] : [`${nodesMoved} ${nodesMoved === 1 ? 'moves' : 'move'}`]),
    ...(nodesWithoutAgent === 0 ? [] : [`${nodesWithoutAgent} lost`]),
  ]
  return parts.join(', ') || NONE
}

interface Pair {
  readonly before?: string
  readonly after: string
}

function rangePair(range: AmountRange | undefined): Pair {
  if (range === undefined) return { after: '' }
  const { before, after } = range
  return before === undefined || before === after ? { after } : { before, after }
}

function totalPair(totals: OverviewRow['totals'], text: (total: Total) => string): Pair {
  if (totals === undefined) return { after: '' }
  const { before, after } = totals
  return rangePair({ ...(before === undefined ? {} : { before: text(before) }), after: text(after) })
}
