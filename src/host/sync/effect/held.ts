import { once } from '../../../core/index.ts'
import { plural } from '../../../krm/finding/index.ts'
import { markedGroup } from '../../../krm/remembered.ts'
import type { Item } from '../../../krm/types.ts'
import type { DecisionInput } from './evaluation.ts'
import { findingsOf, guardOf, type Rendered } from './rendered.ts'

/** The guards that a loss of nodes can trip. */
const NODE_GUARDS = new Set(['maxNodesLost', 'maxShrinkPercent', 'maxGroupsRemoved'])
const HOUR = 3_600_000
/** What a cluster in the place of another finds of its output, once somebody has acknowledged that. */
const OTHER_CLUSTER = 'OutputOfOtherCluster'

/** Returns the codes that a commit accepts: those of the guards, and of output of the cluster before. */
export function acceptedCodes({ settled, replaces }: Pick<DecisionInput, 'settled' | 'replaces'>): readonly string[] {
  return [...(settled === undefined ? [] : ['GuardTripped']), ...(replaces === undefined ? [] : [OTHER_CLUSTER])]
}

/** What a guard holds: accepted, with the reason, or not yet, with the time of the next look. */
export type Held = { readonly settled: string } | { readonly until?: number }

/**
 * Whether what a guard holds is accepted: somebody acknowledged it, or it comes from nodes alone and their loss is
 * confirmed. `before` renders with the nodes of Git.
 */
export function heldBy(rendered: Rendered, before: () => Rendered, input: DecisionInput): Held {
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
export function groupFlood(
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
