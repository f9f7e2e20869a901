import type { Fleet, Shape } from '../inventory/index.ts'
import { LOCAL_CONFIG } from '../krm/annotation.ts'
import { rememberedNodes } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import {
  daemonTolerations,
  KubeError,
  type PodSpec,
  podRequests,
  Quantity,
  withDefaultRequests,
} from '../kube/index.ts'
import { clusterShapes, isReadablePodSpec, lastingTaint, podSpecOf, servedNodes } from '../object/index.ts'
import type { Rendered } from '../world/index.ts'
import type { PlannedChanges } from './change.ts'

/** What pods request. */
interface Requests {
  readonly cpu: Quantity
  readonly memory: Quantity
}

/** The requests of the pods on some nodes, before and after. */
export interface Growth {
  readonly nodeCount: number
  readonly before: Requests
  readonly after: Requests
}

/** The same of the nodes that one rendered object serves now. */
export interface GroupGrowth extends Growth {
  readonly name: string
}

const RESOURCES = ['cpu', 'memory'] as const
/** A total of more than 5/4 of what it was is a finding. */
const LIMIT = { numerator: 5n, denominator: 4n }

/**
 * Returns what the pods of a subject request before and after on the same nodes, where cpu or memory grows by more than
 * a quarter, and the groups that add most to that, those first. A node counts if a pod ran there: of an earlier object
 * that had nodes when it was written, else of the template where its pods may start. Undefined where nothing grows, and
 * where what ran before is not known.
 */
export function growthOf(
  planned: PlannedChanges,
  fleets: readonly Fleet[],
): { total: Growth; groups: readonly GroupGrowth[] } | undefined {
  const { changes, constraints, objects, cluster } = planned
  if (constraints === undefined || changes.every(({ kind }) => kind === 'unchanged')) return undefined
  const present = podsBefore(planned)
  const requests = requestsReader()
  const counts = countPairs(present, objects, clusterShapes(fleets, cluster))
  const grown: GroupGrowth[] = []
  for (const [{ object }, byServer] of counts) {
    const after = requests(podSpecOf(object))
    for (const [{ pod }, nodeCount] of byServer) {
      const before = requests(pod)
      if (before === undefined || after === undefined) return undefined
      const times = (one: Requests) => timesNodes(one, nodeCount)
      grown.push({ name: object.metadata.name, nodeCount, before: times(before), after: times(after) })
    }
  }
  const total = grown.reduce<Growth>(plus, NOTHING)
  if (!RESOURCES.some((resource) => isMore(total, resource))) return undefined
  const byName = new Map<string, GroupGrowth>()
  for (const { name, ...one } of grown) byName.set(name, { name, ...plus(byName.get(name) ?? NOTHING, one) })
  const groups = [...byName.values()].filter((one) => weightOf(one, total) > 0)
  return { total, groups: groups.sort((a, b) => weightOf(b, total) - weightOf(a, total) || (a.name < b.name ? -1 : 1)) }
}

/** The pods of an object before the run, and the nodes of a shape that they run on. */
interface Present {
  readonly pod: PodSpec
  runsOn(shape: Shape): 'all' | readonly string[]
}

/** Returns what ran before: earlier objects that had nodes, else the template where it was applied itself. */
function podsBefore({ earlier, source, constraints }: PlannedChanges): Present[] {
  if (earlier.length > 0)
    return earlier
      .filter(({ object }) => rememberedNodes(object) !== 0)
      .map(({ object }) => podSpecOf(object))
      .filter(isReadablePodSpec)
      .map((pod) => ({ pod, runsOn: (shape) => servedNodes(pod, shape) }))
  const pod = constraints?.pod
  if (pod === undefined || source?.object.kind !== 'DaemonSet' || isKeptBack(source.object)) return []
  const tolerations = daemonTolerations(pod)
  const isClosed = (shape: Shape) => lastingTaint(shape, tolerations, 'NoSchedule') !== undefined
  return [{ pod, runsOn: (shape) => (isClosed(shape) ? [] : servedNodes(pod, shape)) }]
}

function isKeptBack({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[LOCAL_CONFIG] === 'true'
}

/** Counts the nodes that each rendered object serves now, by what ran there before. */
function countPairs(
  present: readonly Present[],
  objects: readonly Rendered[],
  shapes: readonly Shape[],
): Map<Rendered, Map<Present, number>> {
  const servers = new Map(objects.flatMap((one) => one.nodes.map((node) => [node, one] as const)))
  const counts = new Map<Rendered, Map<Present, number>>()
  const add = (after: Rendered | undefined, before: Present, nodes: number) => {
    if (after === undefined || nodes === 0) return
    const ofObject = counts.get(after) ?? new Map<Present, number>()
    counts.set(after, ofObject.set(before, (ofObject.get(before) ?? 0) + nodes))
  }
  for (const shape of shapes) {
    if (shape.nodeCount === 0) continue
    const served = new Set<string>()
    for (const before of present) {
      const runs = before.runsOn(shape)
      const names = runs === 'all' ? shape.nodes : runs
      for (const name of names) {
        // of two earlier objects on one node the first counts
        if (served.has(name)) continue
        served.add(name)
        add(servers.get(name), before, 1)
      }
      const unnamed = runs === 'all' ? shape.nodeCount - shape.nodes.length : 0
      if (unnamed > 0)
        add(
          objects.find(({ object }) => servedNodes(podSpecOf(object), shape) === 'all'),
          before,
          unnamed,
        )
      if (runs === 'all') break
    }
  }
  return counts
}

/** Reads the requests of pods, each once; undefined for amounts that a user made unreadable. */
function requestsReader(): (pod: PodSpec) => Requests | undefined {
  const known = new Map<PodSpec, Requests | undefined>()
  return (pod) => {
    if (!known.has(pod)) known.set(pod, requestsOf(pod))
    return known.get(pod)
  }
}

function requestsOf(pod: PodSpec): Requests | undefined {
  try {
    const { cpu = ZERO, memory = ZERO } = podRequests(withDefaultRequests(pod))
    return { cpu, memory }
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

const ZERO = Quantity.of(0n, 'DecimalSI')
const NOTHING: Growth = { nodeCount: 0, before: { cpu: ZERO, memory: ZERO }, after: { cpu: ZERO, memory: ZERO } }

function timesNodes({ cpu, memory }: Requests, nodes: number): Requests {
  return { cpu: cpu.times(BigInt(nodes)), memory: memory.times(BigInt(nodes)) }
}

function plus(left: Growth, right: Growth): Growth {
  const sum = (a: Requests, b: Requests) => ({ cpu: a.cpu.plus(b.cpu), memory: a.memory.plus(b.memory) })
  return {
    nodeCount: left.nodeCount + right.nodeCount,
    before: sum(left.before, right.before),
    after: sum(left.after, right.after),
  }
}

/** Whether a resource grows by more than a quarter. */
export function isMore({ before, after }: Growth, resource: keyof Requests): boolean {
  return after[resource].nanoValue() * LIMIT.denominator > before[resource].nanoValue() * LIMIT.numerator
}

/** The part of what the fleet's pods requested before that a group adds, of cpu and memory together. */
function weightOf(group: Growth, total: Growth): number {
  const parts = RESOURCES.map((resource) => {
    const was = Number(total.before[resource].nanoValue())
    const more = Number(group.after[resource].nanoValue() - group.before[resource].nanoValue())
    return was === 0 ? Number(more > 0) : more / was
  })
  return parts.reduce((sum, part) => sum + part, 0)
}
