import type { KubernetesObject } from '../../krm/types.ts'
import type { SizingSettings } from '../../policy/index.ts'
import type { DaemonSet } from '../template.ts'

/** The label by which Kubescape's operator knows the DaemonSets of its own loop. */
export const OPERATOR_MARK = { key: 'kubescape.io/managed-by', value: 'operator-autoscaler' }

/** Whether the operator takes an object for its own. */
export function isMadeByOperator({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[OPERATOR_MARK.key] === OPERATOR_MARK.value
}

/** Whether the operator would take for its own what a policy renders. */
export function carriesOperatorMark({ managedBy }: SizingSettings): boolean {
  return managedBy.key === OPERATOR_MARK.key && managedBy.value === OPERATOR_MARK.value
}

/**
 * A template without the operator's mark: what is made of one that the operator made carries it only if the policy says
 * so.
 */
export function withoutOperatorMark(daemonSet: DaemonSet): DaemonSet {
  if (!isMadeByOperator(daemonSet)) return daemonSet
  const { [OPERATOR_MARK.key]: _, ...labels } = daemonSet.metadata.labels ?? {}
  return { ...daemonSet, metadata: { ...daemonSet.metadata, labels } }
}
