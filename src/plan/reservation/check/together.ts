import { indexBy, type Planned, type Rendered, type World } from '../../../core/index.ts'
import { isReadablePodSpec, podSpecOf } from '../../../core/object/index.ts'
import type { Fleet, Live, LiveTicket } from '../../../facts/inventory/index.ts'
import { isWorkloadSnapshot } from '../../../kinds/index.ts'
import { type Finding, listNames, plural, type Read } from '../../../krm/finding.ts'
import { isLocalConfig } from '../../../krm/identity.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import {
  daemonEligibility,
  type PodSpec,
  podRequests,
  Quantity,
  type ResourceQuantities,
  unlessMalformed,
  withDefaultRequests,
} from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import type { ReservationPlan } from '../plan-order.ts'
import { checkCapacity, type Reservation } from './capacity.ts'
import { duplicatedTickets, othersTickets } from './duplicates.ts'

/** Checks of all Tickets of a package by cluster: capacity of the nodes, and duplicates of Tickets written by hand. */

/** All reservations in one cluster, with its nodes, if a plan has read them, and its live Tickets. */
interface InCluster {
  readonly reservations: readonly Reservation[]
  readonly fleet?: Fleet
  readonly live: readonly LiveTicket[]
  /** The live state that was read for paused plans. */
  readonly seen?: Read<Live>
  /** The names of the Tickets of the last run. */
  readonly earlier: ReadonlySet<string>
}

/** Reports on all reservations of a package, together with the objects that earlier planners rendered. */
export function checkTogether(
  plans: readonly ReservationPlan[],
  world: World,
  before: readonly Planned[],
): { findings: readonly Finding[]; lives: ReadonlyArray<Read<Live>> } {
  const clusters = byCluster(plans, world)
  const agents = clusters.flatMap(({ fleet }) =>
    fleet === undefined ? [] : [world.live(world.options.cluster ?? fleet.cluster)],
  )
  const findings = [
    ...clusters.flatMap(({ reservations, fleet }) =>
      fleet === undefined ? [] : checkCapacity(reservations, fleet, allAgents(before, fleet, world)),
    ),
    ...clusters.flatMap(heldNodes),
    ...othersTickets(clusters),
    ...duplicatedTickets(
      clusters,
      world.items.map(({ object }) => object),
    ),
  ]
  return { findings, lives: [...clusters.flatMap(({ seen }) => seen ?? []), ...agents] }
}

/**
 * Groups plans by cluster. A paused plan has not read nodes: it counts in its cluster, on the nodes that other plans
 * read.
 */
function byCluster(plans: readonly ReservationPlan[], world: World): InCluster[] {
  const only = onlyCluster(plans, world)
  const clusters = indexBy(
    plans.filter(({ reservations }) => reservations.length > 0),
    ({ fleet, cluster }) => fleet?.cluster ?? cluster ?? only ?? '',
  )
  return [...clusters].map(([cluster, members]) => {
    const known = members.find(({ live }) => live !== undefined)?.live
    const isToldApart = cluster !== '' && world.items.some(({ object }) => isWorkloadSnapshot(object))
    const seen = known === undefined && isToldApart ? world.live(cluster) : undefined
    return {
      seen,
      reservations: members.flatMap(({ reservations }) => reservations),
      earlier: new Set(members.flatMap(({ planned }) => planned.earlier.map(({ object }) => object.metadata.name))),
      fleet: members.find(({ fleet }) => fleet !== undefined)?.fleet,
      live: known ?? seen?.value?.tickets ?? [],
    }
  })
}

/**
 * Returns the only cluster of the nodes, or, if no plan has read nodes, of the WorkloadSnapshots; undefined if there
 * are several.
 */
function onlyCluster(plans: readonly ReservationPlan[], { items }: World): string | undefined {
  const ofNodes = new Set(plans.flatMap(({ fleet }) => fleet?.cluster ?? []))
  const snapshots = items.filter(({ object }) => isWorkloadSnapshot(object))
  const ofLive = new Set(snapshots.map(({ object }) => (object.spec as { cluster?: unknown } | null)?.cluster))
  const [cluster, another] = ofNodes.size > 0 ? ofNodes : ofLive
  return another === undefined && typeof cluster === 'string' ? cluster : undefined
}

type Requests = Readonly<Record<string, Quantity>>

/**
 * Returns a function that gives the requests of each agent planned before the Tickets on a node of a cluster. Guardian
 * pods need room next to them. Omits an agent whose amounts cannot be read, since none of its pods would be scheduled.
 */
export function agentsBeside(planned: readonly Planned[], cluster: string): (node: string) => readonly Requests[] {
  const byNode = new Map<string, Requests[]>()
  const inCluster = planned.filter((one) => one.isEnabled && (one.cluster === undefined || one.cluster === cluster))
  for (const rendered of inCluster.flatMap(({ objects }) => objects)) {
    const requests = requestsOf(rendered)
    if (requests === undefined) continue
    for (const node of rendered.nodes) {
      const known = byNode.get(node)
      if (known === undefined) byNode.set(node, [requests])
      else known.push(requests)
    }
  }
  return (node) => byNode.get(node) ?? []
}

/**
 * Returns the requests of all agents on a node: those that this run renders, DaemonSets of the package that nothing is
 * rendered from, and those that a snapshot shows besides.
 */
function allAgents(before: readonly Planned[], fleet: Fleet, world: World): (node: string) => readonly Requests[] {
  const rendered = agentsBeside(before, fleet.cluster)
  const keyOf = ({ metadata }: KubernetesObject) => `${metadata.namespace ?? ''}/${metadata.name}`
  const sources = new Set(before.filter(({ isEnabled }) => isEnabled).flatMap(({ source }) => source ?? []))
  const isStatic = (item: Item) =>
    isDaemonSet(item.object) &&
    ownerOf(item.object) === undefined &&
    !isLocalConfig(item.object.metadata.annotations) &&
    !sources.has(item)
  const others = world.items.filter(isStatic)
  const planned = before.flatMap(({ source, objects, earlier }) => [
    ...(source ? [source] : []),
    ...objects,
    ...earlier,
  ])
  const known = new Set([...planned, ...others].map(({ object }) => keyOf(object)))
  const beside = new Map<string, Requests[]>()
  const add = (node: string, requests: Requests | undefined) => {
    if (requests !== undefined) beside.set(node, [...(beside.get(node) ?? []), requests])
  }
  for (const { object } of others) {
    const requests = requestsOf({ object })
    if (requests === undefined) continue
    const template = { spec: podSpecOf(object) as PodSpec }
    for (const { nodes, labels, taints, unschedulable } of fleet.shapes)
      for (const name of nodes) {
        const node = { metadata: { name, labels }, spec: { taints: [...taints], unschedulable } }
        if (daemonEligibility(template, node).shouldRun) add(name, requests)
      }
  }
  for (const { name, daemonPods } of world.live(world.options.cluster ?? fleet.cluster).value?.nodes ?? [])
    for (const pod of daemonPods) if (!known.has(`${pod.namespace}/${pod.name}`)) add(name, quantities(pod.requests))
  return (node) => [...rendered(node), ...(beside.get(node) ?? [])]
}

function isDaemonSet({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === 'apps/v1' && kind === 'DaemonSet'
}

function quantities(amounts: ResourceQuantities): Requests {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Quantity.parse(amount)]))
}

const KARPENTER = 'karpenter.sh/nodepool'
/** Labels of nodes that cluster-autoscaler adds and removes. */
const OTHER_POOLS = ['eks.amazonaws.com/nodegroup', 'cloud.google.com/gke-nodepool', 'kubernetes.azure.com/agentpool']

/**
 * Reports nodes with a Ticket that an autoscaler may want to remove, with the labels by which they are
 * known. cluster-autoscaler finds no other place for a guardian pod. Karpenter does not read the field of its affinity
 * (`NewPodRequirements`), and takes it for a pod that can move.
 */
function heldNodes({ reservations, fleet }: InCluster): Finding[] {
  const reserved = new Set(reservations.flatMap(({ tickets }) => tickets.map(({ node }) => node)))
  const withLabel = (label: string) => {
    const shapes = (fleet?.shapes ?? []).filter(({ labels }) => Object.hasOwn(labels, label))
    const count = shapes.flatMap(({ nodes }) => nodes).filter((node) => reserved.has(node)).length
    return count === 0 ? [] : [`${plural(count, 'node')} with the label ${label}`]
  }
  const [others, karpenters] = [OTHER_POOLS.flatMap(withLabel), withLabel(KARPENTER)]
  const kept = [
    ...(others.length === 0 ? [] : [`cluster-autoscaler from removing ${listNames(others, others.length)}`]),
    ...karpenters.map((nodes) => `Karpenter from removing ${nodes} as empty, not as underutilized`),
  ]
  return kept.length === 0 ? [] : [finding('GuardiansHoldNodes', `guardian pods keep ${kept.join(', and ')}`)]
}

function requestsOf({ object }: Pick<Rendered, 'object'>): Requests | undefined {
  const pod = podSpecOf(object)
  if (!isReadablePodSpec(pod)) return undefined
  return unlessMalformed(() => podRequests(withDefaultRequests(pod)))
}
