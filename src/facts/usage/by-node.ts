import { MOST_USED } from './amounts.ts'

/** What Prometheus says of a container of a DaemonSet on one node, over days. CPU in thousandths, memory in MiB. */
export interface NodeUsage {
  readonly namespace: string
  readonly daemonSet: string
  readonly container: string
  readonly node: string
  readonly cpu: number
  readonly memory: number
  readonly median: number
  readonly peak: number
}

/** What the query by node of docs/daemonset/init.md calls its parts, and what each is counted in. */
const UNITS = { cpu: 1 / 1000, memory: 1_048_576, median: 1_048_576, peak: 1_048_576, hours: 1 } as const
type Part = keyof typeof UNITS

/** Fewer hours than this are no week, and say nothing of its days. */
const LEAST_HOURS = 7 * 24

/** Whether an answer of Prometheus has one value for each series, as the query by node gives. */
export function isAnswerByNode(answer: unknown): boolean {
  return (answer as { data?: { resultType?: unknown } | null } | null)?.data?.resultType === 'vector'
}

/**
 * Reads an answer of Prometheus to the query by node of docs/daemonset/init.md. `young` is how many containers were
 * seen for less than seven days and are left out. Gives a text that says what is wrong with any other answer.
 */
export function readUsageByNode(answer: unknown): { usage: readonly NodeUsage[]; young: number } | string {
  const { status, error, data } = answer as { status?: unknown; error?: unknown; data?: { result?: unknown } | null }
  if (status !== 'success') return `Prometheus answered ${String(status)}: ${String(error ?? 'no reason')}`
  if (!Array.isArray(data?.result)) return 'the answer has no list of results'
  const found = new Map<string, Pick<NodeUsage, 'namespace' | 'daemonSet' | 'container' | 'node'> & Parts>()
  for (const one of data.result as unknown[]) {
    const { metric, value } = (one ?? {}) as { metric?: Record<string, string>; value?: unknown }
    if (metric === undefined || !Array.isArray(value) || value.length !== 2) return 'a result has no labels or no value'
    const { namespace, created_by_name: daemonSet, container, node, usage } = metric
    if (!namespace || !daemonSet || !container || !node || usage === undefined || !Object.hasOwn(UNITS, usage))
      return `a result lacks one of the labels namespace, created_by_name, container, node and usage: ${JSON.stringify(metric)}`
    const amount = Number(value[1]) / UNITS[usage as Part]
    if (!(amount >= 0 && amount <= MOST_USED)) continue
    const id = JSON.stringify([namespace, daemonSet, container, node])
    const known = found.get(id) ?? { namespace, daemonSet, container, node }
    found.set(id, { ...known, [usage]: Math.ceil(amount) })
  }
  const all = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const isOld = ({ hours }: Parts) => hours === undefined || hours >= LEAST_HOURS
  const usage = all.filter(isOld).flatMap(({ cpu, memory, hours: _, ...row }): NodeUsage[] => {
    // as in sync, 0 is no measurement
    if (cpu === undefined || memory === undefined || memory === 0) return []
    return [{ ...row, cpu, memory, median: row.median ?? memory, peak: row.peak ?? memory }]
  })
  return { usage, young: all.filter((row) => !isOld(row)).length }
}

type Parts = Partial<Record<Part, number>>
