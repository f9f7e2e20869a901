import type { Answer, Answers } from '../../core/index.ts'
import { plural } from '../../krm/finding/index.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { PLACES, reasonText } from './account.ts'
import { Guardrails } from './guardrails.ts'
import type { Leaving } from './leaving.ts'
import type { MachineNode } from './machines.ts'
import { type Ineligible, ineligibility, poolsFor, type WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import type { Outcome } from './pool-pods.ts'
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
  const limits = lot.limits.length === 0 ? '' : `; not planned with: ${lot.limits.join(', ')}`
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
