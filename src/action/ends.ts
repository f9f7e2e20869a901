import type { Finding } from '../finding/index.ts'
import { ACTIONS, DRAIN_TAINT, ENDED } from '../krm/remembered.ts'
import { type Taint, taintText, timeText } from '../kube/index.ts'
import type { Rendered } from '../world/index.ts'
import { type ActInput, keptOr } from './acts.ts'
import { finding } from './codes.ts'
import { isSettled } from './given-back.ts'
import { type Act, DIGEST_DIGITS, endAct, type JobSubject, renderJob, untaintAct } from './jobs.ts'
import { type Outcome, outcomeOf } from './memory.ts'

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
  const { settings, targets, jobs } = input
  const names = new Set(rendered.map(({ object }) => object.metadata.name))
  const made = new Map<string, Rendered>()
  for (const { act, node, subject } of [...jobEnds(names, input), ...outcomeEnds(input)]) {
    const isWanted = taints.get(node)?.some((taint) => act.args.includes(`${taintName(taint)}-`)) === true
    if (isWanted || !targets.nodes.has(node)) continue
    const end = keptOr(renderJob(act, subject, settings), jobs)
    made.set(end.object.metadata.name, end)
  }
  const isImageMissing = made.size > 0 && settings.job.image === undefined
  return isImageMissing
    ? { objects: [], findings: [missingImage(input)] }
    : { objects: [...made.values()], findings: [] }
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

function missingImage({ settings: { subject } }: ActInput): Finding {
  const path = 'spec.job.image'
  const sentence = `${subject.object.metadata.name}: ${path} is missing, which taints of ended actions need`
  return finding('JobImageMissing', sentence, { subject: subject.object, field: { path } })
}
