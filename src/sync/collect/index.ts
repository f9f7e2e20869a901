export { COLLECTED, type PartName } from './collector.ts'
export { type Collecting, type CollectOptions, startCollectors } from './start.ts'
export { workloadOf } from './workload.ts'
