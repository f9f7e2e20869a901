export {
  type AdmittedPod,
  type Admitting,
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Refusal,
} from './admit-pod.ts'
export { affinityProblem, matchesNode, matchesNodeSelector } from './affinity.ts'
export { daemonEligibility, daemonTolerations } from './daemon.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { KubeError, type KubeErrorCode } from './error.ts'
export { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from './label.ts'
export type { LimitRange, LimitRangeItem } from './limit-range.ts'
export { type Lack, lackOf, units } from './node-room.ts'
export { withDefaultRequests } from './pod-defaults.ts'
export { podLimits, podRequests } from './pod-requests.ts'
export { type RunningPod, usedByPod } from './pod-usage.ts'
export { type QosClass, qosClass } from './qos.ts'
export { Quantity } from './quantity.ts'
export type { QuantityFormat } from './quantity-format.ts'
export { quotaCounts, quotaUsage, type ResourceQuota, unsaidForQuota } from './quota.ts'
export type { QuotaScope } from './quota-scope.ts'
export { Region } from './region.ts'
export { firstMeeting, type RegionMeeting } from './region-meeting.ts'
export { type PodPlacement, regionOfNodeSelector, regionOfPod } from './region-of-pod.ts'
export { valuesThatMeet } from './requirement-values.ts'
export { NODE_NAME, type NodeIdentity, type RequirementKey, Requirements } from './requirements.ts'
export type { RuntimeClass } from './runtime-class.ts'
export { Schedule } from './schedule.ts'
export { matchesLabels } from './selector.ts'
export { parseSelector } from './selector-text.ts'
export { tolerates, tolerationProblem, untoleratedTaint } from './taint.ts'
export { isTime } from './time.ts'
export { uncoveredTaint } from './toleration-cover.ts'
export type * from './types.ts'
export { LABEL_VALUES, NODE_NAMES, TAINT_VALUES, type ValueDomain } from './value-domain.ts'
export { ValueSet, type ValueWitness } from './value-set.ts'
