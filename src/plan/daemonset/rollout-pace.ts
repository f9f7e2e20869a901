import type { Rendered, World } from '../../core/index.ts'
import { withAnnotations } from '../../core/object/canonical.ts'
import { replacementOf, updateStrategyOf } from '../../core/object/index.ts'
import type { Rollout, SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import { isDeepEqual, memberOf } from '../../krm/map.ts'
import { BASIS, CHANGED, RENDERED } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { formatDuration, isTime, timeText } from '../../kube/index.ts'
import { digestOf } from '../sizing/index.ts'
import { finding } from './codes.ts'

const SECOND = 1000

/**
 * The objects to render in this run. If a finding stops the pacing, it is all of them, for a run that allows that code.
 */
export interface Paced {
  readonly value: readonly Rendered[]
  readonly findings: readonly Finding[]
  /** When more of them may change, if nothing else changes until then. */
  readonly until?: Date
}

/** A rendered object and its earlier version. */
export interface Made {
  readonly rendered: Rendered
  readonly before?: KubernetesObject
}

interface Group extends Made, Counted {
  /** Of the pod template. */
  readonly progress: Progress
  /** Whether the update strategy replaces more pods at once than before. */
  readonly isRaised: boolean
}

/** The groups that change in this run, those held back, and all that count against the budget. */
interface Decided {
  readonly forced: readonly Group[]
  readonly admitted: readonly Group[]
  readonly held: readonly Group[]
  readonly counted: readonly Group[]
}

/**
 * Holds back pod templates, so that agents change on at most rollout.maxNodes nodes within rollout.every. So it does
 * update strategies that replace more pods at once: pods may be of any earlier template, where OnDelete kept them or a
 * rollout is stuck. DaemonSets that are new or select other nodes are never held back, since nodes would lose their
 * agent; their nodes count first. The others follow in name order, and a group is never divided. A held-back group
 * keeps its whole earlier template.
 */
export function paceRollout(
  made: readonly Made[],
  rollout: Rollout & { readonly every: bigint },
  { subject }: SizingSettings,
  { now, isSeen }: Pick<World, 'now' | 'isSeen'>,
): Paced {
  const stop = (code: 'NeedsEarlierOutput' | 'NoTime', what: string) => {
    const field = { path: 'spec.rollout.every', currentValue: formatDuration(rollout.every) }
    const value = made.map(({ rendered }) => rendered)
    return { value, findings: [finding(code, `${subject.metadata.name}: ${what}`, { subject, field })] }
  }
  if (!isSeen) return stop('NeedsEarlierOutput', 'spec.rollout.every needs the earlier output')
  if (now === undefined) return stop('NoTime', 'spec.rollout.every needs the time of the run')

  const groups = made.map(groupOf)
  const budget = { most: rollout.mostOf(nodesOf(groups)), every: rollout.every, now: wholeSeconds(now) }
  const decided = decide(groups, budget)
  const changing = new Set([...decided.forced, ...decided.admitted])
  const held = new Set(decided.held)
  return {
    value: groups.map((one) =>
      held.has(one) ? keepTemplate(one) : marked(one, changing.has(one) ? budget.now : undefined),
    ),
    until: nextOf(decided, budget),
    findings: rolloutProblems(decided, groups, rollout, budget).map(({ code, sentence }) =>
      finding(code, `${subject.metadata.name}: ${sentence}`, { subject, field: { path: 'spec.rollout' } }),
    ),
  }
}

function groupOf({ rendered, before }: Made): Group {
  const { object, nodeCount } = rendered
  const progress = progressOf(object, before)
  const isRaised = before !== undefined && raisesStrategy(object, before, nodeCount)
  return { rendered, before, name: object.metadata.name, nodeCount, progress, isRaised, changed: changedAt(before) }
}

function decide(groups: readonly Group[], budget: Budget): Decided {
  const forced = groups.filter(({ progress }) => progress === 'new' || progress === 'moved')
  const recent = groups.filter((one) => !forced.includes(one) && isRecent(one, budget))
  const before = [...forced, ...recent]
  const pending = groups.filter(
    ({ progress, isRaised }) => progress === 'pending' || (progress === 'steady' && isRaised),
  )
  const { admitted, held } = admit(pending, before, budget)
  return { forced, admitted, held, counted: [...new Set([...before, ...admitted])] }
}

/** When the first held-back group may change, rounded up to a whole second; undefined if none is held back. */
function nextOf({ forced, admitted, held, counted }: Decided, budget: Budget): Date | undefined {
  const [first] = held
  if (first === undefined) return undefined
  const changing = new Set([...forced, ...admitted])
  const lately = counted.map((one) => (changing.has(one) ? { ...one, changed: budget.now } : one))
  const time = fitsAt(first, lately, budget)
  return time && new Date(Math.ceil(time.getTime() / SECOND) * SECOND)
}

function rolloutProblems(
  decided: Decided,
  groups: readonly Group[],
  { maxNodes, every }: Rollout & { readonly every: bigint },
  budget: Budget,
): Array<{ code: 'RolloutHeldBack' | 'RolloutExceeded'; sentence: string }> {
  const { forced, admitted, held, counted } = decided
  const amount = `${maxNodes} of ${plural(nodesOf(groups), 'node')} within ${formatDuration(every)}`
  const names = (listed: readonly Group[]) => listNames(listed.map(({ name }) => name))
  const all: ReturnType<typeof rolloutProblems> = []
  const until = nextOf(decided, budget)
  if (until !== undefined) {
    const kept = [
      ...(held.some(({ progress }) => progress === 'pending') ? ['pod template'] : []),
      ...(held.some(({ isRaised }) => isRaised) ? ['update strategy'] : []),
    ]
    const which = `${held.length} of ${plural(held.length + admitted.length, 'group')} to change keep their earlier ${kept.join(' and ')}: ${names(held)}`
    const sentence = `${which}. spec.rollout changes at most ${amount}, and ${nodesOf(counted)} have changed; render at ${timeText(until)} or later for more`
    all.push({ code: 'RolloutHeldBack', sentence })
  }
  const isFirst = groups.every(({ before }) => before === undefined)
  if (!isFirst && nodesOf(forced) > budget.most) {
    const which = `${names(forced)} ${forced.length === 1 ? 'is' : 'are'} new or ${forced.length === 1 ? 'selects' : 'select'} other nodes`
    const sentence = `${which}, ${plural(nodesOf(forced), 'node')} in total, but spec.rollout changes at most ${amount}`
    all.push({ code: 'RolloutExceeded', sentence })
  }
  return all
}

/**
 * Keeps only the earlier pod template with its marks, and an update strategy that replaces fewer pods at once: changes
 * of other fields restart no pod.
 */
function keepTemplate({ rendered, before, isRaised }: Group): Rendered {
  if (before === undefined) return rendered
  const { object } = rendered
  const { updateStrategy, ...rest } = { updateStrategy: undefined, ...(object.spec as object) }
  const strategy = isRaised ? updateStrategyOf(before) : updateStrategy
  const spec = {
    ...rest,
    template: templateIn(before),
    ...(strategy === undefined ? {} : { updateStrategy: strategy }),
  }
  const kept = Object.fromEntries([BASIS, RENDERED, CHANGED].map((key) => [key, annotationOf(before, key)]))
  return { ...rendered, object: withAnnotations({ ...object, spec }, kept) }
}

function marked({ rendered, before }: Group, changed: Date | undefined): Rendered {
  const { object } = rendered
  const time = changed === undefined ? before && annotationOf(before, CHANGED) : timeText(changed)
  return { ...rendered, object: withAnnotations(object, { [RENDERED]: renderedMark(object), [CHANGED]: time }) }
}

/** Rounds a time down to whole seconds, as Kubernetes writes times. */
function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / SECOND) * SECOND)
}

/** A group, as far as a rollout counts it. */
interface Counted {
  readonly name: string
  readonly nodeCount: number
  /** When its pods last changed; undefined if that is unknown. */
  readonly changed?: Date
}

/** How many nodes may change within how many nanoseconds, and the time of the run. */
interface Budget {
  readonly most: number
  readonly every: bigint
  readonly now: Date
}

const NANO_PER_MILLI = 1_000_000n

/** Whether a group changed within the last `every`, so that its nodes still count. */
function isRecent({ changed }: Counted, { now, every }: Budget): boolean {
  return changed !== undefined && after(changed, every) > now.getTime()
}

/**
 * Divides pending groups, in name order, into those that may change now and those held back; `counted` are those that
 * count already. The first group that does not fit ends the admitted ones, so that small groups do not overtake a large
 * one forever. If nothing is counted, even a group above `most` is admitted; groups without nodes always are.
 */
function admit<Group extends Counted>(
  pending: readonly Group[],
  counted: readonly Group[],
  { most }: Budget,
): { admitted: readonly Group[]; held: readonly Group[] } {
  const free = pending.filter(({ nodeCount }) => nodeCount === 0)
  const inOrder = pending.filter(({ nodeCount }) => nodeCount > 0).sort((a, b) => (a.name < b.name ? -1 : 1))
  const known = new Set(counted)
  let used = nodesOf(counted)
  for (const [index, group] of inOrder.entries()) {
    const more = known.has(group) ? 0 : group.nodeCount
    if (used > 0 && used + more > most)
      return { admitted: [...free, ...inOrder.slice(0, index)], held: inOrder.slice(index) }
    used += more
  }
  return { admitted: [...free, ...inOrder], held: [] }
}

/**
 * Returns when a held-back group fits if nothing else changes until then; `counted` have the time of their last change.
 */
function fitsAt(held: Counted, counted: readonly Counted[], { most, every, now }: Budget): Date {
  const byEnd = counted
    .map((group) => ({ group, end: after(group.changed ?? now, every) }))
    .sort((a, b) => a.end - b.end)
  for (const [index, { end }] of byEnd.entries()) {
    const left = byEnd.slice(index + 1).map(({ group }) => group)
    const used = nodesOf(left)
    const more = left.some(({ name }) => name === held.name) ? 0 : held.nodeCount
    if (used === 0 || used + more <= most) return new Date(end)
  }
  return now
}

export function nodesOf(groups: ReadonlyArray<{ readonly nodeCount: number }>): number {
  return groups.reduce((all, { nodeCount }) => all + nodeCount, 0)
}

/** Milliseconds since the epoch. */
function after(time: Date, nanoseconds: bigint): number {
  return time.getTime() + Number(nanoseconds / NANO_PER_MILLI)
}

const TEMPLATE_DIGITS = 16
const PLACEMENT_DIGITS = 8
const STRATEGY_DIGITS = 8
/** The last part is missing in output of versions that did not record it. */
const MARK = /^([0-9a-f]{16})-([0-9a-f]{8})(?:-([0-9a-f]{8}))?$/

/** How an object compares with its earlier version: new, on other nodes, with another pod template, or unchanged. */
type Progress = 'new' | 'moved' | 'pending' | 'steady'

/**
 * Returns digests of a rendered object: of its pod template, of the placement in it, and of its update strategy.
 * Digests are kept because a later function of the pipeline may change these fields, so the object in the input does
 * not show how it was rendered.
 */
export function renderedMark(object: KubernetesObject): string {
  const template = templateIn(object)
  const digests = [digest(template, TEMPLATE_DIGITS), digest(placementIn(template), PLACEMENT_DIGITS)]
  return [...digests, digest(updateStrategyOf(object), STRATEGY_DIGITS)].join('-')
}

/**
 * Whether an object's update strategy replaces pods on more of its nodes at once than the earlier one, or stops them
 * where that started new ones first. With OnDelete pods may be of any earlier template, so that any other strategy
 * replaces them.
 */
function raisesStrategy(object: KubernetesObject, before: KubernetesObject, nodeCount: number): boolean {
  const [, , , was] = MARK.exec(annotationOf(before, RENDERED) ?? '') ?? []
  const [, , , wanted] = MARK.exec(renderedMark(object)) ?? []
  if (was === wanted) return false
  const [then, now] = [replacementOf(before, nodeCount), replacementOf(object, nodeCount)]
  return now.atOnce > then.atOnce || now.down > then.down
}

/**
 * Compares an object with its earlier version by the digests in that version's annotation; without them, by the pod
 * templates.
 */
export function progressOf(object: KubernetesObject, before: KubernetesObject | undefined): Progress {
  if (before === undefined) return 'new'
  const [, template, placement] = MARK.exec(annotationOf(before, RENDERED) ?? '') ?? []
  const [, wanted, wantedPlacement] = MARK.exec(renderedMark(object)) ?? []
  if (template !== undefined) {
    if (template === wanted) return 'steady'
    return placement === wantedPlacement ? 'pending' : 'moved'
  }
  const [was, is] = [templateIn(before), templateIn(object)]
  if (isDeepEqual(was, is)) return 'steady'
  return isDeepEqual(placementIn(was), placementIn(is)) ? 'pending' : 'moved'
}

/** Returns when an object's pods last changed; undefined if the annotation is missing or not a time. */
function changedAt(object: KubernetesObject | undefined): Date | undefined {
  const text = object && annotationOf(object, CHANGED)
  return text !== undefined && isTime(text) ? new Date(text) : undefined
}

/** Returns an annotation; undefined if it is missing or not a string, since a user may have edited it. */
export function annotationOf({ metadata }: KubernetesObject, key: string): string | undefined {
  const text: unknown = metadata.annotations?.[key]
  return typeof text === 'string' ? text : undefined
}

function digest(value: unknown, digits: number): string {
  const text = JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member))
  return digestOf(text ?? '', digits)
}

/** Returns the pod template of an object as it is, unvalidated. */
function templateIn({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'template')
}

/**
 * Returns the fields of a pod template that select nodes; the DaemonSet controller moves pods when one of them changes.
 */
function placementIn(template: unknown): unknown[] {
  const pod = memberOf(template, 'spec')
  const nodeAffinity = memberOf(memberOf(pod, 'affinity'), 'nodeAffinity')
  return [
    memberOf(pod, 'nodeSelector'),
    memberOf(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
    memberOf(pod, 'tolerations'),
  ]
}
