export {
  type AdmissionInput,
  type AdmittedPod,
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Refusal,
  type RuntimeClass,
  withDefaultRequests,
} from './admit-pod.ts'
export { matchesNode, matchesNodeSelector } from './affinity.ts'
export { amountTexts, changeTexts } from './amount-texts.ts'
export { daemonEligibility, daemonTolerations } from './daemon.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { KubeError, type KubeErrorCode, unlessMalformed } from './error.ts'
export { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName, isUid } from './label.ts'
export { matchesLabels } from './label-selector.ts'
export type { LimitRange, LimitRangeItem } from './limit-range.ts'
export { type ResourceShortage, resourceShortages, units } from './node-room.ts'
export { nodeSelectorProblem, nodeTermProblem } from './node-selector-problem.ts'
export { parseSelector } from './parse-selector.ts'
export { isWeight, podAffinityProblems } from './pod-affinity.ts'
export { podLimits, podRequests, type RunningPod, usedByPod } from './pod-requests.ts'
export { type QosClass, qosClass } from './qos.ts'
export { Quantity, readAmount, readQuantity } from './quantity.ts'
export type { QuantityFormat } from './quantity-text.ts'
export { missingForQuota, type QuotaScope, quotaApplies, quotaUsage, type ResourceQuota } from './quota.ts'
export { Region } from './region.ts'
export { type PodPlacement, regionOfLabels, regionOfNodeSelector, regionOfPod } from './region-of-pod.ts'
export { firstOverlap, type RegionOverlap } from './region-overlap.ts'
export { requirementValues } from './requirement.ts'
export { NODE_NAME, type NodeIdentity, type RequirementKey, Requirements } from './requirements.ts'
export { isOvercommitAllowed } from './resource-name.ts'
export { Schedule } from './schedule.ts'
export { taintText, tolerates, tolerationProblem, untoleratedTaint } from './taint.ts'
export { isTime, timeText } from './time.ts'
export { uncoveredTaint } from './toleration-cover.ts'
export { spreadProblems } from './topology-spread.ts'
export { coresText, gibibytesText } from './total-texts.ts'
export type * from './types.ts'
export { LABEL_VALUES, NODE_NAMES, TAINT_VALUES, type ValueDomain } from './value-domain.ts'
export { ValueSet, type ValueWitness } from './value-set.ts'
