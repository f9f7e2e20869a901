import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'

/** Labels that make good groups, the best first. */
const LABELS = [
  'node.kubernetes.io/instance-type',
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'kubernetes.io/arch',
]

/** A policy for a target, with the defaults written out, so that they can be changed. */
export function policyFor(target: KubernetesObject, nodes: readonly Item[], cluster: string | undefined) {
  const { kind, apiVersion, metadata } = target
  const isMap = kind === 'ConfigMap'
  const chosen = isMap ? undefined : chosenContainer(target)
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'SizingPolicy',
    metadata: {
      name: isMap ? 'node-agent' : metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    spec: {
      ...(cluster === undefined ? {} : { cluster }),
      targetRef: { apiVersion, kind, name: metadata.name },
      nodeGroupLabel:
        LABELS.find((label) => nodes.some(({ object }) => object.metadata.labels?.[label] !== undefined)) ??
        'kubernetes.io/os',
      ...(chosen === undefined ? {} : { containers: [{ name: chosen, share: 100 }] }),
      resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
      minResources: { cpu: '100m', memory: '180Mi' },
      maxResources: { cpu: '2', memory: '4Gi' },
    },
  }
}

/** The container that is sized where there are several: the one named like the DaemonSet, else the first. */
function chosenContainer({ metadata, spec }: KubernetesObject): string | undefined {
  const containers = ((spec as { template?: { spec?: PodSpec } })?.template?.spec?.containers ?? []).map(
    ({ name }) => name,
  )
  if (containers.length < 2) return undefined
  return containers.find((name) => name === metadata.name) ?? containers[0]
}
