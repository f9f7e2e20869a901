import { indexBy, memo, once, type Rendered, type World } from '../core/index.ts'
import { clusterShapes, isReadablePodSpec, memberNodes, podSpecOf, servedNodes } from '../core/object/index.ts'
import { type Fleet, type Shape, shapesThatMayMatch, sortedNodes } from '../facts/inventory/index.ts'
import { isLocalConfig } from '../krm/identity.ts'
import { rememberedNodes } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'
import { mayStart, type RunningAgents } from './agent-lots.ts'
import { podReplacement, runningIn } from './agent-stops.ts'
import type { Change, PlannedChanges, PodBefore, PodChange } from './change.ts'
import { placementKeys } from './change-findings.ts'

type Compared = Omit<PlannedChanges, 'pods' | 'unknownKeys'>

/**
 * Returns what runs on the nodes of each subject before and after. `orphans` are removed objects of subjects that are
 * gone: nodes move from them as from another subject's.
 */
export function podChangesOf(
  all: readonly Compared[],
  orphans: readonly Item[],
  world: World,
  fleets: readonly Fleet[],
): ReadonlyMap<Compared, readonly PodChange[]> {
  const running = memo((cluster: string | undefined) => runningIn(world, cluster))
  const bySource = indexBy(all, ({ source }) => source)
  return new Map(
    all.map((planned) => {
      if (planned.constraints === undefined || !planned.isEnabled) return [planned, []]
      const alike = (bySource.get(planned.source ?? planned.subject) ?? []).filter((one) => one !== planned)
      const left = orphans.filter(({ object }) => planned.looksLikeOutput?.(object) === true)
      const shapes = clusterShapes(fleets, planned.cluster)
      const cluster = planned.cluster ?? fleets[0]?.cluster
      return [
        planned,
        podChanges(
          planned,
          [...alike.flatMap(({ earlier }) => earlier), ...left],
          new Set([planned, ...alike].flatMap((one) => unknownKeysOf(one, fleets))),
          shapes,
          running(cluster),
        ),
      ]
    }),
  )
}

/**
 * Returns the label keys that earlier output of a subject selects nodes by and no inventory of its cluster exports, as
 * where the grouping and the inventory change together: nodes seem to lack the label, and which object served them is
 * not known.
 */
export function unknownKeysOf(
  { earlier, cluster }: Pick<Compared, 'earlier' | 'cluster'>,
  all: readonly Fleet[],
): string[] {
  const fleets = all.filter((fleet) => cluster === undefined || fleet.cluster === cluster)
  const keys = new Set(earlier.flatMap(({ object }) => placementKeys(object)))
  return [...keys].filter((key) => fleets.some((fleet) => !fleet.knows(key))).sort()
}

/**
 * Returns what runs before and after on every node of a subject: one entry for the nodes of one DaemonSet before and
 * one after. `siblings` are what others rendered from the same template earlier, since nodes move between them. The
 * template ran where it may, as far as the subject serves these nodes; not where anything was rendered from it before,
 * and not where its user keeps it back.
 */
function podChanges(
  planned: Compared,
  siblings: readonly Item[],
  unknownKeys: ReadonlySet<string>,
  shapes: readonly Shape[],
  running: RunningAgents | undefined,
): readonly PodChange[] {
  const isPlaceKnown = ({ object }: PodBefore) =>
    unknownKeys.size === 0 || !placementKeys(object).some((key) => unknownKeys.has(key))
  const present = nearShapes(shapes, podsBefore(planned, siblings).filter(isPlaceKnown), ({ pod }) => pod)
  const servers = new Map<string, Rendered>()
  for (const one of planned.objects) for (const node of one.nodes) servers.set(node, one)
  const objects = once(() => nearShapes(shapes, planned.objects, ({ object }) => podSpecOf(object)))
  const found = new PodChangeSums()
  for (const shape of shapes) {
    if (shape.nodeCount === 0) continue
    for (const { before, names, unnamed } of lotsBefore(shape, present.get(shape) ?? [])) {
      for (const [after, nodes] of byServer(names, servers)) found.add({ before, after, shape, nodes, running })
      if (unnamed === 0) continue
      const near = objects().get(shape) ?? []
      const after = near.find(({ object }) => memberNodes(podSpecOf(object), shape) === 'all')
      found.add({ before, after, shape, nodes: [], unnamed })
    }
  }
  return found.all()
}

/**
 * Divides nodes by what serves them, those of nothing last. Most often one object serves all nodes of a shape, and
 * 65,000 names are not copied.
 */
function byServer(
  names: readonly string[],
  servers: ReadonlyMap<string, Rendered>,
): Iterable<readonly [after: Rendered | undefined, nodes: readonly string[]]> {
  const [first] = names
  if (first === undefined) return []
  const server = servers.get(first)
  if (names.every((name) => servers.get(name) === server)) return [[server, names]]
  const left = names.filter((name) => !servers.has(name))
  const served = indexBy(names, (name) => servers.get(name))
  return left.length === 0 ? served : [...served, [undefined, left]]
}

/** Returns what ran before: what was rendered earlier from the template, else the template where it was applied. */
function podsBefore({ earlier, changes, source, constraints }: Compared, siblings: readonly Item[]) {
  const byItem = new Map(changes.map((change) => [change.before, change]))
  const rendered = [...earlier, ...siblings].flatMap((item): PodBefore[] => {
    const { object } = item
    const pod = podSpecOf(object)
    if (!isReadablePodSpec(pod)) return []
    const isOwn = earlier.includes(item)
    const hadNoNodes = rememberedNodes(object) === 0
    return [{ object, pod, isTemplate: false, isOwn, hadNoNodes, change: byItem.get(item) }]
  })
  if (rendered.length + earlier.length > 0) return rendered
  const pod = constraints?.pod
  const object = source?.object
  if (pod === undefined || object?.kind !== 'DaemonSet' || isLocalConfig(object.metadata.annotations)) return []
  return [{ object, pod, isTemplate: true, isOwn: true, hadNoNodes: false }]
}

/** Returns for each shape those of a list whose pods may match it, in their order. */
function nearShapes<One>(shapes: readonly Shape[], all: readonly One[], podOf: (one: One) => PodSpec) {
  const near = new Map<Shape, One[]>()
  for (const one of all)
    for (const shape of shapesThatMayMatch(shapes, podOf(one).nodeSelector ?? {})) {
      const known = near.get(shape)
      if (known === undefined) near.set(shape, [one])
      else known.push(one)
    }
  return near
}

interface LotBefore {
  readonly before?: PodBefore
  readonly names: readonly string[]
  readonly unnamed: number
}

/** Divides the nodes of a shape by what serves them before; of two DaemonSets on one node the first counts. */
function lotsBefore(shape: Shape, near: readonly PodBefore[]): LotBefore[] {
  const taken = new Set<string>()
  const lots: LotBefore[] = []
  const free = (names: readonly string[]) => (taken.size === 0 ? names : names.filter((name) => !taken.has(name)))
  const unnamed = shape.nodeCount - shape.nodes.length
  for (const before of near) {
    const served = servedNodes(before.pod, shape)
    if (served === 'all') return [...lots, { before, names: free(shape.nodes), unnamed }]
    const names = free(served)
    if (names.length > 0) lots.push({ before, names, unnamed: 0 })
    for (const name of names) taken.add(name)
  }
  return [...lots, { names: free(shape.nodes), unnamed }]
}

interface ServedLot {
  readonly before?: PodBefore
  readonly after?: Rendered
  readonly shape: Shape
  readonly nodes: readonly string[]
  /** How many nodes without names. */
  readonly unnamed?: number
  readonly running?: RunningAgents
}

/** Collects nodes by what runs there before and after. */
class PodChangeSums {
  readonly #lots = new Map<PodBefore | undefined, Map<Rendered | undefined, Map<string, PodChange[]>>>()

  add({ nodes, running, ...lot }: ServedLot): void {
    const { before, after, unnamed = 0 } = lot
    // nodes that the template serves and the subject does not are not the subject's
    if (after === undefined && (before === undefined || before.isTemplate || !before.isOwn)) return
    if (running === undefined || before === undefined || nodes.length === 0) {
      this.#put({ ...standingOf(lot), before, after, nodes, nodeCount: nodes.length + unnamed })
      return
    }
    for (const node of nodes) {
      const isShown = running(node, before.object)
      this.#put({ ...standingOf(lot, isShown), before, after, nodes: [node], nodeCount: 1 })
    }
  }

  #put(one: PodChange): void {
    const byAfter = this.#lots.get(one.before) ?? new Map<Rendered | undefined, Map<string, PodChange[]>>()
    this.#lots.set(one.before, byAfter)
    const byStanding = byAfter.get(one.after) ?? new Map<string, PodChange[]>()
    byAfter.set(one.after, byStanding)
    const key = [one.runsBefore, one.runsAfter, one.mayStay].join()
    const known = byStanding.get(key)
    if (known === undefined) byStanding.set(key, [one])
    else known.push(one)
  }

  all(): PodChange[] {
    const lists = [...this.#lots.values()].flatMap((byAfter) =>
      [...byAfter.values()].flatMap((one) => [...one.values()]),
    )
    return lists.flatMap((lots) => {
      const [first] = lots
      if (first === undefined) return []
      const { before, after, runsBefore, runsAfter, mayStay } = first
      const merged = sortedNodes(lots)
      return [
        {
          ...{ before, after, runsBefore, runsAfter, mayStay },
          first: merged.first,
          nodeCount: merged.nodeCount,
          get nodes() {
            return merged.nodes
          },
        },
      ]
    })
  }
}

/** Returns whether pods run on nodes of a shape; `isShown` is what a WorkloadSnapshot shows of the pod before. */
function standingOf({ before, after, shape }: ServedLot | Omit<ServedLot, 'nodes'>, isShown?: boolean) {
  const runsBefore = before !== undefined && (isShown ?? mayStart(before.pod, shape))
  const starts = after !== undefined && mayStart(podSpecOf(after.object), shape)
  const isKept = () => after !== undefined && before?.change !== undefined && keepsPod(before.change, after)
  const runsAfter = starts || (runsBefore && isKept())
  return { runsBefore, runsAfter, mayStay: after !== undefined && !runsAfter && !runsBefore && isShown === undefined }
}

/** Whether a pod that runs is still that of the object that serves its node after, until somebody deletes it. */
function keepsPod(change: Change, { object }: Rendered): boolean {
  if (change.after?.object.metadata.name !== object.metadata.name) return false
  const replaced = podReplacement(change)
  return replaced === undefined || replaced === 'onDelete'
}
