import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'

/** The pod template of an object, whatever a user made of it. */
export function templateIn({ spec }: KubernetesObject): unknown {
  return memberOf(spec, 'template')
}

/** What chooses the nodes of a pod template: the DaemonSet controller moves pods where any of it changes. */
export function placementIn(template: unknown): unknown[] {
  const pod = memberOf(template, 'spec')
  const nodeAffinity = memberOf(memberOf(pod, 'affinity'), 'nodeAffinity')
  return [
    memberOf(pod, 'nodeSelector'),
    memberOf(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
    memberOf(pod, 'tolerations'),
  ]
}
