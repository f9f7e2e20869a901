/** What Kubernetes says of a pod: whether the API server takes it, and whether the scheduler finds room on its node. */
import { setTimeout as pause } from 'node:timers/promises'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { PodSpec } from '../../../src/kube/index.ts'
import type { Api } from '../fleets/api.ts'

const PATIENCE_SECONDS = 60

interface LivePod {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly nodeName?: string }
  readonly status: { readonly conditions?: ReadonlyArray<{ type: string; status: string; message?: string }> }
}

/** Where a pod went, or why not. */
export interface Scheduled {
  readonly fits: boolean
  readonly message: string
}

/** A pod as the DaemonSet controller makes it of a template for a node. */
export function podFor(template: PodSpec, namespace: string, node: string): KubernetesObject {
  const { nodeSelector: _, affinity: __, ...spec } = template
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'agent', namespace },
    spec: { ...spec, affinity, tolerations: [{ operator: 'Exists' }] },
  }
}

/** What the scheduler has decided of each pod of the namespaces, by namespace. */
export async function scheduled(api: Api, namespaces: ReadonlySet<string>): Promise<Map<string, Scheduled>> {
  for (let attempt = 0; attempt < PATIENCE_SECONDS * 4; attempt++) {
    const { items } = (await api.get('/api/v1/pods')) as { items: LivePod[] }
    const own = items.filter(({ metadata }) => metadata.name === 'agent' && namespaces.has(metadata.namespace))
    const decided = own.flatMap(({ metadata, spec, status }) => {
      const condition = status.conditions?.find(({ type }) => type === 'PodScheduled')
      if (spec.nodeName === undefined && condition?.status !== 'False') return []
      const message = condition?.message ?? ''
      return [[metadata.namespace, { fits: spec.nodeName !== undefined, message }] as const]
    })
    if (decided.length === namespaces.size) return new Map(decided)
    await pause(250)
  }
  throw new Error('the scheduler did not decide')
}
