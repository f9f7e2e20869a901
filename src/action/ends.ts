import type { Finding } from '../finding/index.ts'
import { ACTIONS, DRAIN_TAINT, ENDED } from '../krm/remembered.ts'
import { type Taint, taintText, timeText } from '../kube/index.ts'
import type { Rendered } from '../world/index.ts'
import type { ActInput } from './acts.ts'
import { finding } from './codes.ts'
import { isSettled } from './given-back.ts'
import { type Act, DIGEST_DIGITS, endAct, type JobSubject, renderJob, untaintAct } from './jobs.ts'
import { keptOr } from './kept-jobs.ts'
import { type Outcome, outcomeOf } from './memory.ts'
import { CONTROL_PLANE } from './parameters.ts'
import type { ActionSettings } from './settings.ts'
import type { NodeFacts } from './targets.ts'
import { isTrustedNode } from './trust.ts'

/** A taint that is to be taken away, and the action that set it. */
interface End {
  readonly act: Act
  readonly node: string
  readonly subject: JobSubject
}

/**
 * Returns the Jobs that end taints: of every Job of an earlier run that tainted a node and is not rendered any more,
 * until a snapshot shows that it has ended, or nodes of long enough after do not have the taint; where earlier Jobs are
 * not seen, of every outcome of an action whose taint is on its node. A taint that another action wants stays.
 */
export function planEnds(
  rendered: readonly Rendered[],
  taints: ReadonlyMap<string, readonly Taint[]>,
  input: ActInput,
): { readonly objects: readonly Rendered[]; readonly findings: readonly Finding[] } {
  const { settings, targets, jobs, trust } = input
  const findings: Finding[] = []
  const names = new Set(rendered.map(({ object }) => object.metadata.name))
  const made = new Map<string, Rendered>()
  for (const { act, node, subject } of [...jobEnds(names, input), ...outcomeEnds(input)]) {
    const isWanted = taints.get(node)?.some((taint) => act.args.includes(`${taintName(taint)}-`)) === true
    const facts = targets.nodes.get(node)
    if (isWanted || facts === undefined) continue
    const why = whyNotEnded(act, facts, settings)
    if (why !== undefined) {
      findings.push(unproved(act, node, subject.id, why, settings))
      continue
    }
    const { rendered: end, findings: wrong } = keptOr(renderJob(act, subject, settings), jobs, { trust })
    made.set(end.object.metadata.name, end)
    findings.push(...wrong)
  }
  const isImageMissing = made.size > 0 && settings.job.image === undefined
  return isImageMissing
    ? { objects: [], findings: [...findings, missingImage(input)] }
    : { objects: [...made.values()], findings }
}

/** Returns what ends the taints of earlier Jobs. */
function jobEnds(names: ReadonlySet<string>, { memory, jobs, targets, now, observedAt }: ActInput): End[] {
  return [...jobs].flatMap(([name, { object }]) => {
    const act = untaintAct(object)
    const [, , node = '', text = ''] = act?.args ?? []
    if (act === undefined || names.has(name)) return []
    const id = String(object.metadata.annotations?.[ACTIONS] ?? '')
    const digest = name.slice(-DIGEST_DIGITS)
    const outcome = outcomeOf(memory, { id, digest })
    // kubectl fails where somebody else has taken the taint away
    const isGone = targets.nodes.get(node)?.taints.every((taint) => text !== `${taintName(taint)}-`) === true
    const isUseless = isGone && name.startsWith('untaintnode-') && outcome?.state === 'Failed'
    const ended = object.metadata.annotations?.[ENDED] ?? timeText(now)
    const isOver = isUseless || (isGone && isSettled(ended, observedAt)) || hasEnded(outcome)
    return isOver ? [] : [{ act, node, subject: { id, digest, target: node, ended } }]
  })
}

/** Returns what ends the taints that outcomes tell of and nodes have. */
function outcomeEnds({ memory, jobs, targets }: ActInput): End[] {
  if (jobs.size > 0) return []
  return memory.outcomes.all.filter(hasTainted).flatMap(({ action: id, digest, fields = [] }) =>
    fields.flatMap((field) => {
      const [, node = '', text = ''] = /^Node\/([^/]+)\/(drain$|taints\/.+)/.exec(field) ?? []
      const taint = targets.nodes.get(node)?.taints.find((one) => {
        return text === 'drain' ? one.key === DRAIN_TAINT && one.value === id : text === `taints/${taintName(one)}`
      })
      if (taint === undefined) return []
      return [{ act: endAct(node, taintName(taint)), node, subject: { id, digest, target: node } }]
    }),
  )
}

/** Whether an action may have tainted its node, and nothing has taken the taint away: somebody may set it later. */
function hasTainted(outcome: Outcome): boolean {
  return outcome.state !== 'Waiting' && outcome.state !== 'Refused' && !hasEnded(outcome)
}

function hasEnded(outcome: Outcome | undefined): boolean {
  return outcome?.state === 'Ended' && outcome.held !== true
}

/** Names a taint by what tells it apart on a node. */
function taintName({ key, effect }: Taint): string {
  return taintText({ key, effect })
}

/** Why a taint that an action is said to have set may not be taken away; undefined: policy and trust let it. */
function whyNotEnded(act: Act, { labels }: NodeFacts, settings: ActionSettings): string | undefined {
  const { types, allowControlPlane, nodeSelector } = settings
  const taint = String(act.args[3])
  const isOfDrain = taint.startsWith(`${DRAIN_TAINT}:`) || taint.startsWith(`${DRAIN_TAINT}=`)
  // that of a drain has a key of ours, which no other tool sets
  if (!isOfDrain && !types.includes('taintNode')) return 'spec.types has no taintNode'
  if (!isTrustedNode(labels, nodeSelector)) return 'its node is none of the nodeSelector of the trust'
  const isOfControlPlane = CONTROL_PLANE.some((key) => Object.hasOwn(labels, key) || taint.startsWith(`${key}:`))
  return isOfControlPlane && !allowControlPlane ? 'it is of the control plane' : undefined
}

/** Reports a taint that stays: a Job or an outcome that anybody may have written is no order to take it away. */
function unproved(act: Act, node: string, id: string, why: string, { subject }: ActionSettings): Finding {
  const { object } = subject
  const taint = String(act.args[3]).replace(/-$/, '')
  const sentence = `${object.metadata.name}: the taint ${taint} of Node ${node} is said to be of action ${id}, and stays: ${why}`
  return finding('EndUnproved', sentence, { subject: object })
}

function missingImage({ settings: { subject } }: ActInput): Finding {
  const path = 'spec.job.image'
  const sentence = `${subject.object.metadata.name}: ${path} is missing, which taints of ended actions need`
  return finding('JobImageMissing', sentence, { subject: subject.object, field: { path } })
}
