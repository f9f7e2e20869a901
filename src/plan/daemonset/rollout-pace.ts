import type { Rendered, World } from '../../core/index.ts'
import { updateStrategyOf } from '../../core/object/index.ts'
import { withAnnotations } from '../../core/object/with-annotations.ts'
import type { Rollout, SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding/index.ts'
import { BASIS, CHANGED, RENDERED } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { admit, type Budget, type Counted, fitsAt, isRecent, nodesOf } from './rollout-budget.ts'
import {
  annotationOf,
  changedAt,
  type Progress,
  progressOf,
  raisesStrategy,
  renderedMark,
  templateIn,
} from './rollout-mark.ts'

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
