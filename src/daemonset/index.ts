export { findTemplate } from './find-template.ts'
export { daemonSetPlanner } from './planner.ts'
export type { DaemonSet } from './template.ts'
