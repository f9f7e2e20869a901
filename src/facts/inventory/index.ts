export { INVENTORY_CODES } from './codes.ts'
export {
  type Fleet,
  firstNames,
  isCounted,
  isDeclared,
  mergeNodes,
  type Nodes,
  namedNodes,
  nodeCountOf,
  nodesExcept,
  nodesText,
  type Shape,
  shapesThatMayMatch,
  shapeText,
  sortedNodes,
} from './fleet.ts'
export {
  isSameUid,
  type Live,
  type LivePart,
  type LiveTicket,
  readLive,
  readUsage,
  type UsageRow,
  usageKey,
} from './live.ts'
export {
  type DaemonPod,
  type LiveNode,
  type NodeCompletion,
  type NodeDetails,
  nodeDetails,
  type SnapshotNode,
  withClaims,
  withNodeDetails,
} from './live-nodes.ts'
export { nodeSums, type PlacedPod, type PodShare } from './node-sums.ts'
export {
  blockedNode,
  foldPending,
  nodeOf,
  ONE_PER_NODE,
  type PendingEntry,
  type PendingPod,
  type PendingPods,
  type PodObject,
  pendingPod,
  placedPod,
  podProblem,
  type SnapshotPending,
} from './pending.ts'
export {
  type ClaimEntry,
  claimEntry,
  foldClaims,
  type LiveClaim,
  type LiveMachine,
  type LivePool,
  poolLabelKeys,
  type SnapshotClaims,
  type SnapshotMachine,
  type SnapshotPool,
  snapshotMachines,
  snapshotPools,
} from './pools.ts'
export {
  isNodeSource,
  newestTime,
  type Observation,
  observationOf,
  type ReadTime,
  readFleet,
  readInventory,
} from './read-fleet.ts'
export {
  DEFAULT_LABEL_KEYS,
  inventoryName,
  labelKeyMatcher,
  lastHeartbeat,
  nodeNameLabel,
  nodeProblem,
  shapeOfNode,
  toInventory,
  toShapes,
  USUAL_LABEL_KEYS,
} from './shapes.ts'
export { type SnapshotTicket, snapshotTickets, ticketNode, ticketProblem } from './tickets.ts'
export { type SnapshotIdentity, type SnapshotParts, snapshotFromParts, toSnapshot } from './write-snapshot.ts'
