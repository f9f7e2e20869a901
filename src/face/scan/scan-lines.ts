import { daemonKey, sumOf } from '../../facts/usage/index.ts'
import { plural } from '../../krm/finding.ts'
import { Quantity } from '../../kube/index.ts'
import {
  alignedLines,
  type Cell,
  displayWidth,
  NONE,
  type Paint,
  plain,
  printable,
  type Role,
  shortened,
} from '../index.ts'
import { type Amounts, amountText, type NodeShare, type ScannedDaemonSet, sizeText, type Verdict } from './types.ts'

const COLUMNS = [
  { heading: 'DAEMONSET' },
  { heading: 'NODES', isCount: true },
  { heading: 'CPU' },
  { heading: 'MEMORY' },
  { heading: 'SMALLEST NODE' },
  { heading: 'LARGEST NODE' },
  { heading: 'ALL PODS' },
  { heading: 'USED' },
  { heading: 'OWNER' },
  { heading: 'VERDICT' },
]
const NAME_WIDTH = 48
const OWNER_WIDTH = 40
const ROLES: Partial<Record<Verdict, Role>> = {
  starved: 'error',
  uneven: 'warning',
  raise: 'warning',
  lower: 'warning',
  'leave it': 'quiet',
}

/** What a narrow terminal does without, the first first: verdicts are what the table is for. */
const WIDE = ['OWNER', 'LARGEST NODE', 'SMALLEST NODE', 'USED', 'ALL PODS', 'MEMORY', 'CPU', 'NODES']

/**
 * Formats the DaemonSets of a cluster as a table, then the figures of each verdict but `fine`, as lines. `USED` is the
 * 95th percentile over the pods at one moment. A table that is wider than the terminal leaves columns out, and says
 * which.
 */
export function scanLines(rows: readonly ScannedDaemonSet[], paint: Paint, width = Number.POSITIVE_INFINITY): string[] {
  if (rows.length === 0) return []
  const table = fittingTable(rows.map(cellsOf), paint, width)
  const notes = rows
    .filter(({ verdict }) => verdict !== 'fine')
    .map((row) => `${paint(ROLES[row.verdict] ?? 'info', row.verdict)}: ${nameOfRow(row)}: ${printable(row.why)}`)
  return [...table, ...(notes.length === 0 ? [] : ['', ...notes])]
}

function fittingTable(rows: ReadonlyArray<readonly Cell[]>, paint: Paint, width: number): string[] {
  const shown = WIDE.filter((heading) => {
    const index = COLUMNS.findIndex((column) => column.heading === heading)
    return rows.some((row) => row[index]?.text !== NONE)
  })
  const tableWithout = (left: readonly string[], how: Paint) => {
    const isLeft = COLUMNS.map(({ heading }) => left.includes(heading))
    const kept = <One>(all: readonly One[]) => all.filter((_, index) => isLeft[index] !== true)
    return alignedLines(kept(COLUMNS), rows.map(kept), how)
  }
  const isNarrow = (count: number) =>
    tableWithout(shown.slice(0, count), plain).some((line) => displayWidth(line) > width)
  let count = 0
  while (count < shown.length && isNarrow(count)) count++
  const left = shown.slice(0, count)
  const note = `without ${left.join(', ')}: the terminal has ${plural(width, 'column')}`
  return [...tableWithout(left, paint), ...(count === 0 ? [] : [paint('quiet', note)])]
}

function nameOfRow({ namespace, name }: ScannedDaemonSet): string {
  return shortened(printable(daemonKey(namespace, name)), NAME_WIDTH)
}

function cellsOf(row: ScannedDaemonSet): Cell[] {
  const { nodes, request, smallest, largest, total, used, owner = NONE, verdict } = row
  const texts = [
    nameOfRow(row),
    String(nodes),
    request.cpu === 0n ? NONE : amountText('cpu', request.cpu),
    request.memory === 0n ? NONE : amountText('memory', request.memory),
    shareText(smallest),
    shareText(largest),
    totalText(total),
    used === undefined ? NONE : `${amountText('cpu', used.cpu)}, ${amountText('memory', used.memory)}`,
    shortened(printable(owner), OWNER_WIDTH),
  ]
  return [...texts.map((text) => ({ text })), { text: verdict, role: ROLES[verdict] }]
}

/** The larger of the shares in cpu and memory, which is what the node feels. */
function shareText(share: NodeShare | undefined): string {
  if (share === undefined) return NONE
  const percent = Math.max(share.cpu, share.memory)
  return percent === 0 ? NONE : `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`
}

function totalText({ cpu, memory }: Amounts): string {
  return `${sizeText('cpu', cpu)}, ${sizeText('memory', memory)}`
}

/**
 * Formats what all DaemonSets request together, what they do not use now where that is known, and what a first policy
 * of `nodefit init` would add.
 */
export function scanSummary(rows: readonly ScannedDaemonSet[]): string {
  const unused = rows.flatMap((row) => row.unused ?? [])
  const more = unused.length === 0 ? '' : `; of this ${totalText(sumOf(unused))} are not used at this moment`
  const sized = rows.filter(({ first }) => first !== undefined)
  const [now, then] = [sumOf(sized.map(({ total }) => total)), sumOf(sized.flatMap(({ first }) => first ?? []))]
  const added =
    sized.length === 0
      ? ''
      : `; with the first policy of nodefit init ${sized.length} of them would request ${totalText(then)} instead of ${totalText(now)}`
  const verb = rows.length === 1 ? 'requests' : 'request'
  return `${plural(rows.length, 'DaemonSet')} ${verb} ${totalText(sumOf(rows.map(({ total }) => total)))}${more}${added}`
}

/** The DaemonSets of a cluster as plain values. */
export interface ScanJson {
  readonly daemonSets: ReadonlyArray<ReturnType<typeof rowJson>>
}

/** Returns the DaemonSets of a cluster as plain values for programs: amounts as quantities, shares in percent. */
export function scanJson(rows: readonly ScannedDaemonSet[]): ScanJson {
  return { daemonSets: rows.map(rowJson) }
}

function rowJson({ request, total, smallest, largest, used, unused, first, ...row }: ScannedDaemonSet) {
  return {
    ...row,
    request: amountsJson(request),
    total: amountsJson(total),
    ...(smallest && largest ? { smallestNode: shareJson(smallest), largestNode: shareJson(largest) } : {}),
    ...(used === undefined ? {} : { used: { ...amountsJson(used), pods: used.pods, statistic: 'p95 of one moment' } }),
    ...(unused === undefined ? {} : { unused: amountsJson(unused) }),
    ...(first === undefined ? {} : { first: amountsJson(first) }),
  }
}

function shareJson({ allocatable, cpu, memory }: NodeShare) {
  return { allocatable: amountsJson(allocatable), percent: { cpu, memory } }
}

function amountsJson({ cpu, memory }: Amounts) {
  return { cpu: Quantity.ofMilli(cpu).toString(), memory: Quantity.of(memory, 'BinarySI').toString() }
}
