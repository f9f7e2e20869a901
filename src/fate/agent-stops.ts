import { indexBy, once, type World } from '../core/index.ts'
import {
  clusterShapes,
  imagesOf,
  isReadablePodSpec,
  keepOptionOf,
  podSpecOf,
  releaseWaves,
  rememberedCluster,
  SYNC_WAVE,
  surgeBlocker,
  waveOf,
} from '../core/object/index.ts'
import { type Fleet, type Nodes, type Shape, shapesThatMayMatch, sortedNodes } from '../facts/inventory/index.ts'
import { isWorkloadSnapshot } from '../kinds/index.ts'
import { isError } from '../krm/finding.ts'
import { isLocalConfig } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import { ownerName, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'
import { lotsOf, type Runner, type RunningAgents, runningAgents, type StopKind, stopOf } from './agent-lots.ts'
import type { AgentStop, Change, PlannedChanges } from './change.ts'

/** What agent stops are computed from, besides the planned changes. */
interface StopsInput {
  readonly world: World
  /** The fleets that subjects were planned from. */
  readonly fleets: readonly Fleet[]
  /** The changes of objects that no subject claims. */
  readonly orphaned: readonly Change[]
  /** Returns the item after the run. */
  current(item: Item): Item
  /** Whether an item was kept back before, as earlier output that was given separately shows. */
  isRetiredBefore(item: Item): boolean
}

/**
 * Returns on which nodes a run stops agents, for each subject: the DaemonSet controller deletes the pods of a removed
 * object, those on nodes that an object no longer selects, and by a rolling update those of a changed template, also
 * where a NoSchedule taint keeps the new pod away (`NodeShouldRunDaemonPod`, `rollingUpdate`). Subjects of one template
 * are looked at together, since a node may move between them. A node has an agent today if a pod may stay there, unless
 * a WorkloadSnapshot shows that none runs.
 */
export function agentStops(
  planned: readonly PlannedChanges[],
  input: StopsInput,
): ReadonlyMap<PlannedChanges, readonly AgentStop[]> {
  const stops = new Map<PlannedChanges, AgentStop[]>()
  const around = aroundOf(input)
  for (const [source, all] of indexBy(planned, ({ source: item, subject }) => item ?? subject)) {
    const unplanned = unplannedSubjects(source, all, input.world)
    const runners = [
      ...runnersOf(source, all, input, around),
      ...outputOf(unplanned, input.world).map((item): Runner => ({ by: all[0] as PlannedChanges, ...unchanged(item) })),
    ]
    if (runners.every(({ before, after, restart }) => before === after && restart === undefined)) continue
    const clusters = new Set(all.flatMap(({ cluster }) => cluster ?? []))
    for (const cluster of clusters.size === 0 ? [undefined] : clusters) {
      const here = runners.filter(({ by }) => by.cluster === undefined || by.cluster === cluster)
      const fleets = fleetsFor(all, input)
      const running = runningIn(input.world, cluster ?? fleets[0]?.cluster)
      for (const [by, stop] of stopsIn(clusterShapes(fleets, cluster), here, running, unplanned))
        stops.set(by, [...(stops.get(by) ?? []), stop])
    }
  }
  return stops
}

/** What a package has besides what is planned: read once, since there may be thousands of templates. */
interface Around {
  /** DaemonSets that nodefit does not render and that are applied after the run, by their images. */
  readonly daemonSets: () => ReadonlyMap<string, readonly Item[]>
}

function aroundOf({ world, current }: StopsInput): Around {
  const isApplied = (item: Item) =>
    item.object.kind === 'DaemonSet' &&
    !isOutput(item.object) &&
    !isLocalConfig(current(item).object.metadata.annotations)
  return { daemonSets: once(() => indexBy(world.items.filter(isApplied), ({ object }) => imagesOf(object))) }
}

/**
 * Returns the fleets of the run. Where no enabled subject was planned from any, that of the cluster where the output
 * was, as far as it can be read: the way back must not depend on its errors.
 */
function fleetsFor(all: readonly PlannedChanges[], { world, fleets }: StopsInput): readonly Fleet[] {
  if (all.some(({ isEnabled }) => isEnabled)) return fleets
  const [cluster] = all.flatMap(({ earlier }) => earlier.flatMap(({ object }) => rememberedCluster(object) ?? []))
  const { value, findings } = world.fleet(cluster)
  return value === undefined || findings.some(isError) ? [] : [value]
}

/** Returns the lookup of what WorkloadSnapshots show to run in a cluster; undefined where none records DaemonSets. */
export function runningIn(world: World, cluster: string | undefined): RunningAgents | undefined {
  const isShown = world.items.some(
    ({ object }) => isWorkloadSnapshot(object) && Array.isArray(memberOf(object.spec, 'daemonSets')),
  )
  return isShown ? runningAgents(world.live(cluster).value?.nodes) : undefined
}

function isOutput(object: KubernetesObject): boolean {
  return rendererOf(object) !== undefined
}

function runnersOf(source: Item, all: readonly PlannedChanges[], input: StopsInput, around: Around): Runner[] {
  const [by] = [...all.filter(({ isEnabled }) => isEnabled), ...all]
  if (by === undefined) return []
  const orphans = input.orphaned.filter(({ before }) =>
    all.some(({ looksLikeOutput }) => before !== undefined && looksLikeOutput?.(before.object) === true),
  )
  const own = [
    ...all.flatMap((one) => one.changes.flatMap((change) => runnerOf(change, one))),
    ...orphans.flatMap((change) => runnerOf(change, by)),
    ...staticRunner(source, by, input),
  ]
  return withWaves([...own, ...otherRunners(source, by, own, around)])
}

/**
 * Returns DaemonSets of the package that nodefit does not render and that run the same images, such as the one that a
 * chart has again on the way back. The input does not show whether they are applied already: they run after.
 */
function otherRunners(source: Item, by: PlannedChanges, own: readonly Runner[], { daemonSets }: Around): Runner[] {
  const images = new Set(own.flatMap(({ object }) => imagesOf(object) ?? []))
  const alike = [...images].flatMap((image) => daemonSets().get(image) ?? []).filter((item) => item !== source)
  return alike.map((item) => ({ by, object: item.object, after: podOf(item) }))
}

/** Adds the sync waves in which Argo CD has each DaemonSet give up nodes, and start pods. */
function withWaves(runners: readonly Runner[]): Runner[] {
  const was = runners.flatMap(({ before, object, change }) =>
    before === undefined ? [] : [change?.before?.object ?? object],
  )
  const is = runners.flatMap(({ after, object }) => (after === undefined ? [] : [object]))
  if (![...was, ...is].some(({ metadata }) => metadata.annotations?.[SYNC_WAVE] !== undefined)) return [...runners]
  const releases = releaseWaves(was, is)
  return runners.map((runner) => {
    const { object } = runner
    return { ...runner, waves: { release: releases.get(object.metadata.name) ?? 0, start: waveOf(object) } }
  })
}

function runnerOf(change: Change, by: PlannedChanges): Runner[] {
  const { kind, before, after, isNeverApplied, isShared } = change
  const object = (after ?? before)?.object
  if (object?.kind !== 'DaemonSet' || isNeverApplied === true || isShared === true) return []
  const pod = podOf(before)
  const isSame = kind === 'unchanged' || kind === 'released'
  return [{ change, by, object, before: pod, after: isSame ? pod : podOf(after), restart: podReplacement(change) }]
}

/** Returns the template itself, where it is a DaemonSet that is applied before the run, after it, or both. */
function staticRunner(source: Item, by: PlannedChanges, { current, isRetiredBefore }: StopsInput): Runner[] {
  const { object } = source
  if (object.kind !== 'DaemonSet') return []
  const wasApplied = !isLocalConfig(object.metadata.annotations) && !isRetiredBefore(source)
  const isApplied = !isLocalConfig(current(source).object.metadata.annotations)
  const stays = isApplied || (wasApplied && keepOptionOf(object.metadata) !== undefined)
  const pod = podOf(source)
  return [{ by, object, before: wasApplied ? pod : undefined, after: stays ? pod : undefined }]
}

/** The sides of a DaemonSet that the run leaves as it is. */
function unchanged(item: Item): Pick<Runner, 'object' | 'before' | 'after'> {
  const pod = podOf(item)
  return { object: item.object, before: pod, after: pod }
}

/** Returns the pod of a DaemonSet; undefined where a user's edit made it unreadable. */
function podOf(item: Item | undefined): PodSpec | undefined {
  const pod = item && podSpecOf(item.object)
  return pod !== undefined && isReadablePodSpec(pod) ? pod : undefined
}

const POD_TEMPLATE = /^spec\.template(?:\.|$)/

/**
 * Returns how the pods of a changed object are replaced; undefined where its pod template stays. After OnDelete, pods
 * may still be of an earlier template, which a rolling update replaces.
 */
export function podReplacement({ kind, fields, before, after }: Change): Runner['restart'] {
  const wasOnDelete = memberOf(memberOf(before?.object.spec, 'updateStrategy'), 'type') === 'OnDelete'
  const isReplaced = ({ path }: { path: string }) =>
    POD_TEMPLATE.test(path) || (wasOnDelete && path.startsWith('spec.updateStrategy'))
  if (kind !== 'changed' || !fields.some(isReplaced)) return undefined
  const strategy = memberOf(after?.object.spec, 'updateStrategy')
  if (memberOf(strategy, 'type') === 'OnDelete') return 'onDelete'
  // the old pod stays until somebody deletes it: the new one waits for what it holds
  if (before !== undefined && after !== undefined && surgeBlocker(after.object, before.object) !== undefined)
    return 'onDelete'
  const surge = memberOf(memberOf(strategy, 'rollingUpdate'), 'maxSurge') ?? 0
  return surge === 0 || surge === '0%' ? 'oneStart' : 'surge'
}

/** Returns the stops on the nodes of some shapes, those of one kind as one, each with its subject. */
function stopsIn(
  shapes: readonly Shape[],
  runners: readonly Runner[],
  running: RunningAgents | undefined,
  unplanned: readonly Item[],
): Array<readonly [by: PlannedChanges, stop: AgentStop]> {
  const leftOut = unplanned.map(({ object }) => object.metadata.name).sort()
  const near = runnersNear(shapes, runners)
  const found = new Map<string, { runner: Runner; kind: StopKind; lots: Nodes[] }>()
  for (const shape of shapes)
    for (const lot of lotsOf(shape, near.get(shape) ?? [], running)) {
      const stop = stopOf(lot, shape)
      if (stop === undefined) continue
      const { cause, length, isShown, reason = '' } = stop.kind
      const key = [runners.indexOf(stop.runner), cause, length, isShown, reason].join(' ')
      const known = found.get(key)
      if (known === undefined) found.set(key, { ...stop, lots: [lot] })
      else known.lots.push(lot)
    }
  return [...found.values()].map(({ runner, kind, lots }) => {
    const all = sortedNodes(lots)
    const stop: AgentStop = {
      ...kind,
      ...(kind.cause === 'removal' && leftOut.length > 0 ? { leftOut } : {}),
      change: runner.change,
      first: all.first,
      nodeCount: all.nodeCount,
      get nodes() {
        return all.nodes
      },
    }
    return [runner.by, stop] as const
  })
}

/** Returns for each shape the DaemonSets that may select it, before or after. */
function runnersNear(shapes: readonly Shape[], runners: readonly Runner[]): ReadonlyMap<Shape, readonly Runner[]> {
  const near = new Map<Shape, Runner[]>()
  for (const runner of runners)
    for (const pod of new Set([runner.before, runner.after])) {
      for (const shape of pod === undefined ? [] : shapesThatMayMatch(shapes, pod.nodeSelector ?? {})) {
        const known = near.get(shape)
        if (known === undefined) near.set(shape, [runner])
        else if (known.at(-1) !== runner) known.push(runner)
      }
    }
  return near
}

/** Returns the enabled subjects of a source that a run for one subject does not plan. */
function unplannedSubjects(
  source: Item,
  planned: readonly PlannedChanges[],
  { items, plansAllSubjects }: Pick<World, 'items' | 'plansAllSubjects'>,
): Item[] {
  const [first] = planned
  if (plansAllSubjects || first === undefined) return []
  const { apiVersion, kind } = first.subject.object
  const names = new Set(planned.map(({ subject }) => subject.object.metadata.name))
  return items.filter(({ object }) => {
    const isOther = object.kind === kind && object.apiVersion === apiVersion && !names.has(object.metadata.name)
    const target = memberOf(memberOf(object.spec, 'targetRef'), 'name')
    return isOther && target === source.object.metadata.name && memberOf(object.spec, 'enabled') !== false
  })
}

/** Returns the DaemonSets that such subjects rendered before, which the run leaves as they are. */
function outputOf(subjects: readonly Item[], { ownedBy }: Pick<World, 'ownedBy'>): Item[] {
  const owned = subjects.flatMap(({ object: { kind, metadata } }) => ownedBy(ownerName(kind, metadata.name)))
  return owned.filter(({ object }) => object.kind === 'DaemonSet')
}
