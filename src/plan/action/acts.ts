import type { Rendered, Trust } from '../../core/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import { ACTIONS } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import {
  type Act,
  DIGEST_DIGITS,
  drainAct,
  drainSeconds,
  endAct,
  evictAct,
  jobName,
  labelAct,
  renderJob,
  taintAct,
  taintFor,
  taintName,
} from './jobs.ts'
import { keptOr } from './kept-jobs.ts'
import { isForeignLabel } from './leases.ts'
import { isDone, latest, type Memory, outcomeOf } from './memory.ts'
import { type Decided, labelKeysOf, labelsOf } from './parameters.ts'
import { type Proofs, proofText } from './proof.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { type Targets, targetKey } from './targets.ts'

/** What all acts of a run have in common. */
export interface ActInput {
  readonly settings: ActionSettings
  readonly targets: Targets
  readonly decided: Decided
  readonly memory: Memory
  /** The partial Nodes of earlier runs. */
  readonly before: ReadonlyMap<string, KubernetesObject>
  /** The Jobs of earlier runs, by name. */
  readonly jobs: ReadonlyMap<string, Item>
  /** Whom the operator trusts; undefined where the package decides. */
  readonly trust: Trust | undefined
  /** The signed actions that verify what ends. */
  readonly proofs: Proofs
  readonly now: Date
  /** When the nodes were observed; undefined where their source does not say. */
  readonly observedAt?: Date
}

/** What acts come to. */
interface Acts {
  readonly objects: readonly Rendered[]
  /** Acts that are never done again: they succeeded, or were taken away after they had begun. */
  readonly done: ReadonlyArray<readonly [id: string, digest: string]>
  /** By the id of an action the names of its Jobs, done or not. */
  readonly names: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Finding[]
}

/**
 * Returns the drains that wait until others have ended, which hold no node either: those of the highest sequences, but
 * none that has begun, since a Job that is taken away never runs again.
 */
export function queuedDrains(
  actions: readonly Action[],
  memory: Memory,
  jobs: ActInput['jobs'],
  { maxConcurrent }: ActionSettings,
): Set<Action> {
  const open = actions.filter((action) => action.type === 'drainNode' && isOpen(action, memory))
  const isGoing = (action: Action) => hasBegun(action, memory, jobs)
  return new Set([...open.filter(isGoing), ...open.filter((action) => !isGoing(action))].slice(maxConcurrent))
}

/** Returns the Jobs of actions that run once: drains, evictions, taints, and labels of others. */
export function planActs(actions: readonly Action[], input: ActInput): Acts {
  const objects: Rendered[] = []
  const done: Array<readonly [string, string]> = []
  const names = new Map<string, readonly string[]>()
  const findings: Finding[] = []
  const { settings, memory } = input
  const add = ({ rendered, findings: wrong }: ReturnType<typeof keptOr>) => {
    objects.push(rendered)
    findings.push(...wrong)
  }
  for (const action of actions) {
    const acts = actsOf(action, input)
    if (acts.length === 0) continue
    names.set(
      action.id,
      acts.map((act) => nameOfAct(act, action)),
    )
    if (isDone(memory, action)) {
      done.push([action.id, action.digest])
      // a taint holds the node until the action expires, and is ended by what its Job says; one that was taken away is
      // ended already, and does not run again when its file comes back
      const isKept = (act: Act) => act.verb === 'taintnode' && input.jobs.has(nameOfAct(act, action))
      for (const act of acts.filter(isKept)) add(jobFor(act, action, input))
      continue
    }
    const missing = acts.find(({ isOurs }) => (isOurs ? settings.job.evictImage : settings.job.image) === undefined)
    if (missing !== undefined) {
      const path = `spec.job.${missing.isOurs ? 'evictImage' : 'image'}`
      const subject = settings.subject.object
      const sentence = `${subject.metadata.name}: ${path} is missing, which ${action.subject.metadata.name} needs`
      findings.push(finding('JobImageMissing', sentence, { subject, field: { path } }))
    } else for (const act of acts) add(jobFor(act, action, input))
  }
  const rendered = new Set(objects.map(({ object }) => object.metadata.name))
  return { objects, done: [...done, ...takenAway(rendered, input)], names, findings }
}

function nameOfAct({ verb }: Act, { target, digest }: Action): string {
  return jobName(verb, target.name, digest)
}

/**
 * Returns the acts of earlier Jobs of which none is rendered any more: one whose file comes back would run a second
 * time. A drain goes on where only its taint is taken away.
 */
function takenAway(rendered: ReadonlySet<string>, { jobs }: ActInput): Array<readonly [string, string]> {
  const digestOf = (name: string) => name.slice(-DIGEST_DIGITS)
  const going = new Set([...rendered].map(digestOf))
  return [...jobs].flatMap(([name, { object }]) => {
    const id = String(object.metadata.annotations?.[ACTIONS] ?? '')
    const isEnd = name.startsWith('untaintnode-')
    return going.has(digestOf(name)) || isEnd || id === '' ? [] : [[id, digestOf(name)] as const]
  })
}

/** Renders a Job, or keeps that of an earlier run. */
function jobFor(act: Act, action: Action, { jobs, settings, trust }: ActInput): ReturnType<typeof keptOr> {
  const { id, digest, target, reason, requester } = action
  const proof = proofText(action)
  const rendered = renderJob(act, { id, digest, target: target.name, reason, requester, proof }, settings)
  const widest = action.type === 'labelNode' ? labelAct(action, labelKeysOf(action).sort()).args : undefined
  return keptOr(rendered, jobs, { trust, ...(widest && { widest }) })
}

function actsOf(action: Action, { settings, targets, before, decided, jobs }: ActInput): Act[] {
  const { type, target, digest } = action
  if (type === 'drainNode')
    return [...(settings.hold === 'taint' ? [taintAct(target.name, taintFor(action))] : []), drainAct(action)]
  if (type === 'evictPod') return [evictAct(action, targets.pods?.get(targetKey(action))?.node)]
  if (type === 'taintNode') return [taintAct(target.name, taintFor(action))]
  if (type === 'untaintNode') {
    const [taint, act] = [taintName(taintFor(action)), endAct(target.name, taintName(taintFor(action)))]
    // kubectl fails where there is nothing to take away
    const isThere = targets.nodes.get(target.name)?.taints.some((one) => taintName(one) === taint) === true
    return isThere || jobs.has(nameOfAct(act, action)) ? [act] : []
  }
  if (type !== 'labelNode') return []
  const node = targets.nodes.get(target.name)
  const document = before.get(target.name)
  const { set, remove } = labelsOf(action)
  const isLatest = (key: string) => decided.applies(action, `Node/${target.name}/labels/${key}`)
  const isOurs = (key: string) => Object.hasOwn(document?.metadata.labels ?? {}, key)
  const keys = [
    ...Object.keys(set).filter((key) => node !== undefined && isForeignLabel(key, set[key], node, document)),
    ...remove.filter((key) => memberOf(node?.labels, key) !== undefined && !isOurs(key)),
  ].filter(isLatest)
  if (keys.length > 0) return [labelAct(action, keys.sort())]
  // what a Job of this action has changed already is no reason to take it away
  return jobs.has(jobName('labelnode', target.name, digest)) ? [labelAct(action, [])] : []
}

/** States in which an act has begun and not ended. */
const BEGUN = ['Running', 'Blocked']

/** Whether an act has neither ended for good nor failed. */
function isOpen(action: Action, memory: Memory): boolean {
  return !isDone(memory, action) && outcomeOf(memory, action)?.state !== 'Failed'
}

/** Whether a drain has begun, as far as earlier Jobs and outcomes tell: a Job that is taken away never runs again. */
function hasBegun(action: Action, memory: Memory, jobs: ReadonlyMap<string, Item>): boolean {
  return (
    jobs.has(jobName('drainnode', action.target.name, action.digest)) ||
    BEGUN.includes(outcomeOf(memory, action)?.state ?? '')
  )
}

/**
 * Returns by id the digests of acts whose Jobs earlier runs rendered: another action with such an id would take them
 * away, and be refused by the next run.
 */
export function begunActs(jobs: ReadonlyMap<string, Item>): Map<string, string> {
  return new Map(
    [...jobs].flatMap(([name, { object }]) => {
      const id = object.metadata.annotations?.[ACTIONS]
      return typeof id === 'string' ? [[id, name.slice(-DIGEST_DIGITS)] as const] : []
    }),
  )
}

/**
 * Says of a drain that begins at a time that its action expires before the drain may end; undefined where it does
 * not, and of other actions.
 */
export function cutShort(action: Action, from: Date): string | undefined {
  if (action.type !== 'drainNode') return undefined
  const seconds = drainSeconds(action)
  const left = Math.floor((action.expiresAt.getTime() - from.getTime()) / 1000)
  return left >= seconds ? undefined : `drains for up to ${seconds} s (timeoutSeconds), and expires after ${left} s`
}

/**
 * Reports the drains that their expiry cuts short. Of one that has not begun, as far as that `isKnown`, the time that
 * is left counts; of another the time from its own beginning.
 */
export function cutDrains(
  actions: readonly Action[],
  memory: Memory,
  jobs: ReadonlyMap<string, Item>,
  { isKnown, now }: { readonly isKnown: boolean; readonly now: Date },
): Finding[] {
  return actions.flatMap((action) => {
    const { subject, issuedAt, notBefore = issuedAt } = action
    if (!isOpen(action, memory)) return []
    const begins = isKnown && !hasBegun(action, memory, jobs) ? now : undefined
    const words = cutShort(action, latest([begins, notBefore]) ?? notBefore)
    return words === undefined ? [] : [finding('DrainCutShort', `${subject.metadata.name} ${words}`, { subject })]
  })
}
