export { INVENTORY_CODES } from './codes.ts'
export { type Fleet, isCounted, isDeclared, type Shape, shapeText } from './fleet.ts'
export { coveredBy, DEFAULT_LABEL_KEYS, labelThatNames, USUAL_LABEL_KEYS } from './label-keys.ts'
export { type Live, type LiveTicket, readLive } from './live.ts'
export type { LiveNode } from './live-nodes.ts'
export { newestTime } from './newest-time.ts'
export { lastHeard, nodeProblem, shapeOfNode } from './node.ts'
export { nodeSums, type PlacedPod, type PodShare } from './node-sums.ts'
export { allBut, firstNames, inOrder, type Nodes, named, nodeCountOf, nodesText, together } from './nodes.ts'
export { isNodeSource, readFleet } from './read-fleet.ts'
export { readInventory } from './read-inventory.ts'
export { mayMatch } from './shape-index.ts'
export { toShapes } from './shapes.ts'
export { type SnapshotClaim, snapshotClaims } from './write-claims.ts'
export { inventoryName, toInventory } from './write-inventory.ts'
export {
  type PodObject,
  placedPod,
  podProblem,
  type SnapshotIdentity,
  type SnapshotParts,
  toSnapshot,
  writtenSnapshot,
} from './write-snapshot.ts'
export { type SnapshotTicket, snapshotTickets, ticketProblem } from './write-tickets.ts'
