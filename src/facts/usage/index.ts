export { type Ages, type Growth, growthIn, withAges } from './ages.ts'
export { type Amounts, MOST_USED, RESOURCES, type Resource } from './amounts.ts'
export { type Recommended, readAutoscalers } from './autoscalers.ts'
export { Containers, type Measurement } from './containers.ts'
export { type Day, dayOf } from './day.ts'
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
export { type Histories, historiesText, readHistories, type SeriesKey } from './history-text.ts'
export { type ContainerHour, type Hour, hourOf } from './hour.ts'
export { type Imported, settleImported } from './imported.ts'
export { type Borrowed, borrow, type Loan, type NodeSize, type SettledRow } from './neighbours.ts'
export { isPrometheusAnswer, readPrometheus } from './prometheus.ts'
export { type Evidence, followsLimit, LEAST_DAYS, settleRegularly } from './regular.ts'
export { countKills, cpuText, type KillCount, type Known, memoryText, nodeSizeOf, readRow, writeRow } from './rows.ts'
export { CPU_SCALE, MEMORY_SCALE, type Scale } from './scale.ts'
export { dateOf, type Seen, seenBefore, WINDOW } from './seen.ts'
export { seenSoFar } from './seen-so-far.ts'
export { type Decision, fireDue, type SeriesState, type SettleTimes, settle } from './settle.ts'
export { type InForce, type Kill, newestRegular, raisedAgainAfter, type Settled, type SettledWhy } from './settled.ts'
export { type Answer, answerKills, type Trouble } from './urgent.ts'
