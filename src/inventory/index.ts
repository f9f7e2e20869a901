export { INVENTORY_CODES } from './codes.ts'
export { type Fleet, isCounted, isDeclared, type Shape, shapesThatMayMatch, shapeText } from './fleet.ts'
export { DEFAULT_LABEL_KEYS, labelKeyMatcher, nodeNameLabel, USUAL_LABEL_KEYS } from './label-keys.ts'
export { type Live, type LivePart, type LiveTicket, readLive } from './live.ts'
export type { DaemonPod, LiveNode } from './live-nodes.ts'
export type { PendingPod, PendingPods } from './live-pending.ts'
export type { LiveClaim, LiveMachine, LivePool } from './live-pools.ts'
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
export { isNodeSource, readFleet } from './read-fleet.ts'
export { newestTime, readInventory } from './read-inventory.ts'
export { lastHeartbeat, nodeProblem, shapeOfNode, toShapes } from './shapes.ts'
export {
  type SnapshotClaim,
  type SnapshotTicket,
  snapshotClaims,
  snapshotTickets,
  ticketProblem,
} from './snapshot-entries.ts'
export { inventoryName, toInventory } from './write-inventory.ts'
export {
  type PodObject,
  placedPod,
  podProblem,
  type SnapshotIdentity,
  type SnapshotParts,
  snapshotFromParts,
  toSnapshot,
} from './write-snapshot.ts'
