import type { Rendered } from '../../core/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { ACTIONS, DRAIN_TAINT } from '../../krm/remembered.ts'
import type { Taint } from '../../kube/index.ts'
import type { ActInput } from './acts.ts'
import { finding } from './codes.ts'
import { DIGEST_DIGITS, endAct, renderJob, taintFor, taintName, taintOfJob } from './jobs.ts'
import { keptOr } from './kept-jobs.ts'
import { endOf, isSettled } from './leases.ts'
import { type Outcome, outcomeOf } from './memory.ts'
import { proofText } from './proof.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { whyNotBegun } from './targets.ts'

/** A taint that is to be taken away, and the action that is said to have set it. */
interface End {
  readonly id: string
  readonly digest: string
  readonly node: string
  /** Key and effect: `dedicated:NoSchedule`. */
  readonly taint: string
  /** The signed action; undefined where none verifies. */
  readonly proof?: Action
  /** When the Job that takes it away was first rendered, RFC 3339. */
  readonly ended?: string
}

const NO_PROOF = 'no signed action that verifies explains it'

/**
 * Returns the Jobs that end taints: of every Job of an earlier run that tainted a node and is not rendered any more,
 * until a snapshot shows that it has ended, or nodes of long enough after do not have the taint; where earlier Jobs are
 * not seen, of every outcome of an action whose taint is on its node. A taint that another action wants stays, and so
 * does one that no signed action explains.
 */
export function planEnds(
  rendered: readonly Rendered[],
  taints: ReadonlyMap<string, readonly Taint[]>,
  input: ActInput,
): { readonly objects: readonly Rendered[]; readonly findings: readonly Finding[] } {
  const { settings, targets, jobs, trust } = input
  const findings: Finding[] = []
  const names = new Set(rendered.map(({ object }) => object.metadata.name))
  const taken = new Set(rendered.flatMap(({ object }) => endText(taintOfJob(object)) ?? []))
  const made = new Map<string, Rendered>()
  for (const end of [...jobEnds(names, input), ...outcomeEnds(input)]) {
    const { node, taint, proof, id, digest, ended } = end
    const isWanted = taints.get(node)?.some((one) => taintName(one) === taint) === true
    // a signed untaintNode takes it away already
    if (isWanted || !targets.nodes.has(node) || taken.has(`${node} ${taint}`)) continue
    const why = proof === undefined ? NO_PROOF : whyNotBegun(proof, targets, settings, trust)
    if (proof === undefined || why !== undefined) {
      findings.push(unproved(end, why ?? NO_PROOF, settings))
      continue
    }
    const subject = { id, digest, target: node, proof: proofText(proof), ...(ended === undefined ? {} : { ended }) }
    const job = renderJob(endAct(node, taint), subject, settings)
    const { rendered: kept, findings: wrong } = keptOr(job, jobs, { trust })
    made.set(kept.object.metadata.name, kept)
    findings.push(...wrong)
  }
  const isImageMissing = made.size > 0 && settings.job.image === undefined
  return isImageMissing
    ? { objects: [], findings: [...findings, missingImage(input)] }
    : { objects: [...made.values()], findings }
}

/** The words of the Jobs that set taints and take them away. */
const ENDING = ['taintnode-', 'untaintnode-']

/** Returns what ends the taints of earlier Jobs: what their actions say, which the Jobs carry. */
function jobEnds(names: ReadonlySet<string>, { memory, jobs, targets, now, observedAt, proofs }: ActInput): End[] {
  return [...jobs].flatMap(([name, { object }]) => {
    if (names.has(name) || !ENDING.some((start) => name.startsWith(start))) return []
    const id = String(object.metadata.annotations?.[ACTIONS] ?? '')
    const digest = name.slice(-DIGEST_DIGITS)
    const proof = proofs.action(id, digest)
    const said = proof === undefined ? taintOfJob(object) : taintOfAction(proof)
    if (said === undefined) return []
    const { node, taint } = said
    const outcome = outcomeOf(memory, { id, digest })
    // kubectl fails where somebody else has taken the taint away
    const isGone = targets.nodes.get(node)?.taints.every((one) => taintName(one) !== taint) === true
    if (proof === undefined && isGone) return []
    const isUseless = isGone && name.startsWith('untaintnode-') && outcome?.state === 'Failed'
    const ended = endOf(object, now)
    const isOver = isUseless || (isGone && isSettled(ended, observedAt)) || hasEnded(outcome)
    return isOver ? [] : [{ id, digest, node, taint, proof, ended }]
  })
}

/** Returns what ends the taints that outcomes tell of and nodes have. */
function outcomeEnds({ memory, jobs, targets, proofs }: ActInput): End[] {
  if (jobs.size > 0) return []
  return memory.outcomes.all.filter(hasTainted).flatMap(({ action: id, digest, fields = [] }) => {
    const proof = proofs.action(id, digest)
    const proved = proof && taintOfAction(proof)
    return fields.flatMap((field) => {
      const [, node = '', text = ''] = /^Node\/([^/]+)\/(drain$|taints\/.+)/.exec(field) ?? []
      const there = targets.nodes.get(node)?.taints.find((one) => {
        return text === 'drain' ? one.key === DRAIN_TAINT && one.value === id : text === `taints/${taintName(one)}`
      })
      const taint = there && taintName(there)
      if (taint === undefined) return []
      const isProved = proved?.node === node && proved.taint === taint
      return [{ id, digest, node, taint, ...(isProved ? { proof } : {}) }]
    })
  })
}

/** Returns the taint that an action sets; undefined where it sets none. */
function taintOfAction(action: Action): Pick<End, 'node' | 'taint'> | undefined {
  const { type, target } = action
  if (type !== 'taintNode' && type !== 'drainNode') return undefined
  return { node: target.name, taint: taintName(taintFor(action)) }
}

function endText(said: ReturnType<typeof taintOfJob>): string | undefined {
  return said && `${said.node} ${said.taint}`
}

/** Whether an action may have tainted its node, and nothing has taken the taint away: somebody may set it later. */
function hasTainted(outcome: Outcome): boolean {
  return outcome.state !== 'Waiting' && outcome.state !== 'Refused' && !hasEnded(outcome)
}

function hasEnded(outcome: Outcome | undefined): boolean {
  return outcome?.state === 'Ended' && outcome.held !== true
}

/** Reports a taint that stays: a Job or an outcome that anybody may have written is no order to take it away. */
function unproved({ taint, node, id }: End, why: string, { subject }: ActionSettings): Finding {
  const { object } = subject
  const sentence = `${object.metadata.name}: the taint ${taint} of Node ${node} is said to be of action ${id}, and stays: ${why}`
  return finding('EndUnproved', sentence, { subject: object })
}

function missingImage({ settings: { subject } }: ActInput): Finding {
  const path = 'spec.job.image'
  const sentence = `${subject.object.metadata.name}: ${path} is missing, which taints of ended actions need`
  return finding('JobImageMissing', sentence, { subject: subject.object, field: { path } })
}
