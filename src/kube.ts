/** The entry `nodefit/kube`: Kubernetes' own rules, for tools of your own (docs/reference/library.md). */
export { matchesNode } from './kube/affinity.ts'
export { daemonEligibility } from './kube/daemon.ts'
export { KubeError, type KubeErrorCode } from './kube/error.ts'
export { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from './kube/label.ts'
export { matchesLabels } from './kube/label-selector.ts'
export { parseSelector } from './kube/parse-selector.ts'
export { podRequests } from './kube/pod-requests.ts'
export { Quantity, type QuantityFormat } from './kube/quantity.ts'
export { Schedule } from './kube/schedule.ts'
export { tolerates, untoleratedTaint } from './kube/taint.ts'
export { parseDuration } from './kube/time.ts'
export type {
  Affinity,
  Container,
  EnvVar,
  LabelSelector,
  LabelSelectorRequirement,
  Labels,
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PodTemplateSpec,
  ResourceQuantities,
  ResourceRequirements,
  Taint,
  Toleration,
} from './kube/types.ts'
