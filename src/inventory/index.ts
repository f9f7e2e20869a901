export { INVENTORY_CODES } from './codes.ts'
export { type Fleet, isCounted, isDeclared, type Shape, shapeText } from './fleet.ts'
export { DEFAULT_LABEL_KEYS, labelKeyMatcher, nodeNameLabel, USUAL_LABEL_KEYS } from './label-keys.ts'
export { type Live, type LiveTicket, readLive } from './live.ts'
export type { LiveNode } from './live-nodes.ts'
export { newestTime } from './newest-time.ts'
export { lastHeartbeat, nodeProblem, shapeOfNode } from './node.ts'
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
export { readInventory } from './read-inventory.ts'
export { shapesThatMayMatch } from './shape-index.ts'
export { toShapes } from './shapes.ts'
export { type SnapshotClaim, snapshotClaims } from './write-claims.ts'
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
export { type SnapshotTicket, snapshotTickets, ticketProblem } from './write-tickets.ts'
