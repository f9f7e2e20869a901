export { INVENTORY_CODES } from './codes.ts'
export { type Fleet, isCounted, isDeclared, type Shape, shapesThatMayMatch, shapeText } from './fleet.ts'
export { DEFAULT_LABEL_KEYS, labelKeyMatcher, nodeNameLabel, USUAL_LABEL_KEYS } from './label-keys.ts'
export { isSameUid, type Live, type LivePart, type LiveTicket, readLive } from './live.ts'
export type { DaemonPod, LiveNode } from './live-nodes.ts'
export type { PendingPod, PendingPods } from './live-pending.ts'
export type { LiveClaim, LiveMachine, LivePool } from './live-pools.ts'
export { readUsage, type UsageRow, usageKey } from './live-usage.ts'
export {
  type NodeCompletion,
  type NodeDetails,
  nodeDetails,
  type SnapshotNode,
  withClaims,
  withNodeDetails,
} from './node-details.ts'
export { nodeSums, type PlacedPod, type PodShare } from './node-sums.ts'
export {
  firstNames,
  mergeNodes,
  type Nodes,
  namedNodes,
  nodeCountOf,
  nodesExcept,
  nodesText,
  sortedNodes,
} from './nodes.ts'
export { type Observation, observationOf, type ReadTime } from './observed-at.ts'
export { blockedNode, nodeOf, type PodObject, placedPod, podProblem } from './pod-object.ts'
export {
  poolLabelKeys,
  type SnapshotMachine,
  type SnapshotPool,
  snapshotMachines,
  snapshotPools,
} from './pool-entries.ts'
export { isNodeSource, readFleet } from './read-fleet.ts'
export { newestTime, readInventory } from './read-inventory.ts'
export { lastHeartbeat, nodeProblem, shapeOfNode, toShapes } from './shapes.ts'
export {
  type SnapshotTicket,
  snapshotTickets,
  ticketProblem,
} from './snapshot-entries.ts'
export { ticketNode } from './ticket-node.ts'
export { type ClaimEntry, claimEntry, foldClaims, type SnapshotClaims } from './write-claims.ts'
export { inventoryName, toInventory } from './write-inventory.ts'
export { foldPending, type PendingEntry, pendingPod, type SnapshotPending } from './write-pending.ts'
export {
  type SnapshotIdentity,
  type SnapshotParts,
  snapshotFromParts,
  toSnapshot,
} from './write-snapshot.ts'
