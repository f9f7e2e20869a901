import type { Finding } from '../finding/index.ts'
import type { Fleet, Live } from '../inventory/index.ts'
import { identityOf } from '../krm/identity.ts'
import { isFieldsDocument, LEAVING, NEXT_CLAIM, ownerName } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isNodeSmithClaim } from '../policy/index.ts'
import type { Planned, Share, World } from '../world/index.ts'
import { binsOf } from './bins.ts'
import { inputFindings, isComplete } from './check-input.ts'
import { type Leaving, leavingOf } from './leaving.ts'
import { type Machine, machinesOf } from './machines.ts'
import { machineName, nextNumber } from './names.ts'
import { agentsOf, overheadOf } from './overhead.ts'
import { type Packing, pack } from './pack.ts'
import { groupOf, ineligibility, type WaitingPod, waitingPod } from './pods.ts'
import { byPriority, labelsOf, type Pool } from './pool.ts'
import { ResourceAxes } from './resources.ts'
import type { PoolSettings } from './settings.ts'
import { sizesOf } from './sizes.ts'

/** What the pools of one cluster decided together. */
export interface PoolsRun {
  readonly pools: readonly Pool[]
  readonly packing: Packing
  readonly leaving: ReadonlyMap<Pool, Leaving>
  /** By pool, the number of its next claim, after this run. */
  readonly next: ReadonlyMap<Pool, number>
  readonly axes: ResourceAxes
  readonly fleet: Fleet
  readonly live: Live
  /** The partial Nodes of Git, by node. */
  readonly documents: ReadonlyMap<string, KubernetesObject>
  readonly now: number
}

/**
 * Decides what the pools of a cluster need, all at once, since each pod is placed once. Returns no run where the input
 * does not show enough: then every claim stays as it is.
 */
export function runPools(
  all: readonly PoolSettings[],
  cluster: string | undefined,
  world: World,
  before: readonly Planned[],
): { readonly run?: PoolsRun; readonly findings: readonly Finding[] } {
  const { value: fleet, findings: fleetFindings } = world.fleet(cluster)
  if (fleet === undefined) return { findings: fleetFindings }
  const { value: live, findings: liveFindings } = world.live(cluster ?? fleet.cluster)
  if (live === undefined) return { findings: liveFindings }
  const claims = claimItems(all, world)
  const findings = inputFindings(all, { fleet, live, claims, world })
  const found = [...fleetFindings, ...liveFindings, ...findings]
  if (world.stops(found) || !isComplete(live) || world.now === undefined) return { findings }
  const now = world.now.getTime()
  const pending = live.pending ?? []
  const axes = new ResourceAxes(pending.flatMap(({ requests }) => Object.keys(requests)))
  const documents = nodeDocuments(world)
  const own = new Map(all.map((one) => [one, new Set(earlierClaims(one, world))]))
  const ours = (settings: PoolSettings) => own.get(settings) ?? new Set<Item>()
  const agents = agentsOf(world, before)
  const pools = [...all].sort(byPriority).map((settings, order): Pool => {
    const machines = machinesOf(settings, { fleet, live, claims, ours, axes, now })
    const labels = labelsOf(settings)
    const shown = machines.flatMap(({ node, state }) => (state === 'node' && node !== undefined ? [node.daemons] : []))
    const declared = axes.vector(settings.overhead, 'up')
    const overhead = overheadOf(agents, { labels, taints: settings.taints }, axes, { declared, shown })
    return { settings, order, labels, overhead, sizes: sizesOf(settings, axes, overhead), machines }
  })
  const names = [
    ...claims.map(({ object }) => object.metadata.name),
    ...(live.claims ?? []).map(({ name }) => name),
    ...fleet.shapes.flatMap(({ nodes }) => nodes),
  ]
  const first = new Map(
    pools.map((pool) => [pool, nextNumber(pool.settings, recordedNext(pool.settings, live, world), names)]),
  )
  const waiting = waitingPods(pending, pools, axes, now)
  const nameOf = (pool: Pool, index: number) => machineName(pool.settings, (first.get(pool) ?? 1) + index)
  const packing = pack(waiting, pools, binsOf(pools, reopenable(pools, documents), now), axes, nameOf)
  const gitMarks = new Map(
    [...documents].flatMap(([name, { metadata }]) => markOf(name, metadata.annotations?.[LEAVING])),
  )
  const opened = openedByOthers(before)
  const leaving = new Map(
    pools.map((pool) => {
      const lastActivity = livePool(pool.settings, live)?.lastScaleActivity?.getTime()
      return [pool, leavingOf(pool, { packing, gitMarks, now, isSeen: world.isSeen, opened, lastActivity })]
    }),
  )
  const next = new Map(pools.map((pool) => [pool, (first.get(pool) ?? 1) + (packing.opened.get(pool)?.length ?? 0)]))
  return { run: { pools, packing, leaving, next, axes, fleet, live, documents, now }, findings }
}

/** Returns the pods that may open machines; why the others may not is for views alone. */
function waitingPods(pending: NonNullable<Live['pending']>, pools: readonly Pool[], axes: ResourceAxes, now: number) {
  return pending.flatMap((like): WaitingPod[] => {
    const eligible = like.pods.filter((pod) => ineligibility(like, pod) === undefined)
    if (eligible.length === 0) return []
    const group = groupOf(like, pools, axes)
    return eligible.map((pod) => waitingPod(pod, group, now))
  })
}

/** Returns the claims that a policy rendered before, or released. */
export function earlierClaims(
  { subject, namespace }: Pick<PoolSettings, 'subject' | 'namespace'>,
  world: World,
): readonly Item[] {
  const owner = ownerName('PoolPolicy', subject.object.metadata.name)
  return world.earlier([owner], namespace).items.filter(({ object }) => isNodeSmithClaim(object))
}

/** Returns all claims of the package, a user's included, and those of earlier output that was given apart. */
function claimItems(all: readonly PoolSettings[], world: World): readonly Item[] {
  const here = world.items.filter(({ object }) => isNodeSmithClaim(object))
  const apart = all.flatMap((one) => earlierClaims(one, world)).filter((item) => !world.holds(item))
  return [...here, ...apart]
}

/** Returns the partial Nodes of Git by node: in the package, else in earlier output that was given apart. */
function nodeDocuments({ items, earlierOutput }: World): ReadonlyMap<string, KubernetesObject> {
  const documents = [...earlierOutput, ...items].filter(
    ({ object }) => object.kind === 'Node' && isFieldsDocument(object),
  )
  return new Map(documents.map(({ object }) => [object.metadata.name, object]))
}

function markOf(name: string, mark: unknown): Array<[string, string]> {
  return typeof mark === 'string' && !Number.isNaN(Date.parse(mark)) ? [[name, mark]] : []
}

/** Returns the marked nodes whose claim is still in Git, with the time of the mark: they can be opened again. */
function reopenable(
  pools: readonly Pool[],
  documents: ReadonlyMap<string, KubernetesObject>,
): ReadonlyMap<string, number> {
  const canStay = ({ claim, node }: Machine) => claim?.isOurs === true && node !== undefined
  const marks = pools.flatMap(({ machines }) =>
    machines.filter(canStay).flatMap(({ node }) => {
      const name = node?.name ?? ''
      const mark = documents.get(name)?.metadata.annotations?.[LEAVING] ?? node?.mark
      return markOf(name, mark).map(([key, text]) => [key, Date.parse(text)] as const)
    }),
  )
  return new Map(marks)
}

/** Returns the nodes that earlier planners uncordon: an action wins over the mark of a pool. */
function openedByOthers(before: readonly Planned[]): ReadonlySet<string> {
  const isOpen = ({ target, path, value }: Share) =>
    target.kind === 'Node' && path.join('.') === 'spec.unschedulable' && value === false
  return new Set(before.flatMap(({ shares }) => shares.filter(isOpen).map(({ target }) => target.name)))
}

function livePool({ name, namespace = '' }: PoolSettings, { pools = [] }: Live) {
  return pools.find((one) => one.name === name && one.namespace === namespace)
}

/** Returns the recorded number of the next claim: ours on the policy, as it is or was, or that of the live pool. */
function recordedNext(settings: PoolSettings, live: Live, { earlierOutput }: World): number {
  const { object } = settings.subject
  const before = earlierOutput.filter((item) => identityOf(item.object) === identityOf(object))
  const recorded = [object, ...before.map((item) => item.object)].map(({ metadata }) => {
    const text: unknown = metadata.annotations?.[NEXT_CLAIM]
    return typeof text === 'string' && /^[0-9]{1,15}$/.test(text) ? Number(text) : 1
  })
  return Math.max(...recorded, livePool(settings, live)?.nextClaimSequence ?? 1)
}
