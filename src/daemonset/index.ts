export { findTemplate } from './find-template.ts'
export { firstContainer } from './first-container.ts'
export { daemonSetPlanner } from './planner.ts'
export type { DaemonSet, Template } from './template.ts'
