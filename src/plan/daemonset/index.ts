export { firstContainer } from './containers.ts'
export { findTemplate } from './find-template.ts'
export {
  isAutoscalerOn,
  isMalwareDetected,
  isOperatorConfig,
  type OperatorValues,
  operatorValues,
  withReadSettings,
} from './kubescape/operator-config.ts'
export { withoutTrailingBlanks } from './kubescape/template-text.ts'
export { type LeaveReason, lastingReason, leaveReason } from './leave-reason.ts'
export { daemonSetPlanner } from './planner.ts'
export type { DaemonSet, Template } from './template.ts'
