import type { KubernetesObject } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'

/** The pods of anything with a pod template, whatever a user made of it: empty where there is none. */
export function podSpecOf({ spec }: KubernetesObject): PodSpec {
  const { template } = (spec ?? {}) as { template?: { spec?: PodSpec | null } | null }
  return template?.spec ?? {}
}
