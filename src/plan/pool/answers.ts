import type { Answer, Answers, Line } from '../../core/index.ts'
import { ONE_PER_NODE } from '../../facts/inventory/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { Guardrails } from './guardrails.ts'
import type { Leaving } from './leaving.ts'
import type { MachineNode } from './machines.ts'
import type { Decided, Outcome, Packing } from './pack.ts'
import { type Ineligible, ineligibility, poolsFor, type WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import { amountText, PODS, type ResourceAxes, shortAt } from './resources.ts'
import type { PoolsRun } from './run.ts'

/** Answers what one pool does for a pod, and why one of its nodes is there. */
export function answersOf(pool: Pool, run: PoolsRun, leaving: Leaving): Answers {
  return {
    pod: (id) => podAnswer(id, pool, run),
    node: (name) => {
      const machine = pool.machines.find(({ node, claim }) => node?.name === name || claim?.name === name)
      if (machine === undefined) return undefined
      if (machine.node !== undefined) return nodeAnswer(machine.node, pool, run, leaving)
      return {
        state: machine.state,
        sentence: `is a machine of pool ${pool.settings.name} without a node: ${machine.state}`,
      }
    },
  }
}

const INELIGIBLE: Readonly<Record<Ineligible, string>> = {
  DaemonSet: 'it is made for its node',
  deleting: 'it is being deleted',
  gated: 'scheduling gates hold it',
  'not refused yet': 'the scheduler has not refused it',
  nominated: 'the scheduler makes room for it on a node',
  'low priority': 'its priority is below -10',
}

function podAnswer(id: string, pool: Pool, { live, pools, axes, packing }: PoolsRun): Answer | undefined {
  const lot = live.pending?.find(({ pods }) => pods.some((one) => idOf(one) === id))
  const pod = lot?.pods.find((one) => idOf(one) === id)
  if (lot === undefined || pod === undefined) return undefined
  const ineligible = ineligibility(lot, pod)
  if (ineligible !== undefined)
    return { state: ineligible, sentence: `opens no machine: ${INELIGIBLE[ineligible]}${gatesText(lot.gates)}` }
  const refusal = poolsFor(lot, pools).refusals.get(pool)
  if (refusal !== undefined)
    return { state: 'no match', sentence: `may not run on nodes of pool ${pool.settings.name}: ${refusal}` }
  const [waiting, outcome] = [...packing.outcomes].find(([one]) => one.id === id) ?? []
  if (waiting === undefined || outcome === undefined) return undefined
  const { state, sentence } = outcomeAnswer(waiting, outcome, pool, { axes, packing })
  const others = lot.limits.filter((one) => !one.startsWith(ONE_PER_NODE))
  const limits = others.length === 0 ? '' : `; not planned with: ${others.join(', ')}`
  return { state, sentence: `${sentence}${limits}` }
}

function gatesText(gates: readonly string[]): string {
  return gates.length === 0 ? '' : ` (${gates.join(', ')})`
}

function outcomeAnswer(
  pod: WaitingPod,
  outcome: Outcome,
  pool: Pool,
  { axes, packing }: Pick<PoolsRun, 'axes' | 'packing'>,
): Answer {
  const { name } = pool.settings
  if (outcome.kind === 'placed') {
    const { bin } = outcome
    if (bin.pool === pool)
      return { state: 'placed', sentence: `has room on ${PLACES[bin.kind]} ${bin.name} of pool ${name}` }
    return {
      state: 'elsewhere',
      sentence: `needs nothing of pool ${name}: ${bin.name} of pool ${bin.pool.settings.name} serves it`,
    }
  }
  const reason = reasonText(pod, outcome, pool, axes)
  const isHeldBack = outcome.kind === 'held back' && pool.sizes.fitting(pod.group.request).length > 0
  const limits = isHeldBack ? blockedText(pod, pool, packing.opened.get(pool) ?? []) : undefined
  return { state: outcome.kind, sentence: `gets no machine of pool ${name}: ${limits ?? reason}` }
}

/** The limit of a pool that has no room for a machine of the pod, with what is used of it. */
function blockedText(
  { group }: WaitingPod,
  pool: Pool,
  opened: ReadonlyArray<{ size: Parameters<Guardrails['open']>[0] }>,
) {
  const guardrails = new Guardrails(pool)
  for (const { size } of opened) guardrails.open(size)
  const [size] = pool.sizes.fitting(group.request)
  return size === undefined ? undefined : guardrails.blockingText(size)
}

function nodeAnswer(node: MachineNode, pool: Pool, { now }: PoolsRun, leaving: Leaving): Answer {
  const { name, idleSince, blocking } = node
  const own = pool.settings.name
  const mark = leaving.marks.get(name)
  const claim = pool.machines.find((machine) => machine.node === node)?.claim?.name ?? ''
  if (leaving.dropped.has(claim))
    return { state: 'dropped', sentence: `leaves pool ${own}: it is empty and cordoned, and claim ${claim} is dropped` }
  if (mark !== undefined) {
    const wait = blocking === 0 ? 'the cluster to show the mark and the cordon' : `${podCount(blocking)} to end`
    return { state: 'leaving', sentence: `leaves pool ${own}: cordoned at ${mark}; its claim waits for ${wait}` }
  }
  const idle =
    blocking !== 0
      ? `${podCount(blocking)} ${blocking === 1 ? 'keeps' : 'keep'} it`
      : idleSince === undefined
        ? 'since when it is idle is unknown'
        : `idle for ${durationText(now - idleSince)}, since ${timeText(idleSince)}`
  const { scaleDown } = pool.settings
  const why = leaving.reopened.has(name) ? 'it is opened again' : leaving.staying.get(name)
  const window =
    scaleDown === undefined ? 'the pool removes no node' : `the pool waits for ${durationText(scaleDown.window)}`
  const state = leaving.reopened.has(name) ? 'reopened' : 'staying'
  return { state, sentence: `stays in pool ${own}: ${why ?? 'nothing removes it'}; ${idle}; ${window}` }
}

function podCount(blocking: number | undefined): string {
  return blocking === undefined ? 'an unknown number of pods' : plural(blocking, 'pod')
}

function durationText(milliseconds: number): string {
  return formatDuration(BigInt(Math.max(0, milliseconds)) * 1_000_000n)
}

function idOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}

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
const PLACES = {
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
function reasonText({ group }: WaitingPod, outcome: Outcome, { sizes, settings }: Pool, axes: ResourceAxes): string {
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
  const byLimits = groupBy(limited, ([{ group }]) =>
    [...group.like.limits]
      .filter((one) => !one.startsWith(ONE_PER_NODE))
      .sort()
      .join(', '),
  )
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

const CODES = {
  'too large': 'PodsTooLarge',
  'held back': 'PodsHeldBack',
  'not helped': 'MachineDidNotHelp',
} as const

/** Reports pods that somebody must do something about, once, with the first of their pools. */
export function podFindings(pool: Pool, { packing, axes }: PoolsRun): Finding[] {
  const found = new Map<string, { code: (typeof CODES)[keyof typeof CODES]; ids: string[]; mend?: string }>()
  for (const [pod, outcome] of packing.podsOf(pool).reported) {
    if (outcome.kind !== 'too large' && outcome.kind !== 'held back' && outcome.kind !== 'not helped') continue
    const reason = reasonText(pod, outcome, pool, axes)
    const mend = outcome.kind === 'too large' ? resourceMend(pod, pool, axes) : undefined
    const entry = found.get(reason) ?? { code: CODES[outcome.kind], ids: [], mend }
    entry.ids.push(pod.id)
    found.set(reason, entry)
  }
  const subject = pool.settings.subject.object
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { code, ids, mend }]) => {
      const who = `${plural(ids.length, 'pending pod')} (${listNames(ids.sort())})`
      return finding(code, `${pool.settings.name}: ${who}: ${reason}`, { subject, mend })
    })
}

/** Returns what helps a pod that requests a resource of which no size names any; undefined where a larger size does. */
function resourceMend({ group }: WaitingPod, { sizes }: Pool, { names }: ResourceAxes): string | undefined {
  const at = shortAt(group.request, sizes.largest)
  const name = at === undefined || at <= PODS ? undefined : names[at]
  if (at === undefined || name === undefined) return undefined
  return `Say in spec.machines what a machine has of it: resources: { ${name}: "${group.request[at]}" } or more.`
}
