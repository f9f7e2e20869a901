import { indexBy, memo, once, type Planned, type Rendered, type World } from '../../core/index.ts'
import { lastingTaint, podSpecOf } from '../../core/object/index.ts'
import {
  type DaemonPod,
  type Fleet,
  isCounted,
  isDeclared,
  type LiveNode,
  type Nodes,
  namedNodes,
  type Shape,
} from '../../facts/inventory/index.ts'
import { isWorkloadSnapshot } from '../../kinds/index.ts'
import { listNames } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { daemonTolerations, Quantity, type ResourceQuantities, units } from '../../kube/index.ts'
import { isServed } from '../place.ts'
import { type Agent, mostOf } from './agents.ts'
import { lacking } from './shortages.ts'

const NO_NEIGHBOURS: readonly Agent[] = []

/**
 * Returns the agents that share a node, or, for nodes without names, each node of their shape; empty for a single
 * agent.
 */
export type Neighbours = (shape: Shape, node?: string) => readonly Agent[]

/**
 * Looks up which agents take room on a node; one that is too large for the node itself stays pending and takes none.
 * Nodes of one shape with the same agents share one list.
 */
export function neighboursIn(agents: readonly Agent[], lotsOf: (agent: Agent) => readonly Lot[]): Neighbours {
  const numbers = new Map<Shape, Map<string | undefined, number[]>>()
  for (const [number, agent] of agents.entries())
    for (const { shape, nodes } of lotsOf(agent)) {
      const own = numbers.get(shape) ?? new Map<string | undefined, number[]>()
      numbers.set(shape, own)
      for (const node of nodes.length === 0 ? [undefined] : nodes) {
        const known = own.get(node)
        if (known === undefined) own.set(node, [number])
        else known.push(number)
      }
    }
  const places = new Map(
    [...numbers].map(([shape, own]) => {
      const listOf = memo((key: string) => {
        const all = key.split(' ').flatMap((number) => agents[Number(number)] ?? [])
        return all.filter(({ pod }) => lacking(pod, shape.allocatable).length === 0)
      })
      const shared = [...own].filter(([, some]) => some.length > 1)
      return [shape, new Map(shared.map(([node, some]) => [node, listOf(some.join(' '))]))] as const
    }),
  )
  return (shape, node) => places.get(shape)?.get(node) ?? NO_NEIGHBOURS
}

/** Combines the largest agents of all subjects into one pod that requests their sum. */
export function allTogether(agents: readonly Agent[]): { requests: Record<string, Quantity>; subjects: number } {
  const bySubject = new Map<Planned, Array<Record<string, Quantity>>>()
  for (const { planned, pod } of agents) bySubject.set(planned, [...(bySubject.get(planned) ?? []), pod.requests])
  const requests: Record<string, Quantity> = { pods: Quantity.of(BigInt(bySubject.size), 'DecimalSI') }
  for (const own of bySubject.values())
    for (const [name, amount] of Object.entries(own.reduce(mostOf)))
      requests[name] = requests[name]?.plus(amount) ?? amount
  return { requests, subjects: bySubject.size }
}

/** The agents that take their room on a node before those of a subject, with the sum of their requests. */
export interface Before {
  /** The names of their subjects, in the order of the plan. */
  readonly names: readonly string[]
  /** How many of the names come before this subject. */
  readonly count: number
  /** The first names in alphabetical order, as many as a message shows. */
  readonly first: readonly string[]
  readonly requests: ReadonlyMap<string, Quantity>
}

const SAID = 3
const ONE = Quantity.of(1n, 'DecimalSI')
const NOBODY: Before = { names: [], count: 0, first: [], requests: new Map() }

/**
 * Looks up which subjects take their room before another, in the order of the plan. One pass over a list of agents
 * answers for all of its subjects.
 */
export function beforeIn(): (all: readonly Agent[], planned: Planned) => Before {
  const walked = memo(walk)
  return (all, planned) => walked(all).get(planned) ?? NOBODY
}

function walk(all: readonly Agent[]): ReadonlyMap<Planned, Before> {
  const found = new Map<Planned, Before>()
  const names = new Set<string>()
  const listed: string[] = []
  const requests = new Map<string, Quantity>()
  let first: string[] = []
  for (const { planned, pod } of all) {
    const { name } = planned.subject.object.metadata
    if (!found.has(planned))
      found.set(planned, { names: listed, count: names.size, first, requests: new Map(requests) })
    if (!names.has(name)) {
      first = [...first, name].sort().slice(0, SAID)
      listed.push(name)
      names.add(name)
    }
    for (const [resource, amount] of [...Object.entries(pod.requests), ['pods', ONE] as const])
      requests.set(resource, requests.get(resource)?.plus(amount) ?? amount)
  }
  return found
}

/** Adds the requests of the subjects before one to what is used already. */
export function usedBefore({ requests }: Before, used: ResourceQuantities = {}): ResourceQuantities {
  const sum = new Map(Object.entries(used).map(([name, text]) => [name, Quantity.parse(text)]))
  for (const [name, amount] of requests) sum.set(name, sum.get(name)?.plus(amount) ?? amount)
  return Object.fromEntries([...sum].map(([name, amount]) => [name, amount.toString()]))
}

/** Formats the subjects that take their room before another on one or several nodes. */
export function subjectsText(found: readonly Before[]): string {
  const [only, another] = [...new Set(found)]
  if (only !== undefined && another === undefined) return listNames(only.first, SAID, only.count)
  const names = new Set(found.flatMap(({ names: all, count }) => all.slice(0, count)))
  return listNames([...names].sort(), SAID)
}

/** Returns what other pods request on a node; undefined where no snapshot shows it. */
export type Room = (node: string) => ResourceQuantities | undefined

/**
 * Looks up what pods request on the nodes of a cluster, without the agents of the subjects: those of their templates,
 * of their earlier output and of what they render now, since new pods replace them. Undefined where no snapshot shows
 * any node.
 */
export function roomIn(
  all: readonly Planned[],
  world: Pick<World, 'items' | 'live'>,
): ((cluster: string | undefined) => Room) | undefined {
  const isKnown = world.items.some(({ object }) => isWorkloadSnapshot(object) && hasNodes(object))
  if (!isKnown) return undefined
  const agents = agentsOf(all)
  const nodesOf = memo((cluster: string | undefined) =>
    indexBy(world.live(cluster).value?.nodes ?? [], ({ name }) => name),
  )
  return (cluster) => (name) => {
    const [node] = nodesOf(cluster).get(name) ?? []
    return node?.used === undefined ? undefined : others(node, node.used, agents)
  }
}

/** How many pods a namespace has beside those of the subjects, as a snapshot shows. */
export interface OtherPods {
  /** Those of other DaemonSets. */
  readonly daemons: number
  /** Those of no DaemonSet, pods that wait for a node among them. */
  readonly others: number
}

/** Counts the pods of a namespace in the snapshot of a cluster that are not of the DaemonSets of the subjects. */
export function otherPodsIn(
  all: readonly Planned[],
  world: Pick<World, 'live'>,
): (cluster: string | undefined, namespace: string) => OtherPods {
  const agents = once(() => agentsOf(all))
  return (cluster, namespace) => {
    const { nodes = [], namespaces = [], pending = [] } = world.live(cluster).value ?? {}
    const daemonPods = nodes.flatMap((node) => node.daemonPods)
    const placed = namespaces.filter(({ name }) => name === namespace)
    const waiting = pending.flatMap(({ pods }) => pods).filter((pod) => pod.namespace === namespace)
    return {
      daemons: daemonPods.filter((pod) => pod.namespace === namespace && !isOneOf(agents(), pod)).length,
      others: placed.reduce((sum, { pods }) => sum + pods, 0) + waiting.length,
    }
  }
}

function isOneOf(agents: ReadonlySet<string>, { namespace, name }: DaemonPod): boolean {
  return agents.has(name) || agents.has(`${namespace}/${name}`)
}

function hasNodes({ spec }: KubernetesObject): boolean {
  return Array.isArray((spec as { nodes?: unknown } | null | undefined)?.nodes)
}

/** Returns the names of the agents of enabled subjects, and of disabled subjects whose source an enabled one uses. */
function agentsOf(all: readonly Planned[]): ReadonlySet<string> {
  const used = new Set(all.flatMap(({ isEnabled, source }) => (isEnabled ? (source ?? []) : [])))
  const replaced = all.filter(({ isEnabled, source }) => isEnabled || (source !== undefined && used.has(source)))
  const objects = replaced.flatMap((one) => [
    ...one.objects.map(({ object }) => object),
    ...[...one.earlier, ...(one.source === undefined ? [] : [one.source])].map(({ object }) => object),
  ])
  return new Set(objects.filter(({ kind }) => kind === 'DaemonSet').flatMap(({ metadata }) => keysOf(metadata)))
}

/** Returns the keys that an object is looked up by; one without a namespace may later be in any. */
function keysOf({ namespace, name }: { namespace?: string; name: string }): string[] {
  return [namespace === undefined ? name : `${namespace}/${name}`]
}

function others({ daemonPods }: LiveNode, used: ResourceQuantities, agents: ReadonlySet<string>): ResourceQuantities {
  const left = new Map(Object.entries(used).map(([name, text]) => [name, units(name, Quantity.parse(text))]))
  const own = daemonPods.filter((pod) => isOneOf(agents, pod))
  for (const { requests } of own) {
    for (const [name, text] of [...Object.entries(requests), ['pods', 1] as const])
      left.set(name, (left.get(name) ?? 0n) - units(name, Quantity.parse(text)))
  }
  return Object.fromEntries([...left].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]))
}

/** Nodes of one shape on which a DaemonSet starts pods; no nodes for a type that may come. */
export interface Lot extends Nodes {
  readonly shape: Shape
}

/**
 * Looks up where DaemonSets start pods: on existing nodes, or, where a DaemonSet has none, on node types that may come.
 */
export function lotsIn(fleets: readonly Fleet[]): (planned: Planned, rendered: Rendered) => Lot[] {
  const lookups = new Map(fleets.map((fleet) => [fleet, shapesByNode(fleet)]))
  const unnamedIn = new Map(fleets.map((fleet) => [fleet, fleet.shapes.filter(({ nodes }) => nodes.length === 0)]))
  return ({ cluster }, { object, nodes }) => {
    const own = fleets.filter((fleet) => fleet.cluster === cluster)
    const places = own.length > 0 ? own : fleets
    const byShape = new Map<Shape, string[]>()
    for (const node of nodes)
      for (const fleet of places) {
        const shape = lookups.get(fleet)?.get(node)
        if (shape === undefined) continue
        const known = byShape.get(shape)
        if (known === undefined) byShape.set(shape, [node])
        else known.push(node)
      }
    const unnamed = places.flatMap((fleet) => unnamedIn.get(fleet) ?? []).filter((shape) => isServed(shape, object))
    const lots = [
      ...[...byShape].map(([shape, names]) => ({ shape, ...namedNodes(names.sort()) })),
      ...unnamed.filter(isCounted).map(lotOf),
    ]
    return (lots.length > 0 ? lots : unnamed.filter(isDeclared).map(lotOf)).filter(({ shape }) =>
      mayStart(object, shape),
    )
  }
}

function lotOf(shape: Shape): Lot {
  return { shape, nodes: [], nodeCount: shape.nodeCount }
}

function shapesByNode({ shapes }: Fleet): Map<string, Shape> {
  return new Map(shapes.flatMap((shape) => shape.nodes.map((node) => [node, shape] as const)))
}

/** Whether a new pod may start there; taints of a temporary node state do not count. */
function mayStart(object: KubernetesObject, shape: Shape): boolean {
  const { tolerations, hostNetwork } = podSpecOf(object)
  const all = daemonTolerations({ tolerations: tolerations ?? [], hostNetwork })
  return lastingTaint(shape, all, 'NoExecute') === undefined && lastingTaint(shape, all, 'NoSchedule') === undefined
}
