import {
  claimEntry,
  foldClaims,
  isSameUid,
  nodeDetails,
  type PodObject,
  podProblem,
  type SnapshotNode,
  snapshotMachines,
  snapshotPools,
  snapshotTickets,
  ticketProblem,
  toSnapshot,
  type UsageRow,
} from '../../facts/inventory/index.ts'
import { isTicket, isWorkloadSnapshot, KUBENODESMITH, validate, type WorkloadSnapshot } from '../../kinds/index.ts'
import { isError } from '../../krm/finding.ts'
import { apiGroup } from '../../krm/identity.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Node } from '../../kube/index.ts'
import { UserError } from './user-error.ts'

/** The objects that were given besides nodes; undefined where the kind was not given. */
export interface Workload {
  readonly pods?: readonly Item[]
  readonly tickets?: readonly Item[]
  readonly claims?: readonly Item[]
  readonly pools?: readonly Item[]
  readonly machines?: readonly Item[]
  /** Rows of usage. */
  readonly usage?: readonly UsageRow[]
  /** The snapshot that was written before. */
  readonly earlier?: readonly Item[]
}

const CLUSTER_API = 'cluster.x-k8s.io'
const isKubeNodeSmith =
  (wanted: string) =>
  ({ apiVersion, kind }: KubernetesObject) =>
    kind === wanted && apiGroup(apiVersion) === apiGroup(KUBENODESMITH)
const isMachine = ({ apiVersion, kind }: KubernetesObject) =>
  apiGroup(apiVersion) === CLUSTER_API && (kind === 'Machine' || kind === 'MachineDeployment')

/**
 * A WorkloadSnapshot of what was given, with the cluster and time of a NodeInventory. Throws `UserError` for invalid
 * objects.
 */
export function snapshotOf(
  { pods, tickets, claims, pools, machines, usage, earlier = [] }: Workload,
  nodes: readonly Item[],
  { metadata, spec }: Record<string, unknown>,
): Record<string, unknown> {
  const names = nodes.map(({ object }) => object.metadata.name)
  const { name } = metadata as { name: string }
  const { cluster, clusterUid, observedAt } = spec as { cluster: string; clusterUid?: string; observedAt?: string }
  const read = pods && podsIn(pods, names)
  const running = read && new Set(read.flatMap(runningName))
  const details = new Map(nodes.map(({ object }) => [object.metadata.name, nodeDetails(object as unknown as Node)]))
  const parts = {
    claims: claims && claimsIn(claims),
    pools: pools && snapshotPools(requireKind(pools, 'NodeSmithPool', isKubeNodeSmith('NodeSmithPool'))),
    machines: machines && snapshotMachines(requireKind(machines, 'Machine or MachineDeployment', isMachine)),
    tickets: tickets && ticketsIn(tickets, names, running),
    usage: usage && [...usage],
  }
  const options = { name, cluster, clusterUid, observedAt, nodes: names, parts }
  return toSnapshot(read, { ...options, completion: { details, earlier: earlierNodes(earlier, cluster, clusterUid) } })
}

/** The nodes of earlier snapshots of the cluster, by name; other objects of the file, such as inventories, are left. */
export function earlierNodes(items: readonly Item[], cluster: string, clusterUid?: string): Map<string, SnapshotNode> {
  const snapshots = items.map(({ object }) => object).filter(isWorkloadSnapshot)
  return new Map(
    snapshots.flatMap((object) => {
      const error = validate('WorkloadSnapshot', object).find(isError)
      if (error !== undefined) throw new UserError(`${error.code}: ${error.sentence}`)
      const { spec } = object as unknown as WorkloadSnapshot
      if (spec.cluster !== cluster)
        throw new UserError(
          `WrongCluster: WorkloadSnapshot ${object.metadata.name} is of cluster ${spec.cluster}, not of ${cluster}`,
        )
      if (!isSameUid(spec.clusterUid, clusterUid))
        throw new UserError(
          `WrongCluster: WorkloadSnapshot ${object.metadata.name} is of a cluster ${cluster} with the uid ${spec.clusterUid}, not ${clusterUid}`,
        )
      return (spec.nodes ?? []).map((node) => [node.name, node] as const)
    }),
  )
}

function podsIn(items: readonly Item[], nodes: readonly string[]): PodObject[] {
  const pods = requireKind(
    items,
    'Pod',
    ({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod',
  ) as unknown as PodObject[]
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new UserError(`Pod ${pod.metadata.name}: ${problem}`)
  }
  requireSameCluster(
    'pods',
    pods.map((pod) => (pod.spec as { nodeName?: string } | undefined)?.nodeName),
    nodes,
  )
  return pods
}

function claimsIn(items: readonly Item[]) {
  return foldClaims(requireKind(items, 'NodeSmithClaim', isKubeNodeSmith('NodeSmithClaim')).map(claimEntry))
}

/** Returns the namespace and name of a pod that has not ended. */
function runningName({ metadata, status }: PodObject): string[] {
  const { phase } = (status ?? {}) as { phase?: unknown }
  return phase === 'Succeeded' || phase === 'Failed' ? [] : [`${metadata.namespace ?? ''}/${metadata.name}`]
}

function ticketsIn(items: readonly Item[], nodes: readonly string[], pods?: ReadonlySet<string>) {
  const tickets = requireKind(items, 'Ticket', isTicket)
  for (const ticket of tickets) {
    const problem = ticketProblem(ticket)
    if (problem !== undefined) throw new UserError(`Ticket ${ticket.metadata.name}: ${problem}`)
  }
  const written = snapshotTickets(tickets, pods)
  // an Expired Ticket may be on a node that is gone
  const living = written.filter(({ phase }) => phase !== 'Expired')
  requireSameCluster(
    'Tickets',
    living.map(({ node }) => node),
    nodes,
  )
  return written
}

function requireKind(
  items: readonly Item[],
  kind: string,
  isOfKind: (object: KubernetesObject) => boolean,
): KubernetesObject[] {
  const objects = items.map(({ object }) => object)
  const other = objects.find((object) => !isOfKind(object))
  if (other !== undefined) throw new UserError(`${other.kind} ${other.metadata.name} is not a ${kind}`)
  return objects
}

function requireSameCluster(what: string, places: readonly (string | undefined)[], nodes: readonly string[]): void {
  const named = new Set(places.flatMap((place) => (place === undefined ? [] : [place])))
  if (named.size > 0 && !nodes.some((node) => named.has(node)))
    throw new UserError(
      `WrongCluster: the ${what} are on none of these nodes: give them and the nodes from one cluster`,
    )
}
