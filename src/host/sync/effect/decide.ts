import { once } from '../../../core/index.ts'
import { untilOf } from '../../../face/index.ts'
import type { Shape } from '../../../facts/inventory/index.ts'
import { isSizingPolicy } from '../../../kinds/index.ts'
import { plural } from '../../../krm/finding.ts'
import { memberOf } from '../../../krm/map.ts'
import { ABSENT_SINCE, markedGroup, ownerOf } from '../../../krm/remembered.ts'
import type { Item } from '../../../krm/types.ts'
import { parseDuration, timeText } from '../../../kube/index.ts'
import type { Plan } from '../../../rules/plan.ts'
import type { FileChanges } from '../git/repository.ts'
import { isOutdated, replacementOf } from '../nodes/losses.ts'
import { appliedChanges, undoneEdits } from './applied-changes.ts'
import { changeDigest, comparableManifests, effectOf, inputDigest, outputDigest, textDigest } from './effect-of.ts'
import type { DecisionInput, DriftCheck, Effect, Evaluation } from './evaluation.ts'
import { plansPools } from './idle.ts'
import { type MessageParts, messageOf, summaryOf } from './message.ts'
import { nodeChangeLines, nodeReasons } from './node-changes.ts'
import { objectChanges } from './object-changes.ts'
import { actionsIn } from './outcomes.ts'
import { INVENTORY_FILE, otherNodeSource, WORKLOAD_FILE } from './owned-folder.ts'
import { findingsOf, guardOf, type Rendered, type RenderSource, renderWith } from './rendered.ts'
import { targetsIn } from './targets.ts'
import { importedRows, usagePoliciesIn } from './usage-changes.ts'

/** Renders with the new files, compares the result with Git, and decides what to commit. */
export function decide(input: DecisionInput): Evaluation {
  const { owned, files, settings, time, projection, settled } = input
  const source = sourceOf(input)
  const next = renderWith(source, files)
  if (next.kind !== 'failed') input.memory.drifts = next.kind === 'rendered' ? driftChecks(next.plan) : []
  const findings = findingsOf(next)
  input.memory.targets = targetsIn(next, settings.cluster) ?? input.memory.targets
  input.memory.actions = actionsIn(next) ?? input.memory.actions
  input.memory.usagePolicies = usagePoliciesIn(next) ?? input.memory.usagePolicies
  input.memory.importedUsage = importedRows(next.items, files.get(WORKLOAD_FILE), settings.cluster)
  const { observedAt } = owned
  const expiresAt = settings.maxAge === undefined || observedAt === undefined ? undefined : observedAt + settings.maxAge
  const instants = next.kind === 'rendered' ? planInstants(next.plan, time) : []
  const idle = plansPools(next) ? input.idle : { isOverdue: false }
  const until = earliestAfter([projection.until, expiresAt, idle.until, ...instants], time)
  const problem = otherNodeSource(next.items, files.get(INVENTORY_FILE) ?? '', settings.cluster)
  if (problem !== undefined)
    return { kind: 'stopped', sentence: problem.replaceAll(`${input.root}/`, ''), until, findings }
  const before = once(() => renderWith(source, owned.written ?? owned.files))
  if (guardOf(next) !== undefined) return whereGuarded(input, next, before, until)
  const isEdited = isInventoryEdited(input)
  const effect =
    effectOf({ owned, projection, next, before }) ??
    (projection.isOverdue ||
    isEdited ||
    idle.isOverdue ||
    input.hasOtherOutcomes ||
    input.hasOtherNodes ||
    input.usage.length > 0 ||
    owned.clusterUid !== input.clusterUid ||
    hasOldNames(input) ||
    hasUnwrittenAbsence(input, next)
      ? 'inventory'
      : expiresAt !== undefined && expiresAt <= time
        ? 'age'
        : undefined)
  const failure = next.kind === 'failed' ? next.sentence : undefined
  if (effect === undefined) {
    if (next.kind === 'rendered') input.memory.packages = packagesDigest(input, next)
    return { kind: 'unchanged', why: 'effect', until, failure, findings }
  }
  const compared = effect === 'age' ? next : comparedWithGit(input, source, next, before)
  if (guardOf(compared) !== undefined) return whereGuarded(input, compared, before, until)
  const flood = groupFlood(next, before, input)
  if (flood !== undefined)
    return {
      kind: 'stopped',
      sentence: flood.sentence,
      until: earliestAfter([until?.getTime(), flood.until], time),
      findings,
    }
  const isSamePackages = next.kind === 'rendered' && input.memory.packages === packagesDigest(input, next)
  const undone = [
    ...(isEdited ? [`undoes an edit of ${INVENTORY_FILE}`] : []),
    ...(isSamePackages ? undoneEdits(before()) : []),
  ]
  input.memory.inventories.add(textDigest(files.get(INVENTORY_FILE) ?? ''))
  const isQuiet = effect === 'inventory' && hasNoEffect(next, before)
  const parts = { ...messageParts(input, effect, { next, compared, isQuiet, isIdle: idle.isOverdue }), undone }
  const commit = {
    changes: fileChanges(input, next),
    message: messageOf(parts, settings.template),
    digest: changeDigest({ owned, projection, next, settings, usage: input.usage, clusterUid: input.clusterUid }),
  }
  const { usage } = input
  return { kind: 'commit', commit, effect, until, summary: summaryOf(parts), failure, settled, usage, findings }
}

/** What compares the cluster with the policies of a plan, as far as their namespaces are known. */
function driftChecks({ packages }: Plan): DriftCheck[] {
  const all = packages.flatMap(({ planned }) => planned)
  return all.flatMap(({ subject, source, drift }) => {
    const namespace = subject.object.metadata.namespace ?? source?.object.metadata.namespace
    return drift === undefined || namespace === undefined ? [] : [{ namespace, findings: drift }]
  })
}

/** Decides again where what a guard holds is accepted; else stops until the next look. */
function whereGuarded(
  input: DecisionInput,
  guarded: Rendered,
  before: () => Rendered,
  until: Date | undefined,
): Evaluation {
  const sentence = guardOf(guarded) ?? ''
  const held = heldBy(guarded, before, input)
  if ('settled' in held && input.settled === undefined)
    return decide({ ...input, settled: `${sentence}; ${held.settled}` })
  const next = 'until' in held ? held.until : undefined
  return {
    kind: 'stopped',
    sentence,
    until: earliestAfter([until?.getTime(), next], input.time),
    findings: findingsOf(guarded),
  }
}

/**
 * Whether a group stays from now on since its nodes have gone, and neither Git nor an empty shape says since when: it
 * would begin anew each time, and the group never go.
 */
function hasUnwrittenAbsence({ settings, projection, time }: DecisionInput, next: Rendered): boolean {
  if (next.kind !== 'rendered' || settings.output === undefined) return false
  const now = timeText(time)
  if (projection.shapes.some(({ emptySince }) => emptySince === now)) return false
  return next.manifests.some(({ object }) => {
    const text: unknown = object.metadata.annotations?.[ABSENT_SINCE]
    return typeof text === 'string' && text.split(' ').some((part) => part.endsWith(`=${now}`))
  })
}

/** Whether the names of nodes in Git are those of others by now; with counts Git has none. */
function hasOldNames({ owned, projection, settings }: DecisionInput): boolean {
  const percent = settings.guards?.maxNodesReplaced
  if (settings.counts || percent === undefined || !owned.files.has(INVENTORY_FILE)) return false
  return isOutdated(replacementOf(namesIn(owned.known.shapes), namesIn(projection.shapes)), percent)
}

const namesIn = (shapes: readonly Shape[]): ReadonlySet<string> => new Set(shapes.flatMap(({ nodes }) => nodes))

/** Whether somebody edited the inventory in Git; the first one that is read is not questioned. */
function isInventoryEdited({ owned, memory: { inventories }, settings }: DecisionInput): boolean {
  const text = owned.files.get(INVENTORY_FILE)
  if (text === undefined || settings.undoesEdits !== true) return false
  if (owned.written !== undefined) return true
  const key = textDigest(text)
  if (inventories.size === 0) inventories.add(key)
  return !inventories.has(key)
}

/** The digest of what is rendered besides the nodes. */
function packagesDigest({ files }: DecisionInput, { items }: Rendered): string {
  const owned = new Set(files.values())
  return inputDigest(
    items.filter(({ text }) => text === undefined || !owned.has(text)),
    [],
  )
}

/**
 * When a plan next gives another result with the same input, and the next evaluation that a policy asks for, in
 * milliseconds since 1970.
 */
function planInstants(plan: Plan, time: number): Array<number | undefined> {
  const interval = requestedInterval(plan)
  return [untilOf(plan)?.getTime(), interval === undefined ? undefined : time + interval]
}

const NANOSECONDS = 1_000_000n
/** The shortest interval that a policy may request, in milliseconds. */
const MIN_INTERVAL = 10_000

/** The shortest `reconcileInterval` of the enabled policies, in milliseconds; undefined where none has one. */
function requestedInterval({ packages }: Plan): number | undefined {
  const texts = packages
    .flatMap(({ planned }) => planned)
    .filter(({ subject, isEnabled }) => isEnabled && isSizingPolicy(subject.object))
    .map(({ subject }) => memberOf(memberOf(subject.object, 'spec'), 'reconcileInterval'))
  const intervals = texts.flatMap((text) =>
    typeof text === 'string' ? [Number(parseDuration(text) / NANOSECONDS)] : [],
  )
  return intervals.length === 0 ? undefined : Math.max(Math.min(...intervals), MIN_INTERVAL)
}

/**
 * The earliest of the instants after `time`, in milliseconds since 1970; rounded up, since evaluations are in whole
 * seconds.
 */
export function earliestAfter(instants: ReadonlyArray<number | undefined>, time: number): Date | undefined {
  const later = instants.filter((instant): instant is number => instant !== undefined && instant > time)
  return later.length === 0 ? undefined : new Date(Math.ceil(Math.min(...later) / 1000) * 1000)
}

/** What all renders of this evaluation read; a file is read and parsed once. */
function sourceOf(input: DecisionInput): RenderSource {
  const { root, settings, trust } = input
  const { folder, packages, output, limits } = settings
  const allow = acceptedCodes(input)
  return { root, folder, packages, output, limits, allow, trust, clock: new Date(input.time), memo: new Map() }
}

/**
 * The render relative to what is applied now, for guards and the commit message. Without an output folder in the
 * repository the earlier output is not in the input, so it is rendered from what Git has.
 */
function comparedWithGit(input: DecisionInput, source: RenderSource, next: Rendered, before: () => Rendered): Rendered {
  const { owned, files, settings } = input
  const hasEarlier = next.items.some(({ object }) => ownerOf(object) !== undefined)
  if (settings.output !== undefined || hasEarlier || next.kind !== 'rendered' || !owned.files.has(INVENTORY_FILE))
    return next
  if (before().kind !== 'rendered') return next
  const first = renderWith(source, owned.written ?? owned.files, [])
  const second = first.kind === 'rendered' ? renderWith(source, files, first.manifests) : next
  // an error other than a guard comes from rendering twice
  return second.kind === 'rendered' || guardOf(second) !== undefined ? second : next
}

const NODE_COUNTS_ONLY = 'node counts only'

/** Whether a commit for the nodes changes nothing in a cluster. */
function hasNoEffect(next: Rendered, before: () => Rendered): boolean {
  if (next.kind !== 'rendered') return false
  if (next.change !== undefined) return true
  const earlier = before()
  return earlier.kind === 'rendered' && comparableManifests(earlier.manifests) === comparableManifests(next.manifests)
}

function messageParts(
  input: DecisionInput,
  effect: Effect,
  { next, compared, isQuiet, isIdle }: { next: Rendered; compared: Rendered; isQuiet: boolean; isIdle: boolean },
): MessageParts {
  const { owned, projection, settings, settled, hasOtherOutcomes, usage, clusterUid } = input
  const { cluster, version, folder, packages, output } = settings
  const allow = acceptedCodes(input)
  const changes =
    compared.kind === 'rendered' && effect !== 'age' ? objectChanges(compared.plan) : { brief: '', lines: [] }
  return {
    effect,
    isFirst: !owned.files.has(INVENTORY_FILE),
    changes: isQuiet ? { ...changes, brief: '' } : changes,
    applied: appliedChanges(next.kind === 'rendered' ? next.change : undefined),
    usage: effect === 'age' ? [] : usage,
    settled,
    reason: isQuiet
      ? isIdle
        ? 'idle nodes only'
        : hasOtherOutcomes
          ? 'outcomes of actions only'
          : NODE_COUNTS_ONLY
      : effect === 'inventory'
        ? nodeReasons(owned.known.shapes, projection.shapes) || NODE_COUNTS_ONLY
        : '',
    nodes: nodeChangeLines(owned.known.shapes, projection.shapes, settings.retainShapes),
    failure: next.kind === 'failed' ? next.sentence : undefined,
    trailers: {
      cluster,
      ...(clusterUid === undefined ? {} : { clusterUid }),
      time: new Date(input.time).toISOString(),
      effect,
      version,
      folder,
      packages,
      output,
      ...(allow.length === 0 ? {} : { allow }),
      inputDigest: inputDigest(next.items, next.earlier),
      outputDigest: next.kind === 'rendered' ? outputDigest(next.manifests) : undefined,
    },
  }
}

function fileChanges({ owned, files, settings: { folder, output = '' } }: DecisionInput, next: Rendered): FileChanges {
  const write = new Map<string, string>()
  const remove: string[] = []
  for (const [name, text] of files) if (owned.files.get(name) !== text) write.set(`${folder}/${name}`, text)
  for (const name of owned.files.keys()) if (!files.has(name)) remove.push(`${folder}/${name}`)
  const change = next.kind === 'rendered' ? next.change : undefined
  for (const [name, text] of change?.write ?? []) write.set(`${output}/${name}`, text)
  for (const name of change?.remove ?? []) remove.push(`${output}/${name}`)
  return { write, remove }
}

/** The guards that a loss of nodes can trip. */
const NODE_GUARDS = new Set(['maxNodesLost', 'maxShrinkPercent', 'maxGroupsRemoved'])
const HOUR = 3_600_000
/** What a cluster in the place of another finds of its output, once somebody has acknowledged that. */
const OTHER_CLUSTER = 'OutputOfOtherCluster'

/** Returns the codes that a commit accepts: those of the guards, and of output of the cluster before. */
function acceptedCodes({ settled, replaces }: Pick<DecisionInput, 'settled' | 'replaces'>): readonly string[] {
  return [...(settled === undefined ? [] : ['GuardTripped']), ...(replaces === undefined ? [] : [OTHER_CLUSTER])]
}

/** What a guard holds: accepted, with the reason, or not yet, with the time of the next look. */
type Held = { readonly settled: string } | { readonly until?: number }

/**
 * Whether what a guard holds is accepted: somebody acknowledged it, or it comes from nodes alone and their loss is
 * confirmed. `before` renders with the nodes of Git.
 */
function heldBy(rendered: Rendered, before: () => Rendered, input: DecisionInput): Held {
  const { memory, time, settings, owned, projection, isDeleted } = input
  const acked = memory.ack?.guardsUntil
  const isTripped = guardOf(rendered)?.startsWith('GuardTripped: ') === true
  if (isTripped && acked !== undefined && time < acked)
    return { settled: `a commit accepts it until ${new Date(acked).toISOString()}` }
  const settle = settings.guards?.settle ?? 0
  if (!isTripped || settle === 0 || !isOfNodes(rendered) || guardOf(before()) !== undefined) return {}
  const present = new Set(projection.shapes.flatMap(({ nodes }) => nodes))
  const lost = owned.known.shapes.flatMap(({ nodes }) => nodes).filter((name) => !present.has(name))
  memory.losses.observe(lost, time)
  const state = { now: time, settle, isDeleted }
  return memory.losses.isSettled(state)
    ? { settled: `the loss of ${plural(lost.length, 'node')} is confirmed for ${Math.round(settle / 1000)} s` }
    : { until: memory.losses.nextCheck(state) }
}

function isOfNodes(rendered: Rendered): boolean {
  const fields = findingsOf(rendered)
    .filter(({ code, severity }) => code === 'GuardTripped' && severity === 'error')
    .map(({ field }) => field?.path?.split('.').at(-1) ?? '')
  return fields.length > 0 && fields.every((field) => NODE_GUARDS.has(field))
}

/**
 * Why groups that nodes add are held back: there are more within an hour than `maxGroupsAdded`, as where a kubelet
 * writes other labels all the time. Undefined where they are not.
 */
function groupFlood(
  next: Rendered,
  before: () => Rendered,
  { memory, settings, time, owned }: DecisionInput,
): { readonly sentence: string; readonly until?: number } | undefined {
  const most = settings.guards?.maxGroupsAdded ?? Number.POSITIVE_INFINITY
  const acked = memory.ack?.guardsUntil ?? 0
  const { groupsAdded } = memory
  for (const [name, at] of groupsAdded) if (at <= time - HOUR) groupsAdded.delete(name)
  if (next.kind !== 'rendered' || owned.files.size === 0 || time < acked) return undefined
  const earlier = once(() => {
    const rendered = before()
    return rendered.kind === 'rendered' ? new Set(groupsIn(rendered.manifests)) : undefined
  })
  const added = groupsIn(next.manifests).filter((name) => earlier()?.has(name) === false && !groupsAdded.has(name))
  if (added.length + groupsAdded.size <= most) {
    for (const name of added) groupsAdded.set(name, time)
    return undefined
  }
  if (added.length === 0) return undefined
  const times = [...groupsAdded.values()].map((at) => at + HOUR)
  const [first = ''] = added
  return {
    sentence: `GroupsAdded: nodes add ${plural(added.length, 'group')}, such as ${first}, and ${groupsAdded.size} in the hour before; guards.maxGroupsAdded is ${most}. Look at the labels of the newest nodes; if the groups are wanted, accept them with nodefit sync ack, or raise it`,
    until: times.length === 0 ? undefined : Math.min(...times),
  }
}

/** The groups of rendered objects, with their policy's name. */
function groupsIn(manifests: readonly Item[]): string[] {
  return manifests.flatMap(({ object }) =>
    object.kind === 'DaemonSet' && markedGroup(object) !== undefined ? [object.metadata.name] : [],
  )
}
