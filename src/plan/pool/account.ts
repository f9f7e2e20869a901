import type { Line } from '../../core/index.ts'
import { listNames, plural } from '../../krm/finding/index.ts'
import type { Leaving } from './leaving.ts'
import type { Packing } from './pack.ts'
import type { WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import type { Decided, Outcome } from './pool-pods.ts'
import { amountText, type ResourceAxes, shortAt } from './resources.ts'

/** Returns what a pool decided, for views: its machines, then the pods that it is for by what becomes of them. */
export function accountOf(pool: Pool, packing: Packing, leaving: Leaving, axes: ResourceAxes): Line[] {
  const { machines, settings } = pool
  const count = (number: number, noun: string, words?: string): Line => ({ kind: 'count', count: number, noun, words })
  const nodes = machines.filter(({ node }) => node !== undefined).length
  const joining = machines.filter(({ state }) => state === 'joining').length
  const { served, unserved, limited } = packing.podsOf(pool)
  const leavingCount = leaving.marks.size + leaving.dropped.size
  const opened = packing.opened.get(pool)?.length ?? 0
  const kept = machines.filter(({ state, name }) => state !== 'failed' && !leaving.dropped.has(name)).length
  const row = {
    ...{ POOL: settings.name, NODES: nodes, JOINING: joining, ADDED: opened, KEPT: kept, LEAVING: leavingCount },
    ...{ SERVED: served.length, 'NOT SERVED': unserved.length },
  }
  return [
    { kind: 'row', cells: Object.entries(row).map(([heading, value]) => [heading, String(value)] as const) },
    count(nodes, 'node'),
    count(joining, 'machine', 'in flight'),
    count(leavingCount, 'machine', 'leaving'),
    count(served.length, 'pending pod', 'served'),
    count(unserved.length, 'pending pod', `not served${reasonCounts(unserved)}`),
    ...placedLines(served, settings.name),
    ...unservedLines(unserved, pool, axes),
    ...notModelledLines(limited, settings.name),
  ]
}

/** Counts pods by why they get no machine: ` (2 MaxNodes, 1 too large)`. */
function reasonCounts(pods: readonly Decided[]): string {
  const byReason = groupBy(pods, ([, outcome]) =>
    outcome.kind === 'held back' ? outcome.guardrail : outcome.kind === 'young' ? 'too young' : outcome.kind,
  )
  return pods.length === 0 ? '' : ` (${byReason.map(([reason, all]) => `${all.length} ${reason}`).join(', ')})`
}

function placedLines(pods: readonly Decided[], pool: string): Line[] {
  const byKind = groupBy(pods, ([, outcome]) => (outcome.kind === 'placed' ? NOUNS[outcome.bin.kind] : ''))
  return byKind.map(([where, all]) => {
    const names = [...new Set(all.flatMap(([, outcome]) => (outcome.kind === 'placed' ? outcome.bin.name : [])))].sort()
    return note('PodsPlaced', `${pool}: ${podsText(all)} on ${plural(names.length, where)}: ${listNames(names)}`)
  })
}

const NOUNS = { node: 'node', marked: 'reopened node', claim: 'joining machine', new: 'new machine' } as const

/** Where a pod is placed, in words before the name. */
export const PLACES = {
  node: 'node',
  marked: 'the reopened node',
  claim: 'the machine in flight',
  new: 'the new machine',
} as const

function unservedLines(pods: readonly Decided[], pool: Pool, axes: ResourceAxes): Line[] {
  const byReason = groupBy(pods, ([pod, outcome]) => reasonText(pod, outcome, pool, axes))
  return byReason.map(([reason, all]) => note('PodsUnserved', `${pool.settings.name}: ${podsText(all)}: ${reason}`))
}

/** Explains why a pod gets no machine of a pool, with amounts. */
export function reasonText(
  { group }: WaitingPod,
  outcome: Outcome,
  { sizes, settings }: Pool,
  axes: ResourceAxes,
): string {
  if (outcome.kind === 'young') return `pending for less than ${settings.scaleUp.window / 1000}s`
  if (outcome.kind === 'not helped') return `node ${outcome.bin.name} came for it and did not help`
  const at = sizes.fitting(group.request).length > 0 ? undefined : shortAt(group.request, sizes.largest)
  if (at !== undefined) {
    const name = axes.names[at] ?? ''
    return `too large: requests ${amountText(name, group.request[at] ?? 0)}, a new machine has ${amountText(name, sizes.largest[at] ?? 0)}`
  }
  return outcome.kind === 'held back'
    ? `${outcome.pool.settings.name} is at its limit: ${outcome.guardrail}`
    : outcome.kind
}

function notModelledLines(limited: readonly Decided[], pool: string): Line[] {
  const byLimits = groupBy(limited, ([{ group }]) => [...group.like.limits].sort().join(', '))
  return byLimits.map(([limits, all]) =>
    note('PodsNotModelled', `${pool}: ${podsText(all)}: not planned with ${limits}`),
  )
}

function groupBy(pods: readonly Decided[], keyOf: (pod: Decided) => string): Array<[string, Decided[]]> {
  const groups = new Map<string, Decided[]>()
  for (const pod of pods) {
    const key = keyOf(pod)
    const all = groups.get(key)
    if (all === undefined) groups.set(key, [pod])
    else all.push(pod)
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

function podsText(pods: readonly Decided[]): string {
  const names = pods.map(([{ id }]) => id).sort()
  return `${plural(pods.length, 'pending pod')} (${listNames(names)})`
}

function note(code: string, sentence: string): Line {
  return { kind: 'note', code, sentence }
}
