import { type Total, totalsOf } from '../fate/index.ts'
import { isError } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import { coresText, gibibytesText, Quantity, readQuantity } from '../kube/index.ts'
import type { PackagePlan, Plan } from '../rules/plan.ts'
import { alignedLines, arrowed, type Cell, type Column, NONE, type Paint, printable, shortened } from './columns.ts'
import { AMOUNTS, type GroupRow, groupRows } from './group-rows.ts'

/** What a run does for one subject in one package; of a package with errors only what they are. */
export interface OverviewRow {
  readonly cluster?: string
  readonly path: string
  /** Kind, namespace and name of the subject; absent for a package with errors. */
  readonly subject?: string
  /** The groups that have nodes; and of these, and of removed ones, how many change. */
  readonly groups: number
  readonly changed: number
  readonly nodes: number
  /** The requests of a pod, from the least to the most over the groups with nodes. */
  readonly cpu?: AmountRange
  readonly memory?: AmountRange
  readonly podsRestarted: number
  readonly nodesMoved: number
  readonly nodesWithoutAgent: number
  readonly totals?: { readonly before?: Total; readonly after: Total }
  /** The codes of the errors of its package. */
  readonly errors: readonly string[]
}

/** An amount now and, where it is known, before: `100m`, or `100m..320m` where groups differ. */
interface AmountRange {
  readonly before?: string
  readonly after: string
}

/** Returns a row for each subject with groups, and for each package with errors. */
export function overviewRows({ packages }: Plan): OverviewRow[] {
  return packages.flatMap((one): OverviewRow[] => {
    const errors = [...new Set(one.findings.filter(isError).map(({ code }) => code))]
    // what a package with errors plans is not complete
    if (errors.length > 0) return [{ ...placeOf(one), ...NOTHING, errors }]
    return one.planned.flatMap((planned) => {
      const rows = groupRows(planned)
      const totals = totalsOf(planned)
      if (rows.length === 0 && totals === undefined) return []
      const subject = describe(planned.subject.object)
      const sums = totals === undefined ? {} : { totals }
      return [{ ...placeOf(one, planned.cluster), subject, ...figuresOf(rows), ...sums, errors }]
    })
  })
}

/**
 * Returns these rows where they are about several packages: of one, the table of groups shows the same. None where each
 * package has errors.
 */
export function overviewOfSeveral(plan: Plan): OverviewRow[] {
  const rows = plan.packages.length < 2 ? [] : overviewRows(plan)
  const isSeveral = new Set(rows.map(({ path }) => path)).size > 1
  return isSeveral && rows.some(({ errors }) => errors.length === 0) ? rows : []
}

/** Returns the sums of all rows; what was requested before only where it is known of each. */
function overviewSum(rows: readonly OverviewRow[]): OverviewRow {
  const sum = (key: keyof typeof NOTHING) => rows.reduce((all, row) => all + row[key], 0)
  const figures = Object.fromEntries(Object.keys(NOTHING).map((key) => [key, sum(key as keyof typeof NOTHING)]))
  const totals = sumOfTotals(rows.flatMap((row) => row.totals ?? []))
  return { ...NOTHING, ...figures, path: '', errors: [], ...(totals === undefined ? {} : { totals }) }
}

/** Returns the sums over all subjects; undefined where none has pods. */
export function sumOfTotals(all: ReadonlyArray<NonNullable<OverviewRow['totals']>>): OverviewRow['totals'] {
  if (all.length === 0) return undefined
  const before = all.flatMap((one) => one.before ?? [])
  const after = sumOf(all.map((one) => one.after))
  return before.length < all.length ? { after } : { before: sumOf(before), after }
}

function sumOf(totals: readonly Total[]): Total {
  return totals.reduce(
    (sum, { cpu, memory, pods }) => ({
      cpu: sum.cpu.plus(cpu),
      memory: sum.memory.plus(memory),
      pods: sum.pods + pods,
    }),
    { cpu: Quantity.of(0n, 'DecimalSI'), memory: Quantity.of(0n, 'BinarySI'), pods: 0 },
  )
}

const NOTHING = { groups: 0, changed: 0, nodes: 0, podsRestarted: 0, nodesMoved: 0, nodesWithoutAgent: 0 }

function placeOf({ path, fleets }: PackagePlan, own?: string): Pick<OverviewRow, 'cluster' | 'path'> {
  const cluster = own ?? fleets[0]?.cluster
  return { path, ...(cluster === undefined || cluster === '' ? {} : { cluster }) }
}

function figuresOf(rows: readonly GroupRow[]) {
  const withNodes = rows.filter(({ nodeCount = 0 }) => nodeCount > 0)
  const sum = (count: (row: GroupRow) => number | undefined) => rows.reduce((all, row) => all + (count(row) ?? 0), 0)
  const sized = withNodes.length > 0 ? withNodes : rows
  const [cpu, memory] = [rangeOf(sized, 'requests.cpu'), rangeOf(sized, 'requests.memory')]
  return {
    groups: withNodes.length,
    changed: rows.filter(({ kind, nodeCount = 0 }) => kind !== 'unchanged' && (nodeCount > 0 || kind === 'removed'))
      .length,
    nodes: sum(({ nodeCount }) => nodeCount),
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    podsRestarted: sum(({ restart }) => restart?.pods),
    nodesMoved: sum(({ restart }) => restart?.moved),
    nodesWithoutAgent: sum(({ restart }) => restart?.lost),
  }
}

/** The least and the most of an amount over the containers of some groups; undefined where none sets it. */
function rangeOf(rows: readonly GroupRow[], name: (typeof AMOUNTS)[number]): AmountRange | undefined {
  const amounts = rows.flatMap(({ containers }) =>
    containers.flatMap((one) => one.amounts[AMOUNTS.indexOf(name)] ?? []),
  )
  const after = rangeText(amounts.flatMap((amount) => amount.after ?? []))
  // a row may have had several amounts already: 200Mi..1635Mi
  const before = rangeText(amounts.flatMap((amount) => amount.before?.split('..') ?? []))
  const isKnown = amounts.every(({ isBeforeKnown }) => isBeforeKnown)
  if (after === undefined) return undefined
  return before === undefined || !isKnown ? { after } : { before, after }
}

function rangeText(texts: readonly string[]): string | undefined {
  const known = texts.flatMap((text) => {
    const quantity = readQuantity(text)
    return quantity === undefined ? [] : [{ text, quantity }]
  })
  const sorted = known.sort((a, b) => a.quantity.compare(b.quantity))
  const [least, most] = [sorted[0], sorted.at(-1)]
  if (least === undefined || most === undefined) return undefined
  return least.quantity.compare(most.quantity) === 0 ? least.text : `${least.text}..${most.text}`
}

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
