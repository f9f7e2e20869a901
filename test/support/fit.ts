import type { KubernetesObject } from '../../src/krm/types.ts'

export function limitRange(limits: object[], name = 'limits', metadata: object = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name, ...metadata }, spec: { limits } }
}

export function resourceQuota(hard: object, more: object = {}, metadata: object = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota', ...metadata }, spec: { hard, ...more } }
}

export function runtimeClass(name: string, overhead?: object): KubernetesObject {
  return { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, handler: 'runc', overhead }
}

/** A WorkloadSnapshot of what pods request. */
export function usage(nodes: object[], daemonSets: object[] = [], more: object = {}): KubernetesObject {
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'prod' },
    spec: { cluster: 'prod', nodes, daemonSets, ...more },
  }
}

/** A container with requests and limits. */
export function container(
  name: string,
  requests?: object,
  limits?: object,
  more: object = {},
): Record<string, unknown> {
  return { name, image: `${name}:1`, resources: { ...(requests && { requests }), ...(limits && { limits }) }, ...more }
}
