export { type Ages, type Growth, growthIn, withAges } from './ages.ts'
export { type Amounts, MOST_USED, RESOURCES, type Resource } from './amounts.ts'
export { type Recommended, readAutoscalers } from './autoscalers.ts'
export { isAnswerByNode, type NodeUsage, readUsageByNode } from './by-node.ts'
export { Containers, type Measurement } from './containers.ts'
export {
  type ContainerKill,
  type DaemonPods,
  daemonKey,
  daemonPods,
  type ExactAmounts,
  noPods,
  type PodUsage,
  p95,
  percentile,
  podUsages,
  readUnits,
  recentKills,
  sumOf,
  takenAt,
} from './daemon-pods.ts'
export {
  atFire,
  type History,
  mergeHistories,
  NO_HISTORY,
  notAfter,
  type Regular,
  withGit,
  withHour,
  withKill,
} from './history.ts'
export { type ContainerHour, type Day, dayOf, type Hour, hourOf } from './hour.ts'
export { type Borrowed, borrow, type Loan, type NodeSize, type SettledRow } from './neighbours.ts'
export { type Imported, isPrometheusAnswer, readPrometheus, settleImported } from './prometheus.ts'
export { type Evidence, followsLimit, LEAST_DAYS, settleRegularly } from './regular.ts'
export {
  countKills,
  cpuText,
  type Histories,
  historiesText,
  type KillCount,
  type Known,
  memoryText,
  nodeSizeOf,
  readHistories,
  readRow,
  type SeriesKey,
  writeRow,
} from './rows.ts'
export { CPU_SCALE, dateOf, MEMORY_SCALE, type Scale, type Seen, seenBefore, WINDOW } from './seen.ts'
export { seenSoFar } from './seen-so-far.ts'
export {
  type Answer,
  answerKills,
  type Decision,
  fireDue,
  type SeriesState,
  type SettleTimes,
  settle,
  type Trouble,
} from './settle.ts'
export {
  type EvidenceKind,
  type InForce,
  type Kill,
  newestRegular,
  raisedAgainAfter,
  type Settled,
  type SettledWhy,
} from './settled.ts'
