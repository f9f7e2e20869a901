import type { KubernetesObject } from '../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'

/** The namespace a policy renders to, where it or its template says one. */
export function namespaceOf({ settings, template }: PolicyPlan): string | undefined {
  return settings.subject.metadata.namespace ?? template?.daemonSet.metadata.namespace
}

/** Whether an object may be in the namespace; one that does not say its own may be in any. */
export function isIn({ metadata }: KubernetesObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
}
