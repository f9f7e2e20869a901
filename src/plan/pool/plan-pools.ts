import { type Facts, indexBy, type Planned, type Share, type World } from '../../core/index.ts'
import type { Fleet, Live } from '../../facts/inventory/index.ts'
import { isNodeSmithClaim } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import { isFieldsDocument, LEAVING } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { binsOf } from './bins.ts'
import { inputFindings, isComplete } from './check-input.ts'
import { leavingOf } from './leaving.ts'
import { type Machine, machinesOf } from './machines.ts'
import { highestNumbers, machineName, namelessMachine, nextNumber } from './output.ts'
import { outputOf } from './outputs.ts'
import { agentsOf, overheadOf } from './overhead.ts'
import { pack } from './pack.ts'
import { groupsOf, ineligibility, type WaitingPod, waitingPod } from './pods.ts'
import { byPriority, labelsOf, type Pool } from './pool.ts'
import { earlierOf, recordedNumber, recordedOf } from './record.ts'
import { ResourceAxes } from './resources.ts'
import type { PoolsRun } from './run.ts'
import type { PoolSettings } from './settings.ts'
import { sizesOf } from './sizes.ts'

/** What the pools of a cluster come to. Without a run every claim stays as it is. */
export interface Decided {
  readonly run?: PoolsRun
  /** What it was decided from. */
  readonly facts: Facts
  readonly findings: readonly Finding[]
  /** Whether an error of the input is why there is no run: it is said, and stops the whole. */
  readonly isStopped?: boolean
}

/**
 * Decides what the pools of a cluster need, all at once, since each pod is placed once. Returns no run where the input
 * does not show enough.
 */
export function runPools(
  all: readonly PoolSettings[],
  cluster: string | undefined,
  world: World,
  before: readonly Planned[],
): Decided {
  const nodes = world.fleet(cluster)
  const { value: fleet } = nodes
  if (fleet === undefined)
    return { facts: { fleets: [nodes] }, findings: nodes.findings, isStopped: world.stops(nodes.findings) }
  const seen = world.live(cluster ?? fleet.cluster)
  const { value: live } = seen
  const facts = { fleets: [nodes], lives: [seen] }
  if (live === undefined) return { facts, findings: seen.findings, isStopped: world.stops(seen.findings) }
  // what an inventory or a snapshot lacks may follow from its error
  const isStopped = world.stops([...nodes.findings, ...seen.findings])
  if (isStopped && !isComplete(all, live)) return { facts, findings: [], isStopped }
  const claims = claimItems(all, world)
  const byPool = claimsByPool(claims, live)
  const findings = inputFindings(all, { fleet, live, claims, liveClaims: byPool.inCluster, world })
  if (isStopped || world.stops(findings)) return { facts, findings, isStopped: true }
  if (!isComplete(all, live) || world.now === undefined) return { facts, findings }
  const now = world.now.getTime()
  const pending = live.pending ?? []
  const axes = new ResourceAxes(pending.flatMap(({ requests }) => Object.keys(requests)))
  const documents = nodeDocuments(world)
  const own = new Map(all.map((one) => [one, new Set(earlierOf(one, world))]))
  const ours = (settings: PoolSettings) => own.get(settings) ?? new Set<Item>()
  const agents = agentsOf(world, before)
  const pools = [...all].sort(byPriority).map((settings, order): Pool => {
    const nodes = namesWithLabel(settings, fleet)
    const asked = outputOf(settings).claims({
      ...{ settings, live, own: ours(settings), world, nodes, now },
      claims: byPool.inGit(settings),
      liveClaims: byPool.inCluster(settings),
    })
    const machines = machinesOf(settings, { fleet, live, claims: asked, axes, now })
    const labels = labelsOf(settings)
    const shown = machines.flatMap(({ node, state }) => (state === 'node' && node !== undefined ? [node.daemons] : []))
    const declared = axes.vector(settings.overhead, 'up')
    const overhead = overheadOf(agents, { labels, taints: settings.taints }, axes, { declared, shown })
    const remembersPods = world.isSeen && outputOf(settings).remembersPods
    const allocatable = machines.flatMap(({ node }) => (node === undefined ? [] : [node.allocatable]))
    const sizes = sizesOf(settings, axes, overhead, allocatable)
    return { settings, order, labels, overhead, sizes, machines, remembersPods }
  })
  const highest = highestNumbers([
    ...claims.map(({ object }) => object.metadata.name),
    // the number of a machine that is another object than a claim, too, where its policy lost the counter
    ...[...own.values()].flatMap((items) => [...items].map(({ object }) => object.metadata.name)),
    ...(live.claims ?? []).map(({ name }) => name),
    ...fleet.shapes.flatMap(({ nodes }) => nodes),
  ])
  const first = new Map(
    pools.map((pool) => [pool, nextNumber(pool.settings, recordedNext(pool.settings, live, world), highest)]),
  )
  const waiting = waitingPods(pending, pools, axes, now)
  const nameOf = (pool: Pool, index: number) =>
    outputOf(pool.settings).remembersPods
      ? machineName(pool.settings, (first.get(pool) ?? 1) + index)
      : namelessMachine(pool.settings, index + 1, 'to add')
  const gitMarks = new Map([
    ...[...documents].flatMap(([name, { metadata }]) => markOf(name, metadata.annotations?.[LEAVING])),
    ...pools.flatMap(({ machines }) =>
      machines.flatMap(({ node, claim }) => (node === undefined ? [] : markOf(node.name, claim?.mark?.git))),
    ),
  ])
  const packing = pack(waiting, pools, binsOf(pools, reopenable(pools, gitMarks), now), axes, nameOf)
  const opened = openedByOthers(before)
  const leaving = new Map(
    pools.map((pool) => {
      const lastActivity = livePool(pool.settings, live)?.lastScaleActivity?.getTime()
      return [pool, leavingOf(pool, { packing, gitMarks, now, isSeen: world.isSeen, opened, lastActivity })]
    }),
  )
  const next = new Map(pools.map((pool) => [pool, (first.get(pool) ?? 1) + (packing.opened.get(pool)?.length ?? 0)]))
  return { run: { pools, packing, leaving, next, axes, fleet, live, documents, now }, facts, findings }
}

/** Returns the pods that may open machines; why the others may not is for views alone. */
function waitingPods(pending: NonNullable<Live['pending']>, pools: readonly Pool[], axes: ResourceAxes, now: number) {
  const groupOf = groupsOf(pools, axes)
  return pending.flatMap((like): WaitingPod[] => {
    const eligible = like.pods.filter((pod) => ineligibility(like, pod) === undefined)
    if (eligible.length === 0) return []
    const group = groupOf(like)
    return eligible.map((pod) => waitingPod(pod, group, now))
  })
}

/** Returns all claims of the package, a user's included, and those of earlier output that was given apart. */
function claimItems(all: readonly PoolSettings[], world: World): readonly Item[] {
  const here = world.items.filter(({ object }) => isNodeSmithClaim(object))
  const apart = all
    .flatMap((one) => earlierOf(one, world))
    .filter((item) => isNodeSmithClaim(item.object) && !world.holds(item))
  return [...here, ...apart]
}

/** Returns the claims of each pool, in Git and in the cluster. */
function claimsByPool(claims: readonly Item[], { claims: live = [] }: Live) {
  const keyOf = (namespace: string, pool: unknown) => (typeof pool === 'string' ? `${namespace}/${pool}` : undefined)
  const inGit = indexBy(claims, ({ object: { metadata, spec } }) =>
    keyOf(metadata.namespace ?? '', memberOf(spec, 'poolRef')),
  )
  const inCluster = indexBy(live, ({ namespace, poolRef }) => keyOf(namespace, poolRef))
  return {
    inGit: ({ namespace = '', name }: PoolSettings) => inGit.get(`${namespace}/${name}`) ?? [],
    inCluster: ({ namespace = '', name }: PoolSettings) => inCluster.get(`${namespace}/${name}`) ?? [],
  }
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
function reopenable(pools: readonly Pool[], gitMarks: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const canStay = ({ claim, node }: Machine) => claim?.isOurs === true && node !== undefined
  const marks = pools.flatMap(({ machines }) =>
    machines.filter(canStay).flatMap(({ node }) => {
      const name = node?.name ?? ''
      const mark = gitMarks.get(name) ?? node?.mark
      return markOf(name, mark).map(([key, text]) => [key, Date.parse(text)] as const)
    }),
  )
  return new Map(marks)
}

function namesWithLabel({ labelKey, name }: PoolSettings, { shapes }: Fleet): readonly string[] {
  return shapes.flatMap(({ labels, nodes }) => (labels[labelKey] === name ? nodes : []))
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
function recordedNext(settings: PoolSettings, live: Live, world: World): number {
  const numbers = recordedOf(settings, world).flatMap((text) => recordedNumber(text) ?? [])
  return Math.max(1, ...numbers, livePool(settings, live)?.nextClaimSequence ?? 1)
}
