import type { RowLine } from '../core/index.ts'
import type { Plan } from '../rules/plan.ts'
import { alignedLines, type Paint } from './columns.ts'
import { printable, shortened } from './width.ts'

/** Names differ at their ends, so a longer name is shortened in its middle. */
const NAME_WIDTH = 48

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
