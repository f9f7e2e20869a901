export {
  type AdmissionInput,
  type AdmittedPod,
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Refusal,
  type RuntimeClass,
  withDefaultRequests,
} from './admission.ts'
export { matchesNode, matchesNodeSelector, nodeSelectorProblem, nodeTermProblem } from './affinity.ts'
export { amountTexts, changeTexts, coresText, gibibytesText } from './amounts.ts'
export { daemonEligibility, daemonTolerations } from './daemon.ts'
export { KubeError, type KubeErrorCode, unlessMalformed } from './error.ts'
export { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName, isUid } from './label.ts'
export { matchesLabels } from './label-selector.ts'
export type { LimitRange, LimitRangeItem } from './limit-range.ts'
export { parseSelector } from './parse-selector.ts'
export { isWeight, podAffinityProblems, spreadProblems } from './pod-affinity.ts'
export {
  isOvercommitAllowed,
  podLimits,
  podRequests,
  type ResourceShortage,
  type RunningPod,
  resourceShortages,
  units,
  usedByPod,
} from './pod-requests.ts'
export { Quantity, type QuantityFormat, readAmount, readQuantity } from './quantity.ts'
export {
  missingForQuota,
  type QosClass,
  type QuotaScope,
  qosClass,
  quotaApplies,
  quotaUsage,
  type ResourceQuota,
} from './quota.ts'
export {
  firstOverlap,
  type PodPlacement,
  Region,
  type RegionOverlap,
  regionOfLabels,
  regionOfNodeSelector,
  regionOfPod,
} from './region.ts'
export { NODE_NAME, type NodeIdentity, type RequirementKey, Requirements, requirementValues } from './requirements.ts'
export { Schedule } from './schedule.ts'
export { taintText, tolerates, tolerationProblem, uncoveredTaint, untoleratedTaint } from './taint.ts'
export { formatDuration, isTime, parseDuration, timeText } from './time.ts'
export type * from './types.ts'
export { LABEL_VALUES, NODE_NAMES, TAINT_VALUES, type ValueDomain, ValueSet, type ValueWitness } from './value-set.ts'
