import { LEAVING } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { Share } from '../world/index.ts'
import type { Leaving } from './leaving.ts'
import type { MachineNode } from './machines.ts'
import type { Pool } from './pool.ts'

/** The file of partial Nodes, beside the policy. */
const FILE = 'nodes.yaml'

/**
 * Annotations that keep Argo CD, Flux and kpt from deleting a Node whose partial document goes, and make them write
 * only its fields.
 */
const KEPT: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
  'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
}

/**
 * Returns the fields of Nodes that a pool writes: mark and cordon of those that leave, and the labels that a node
 * joined without. A document whose mark is withdrawn stays until the cluster no longer shows it, so that the tool
 * that applied its fields takes them back. `documents` are the partial Nodes of Git, by node.
 */
export function nodeShares(
  { settings, machines }: Pool,
  { marks, reopened, dropped }: Leaving,
  documents: ReadonlyMap<string, KubernetesObject>,
  knows: (label: string) => boolean,
): Share[] {
  const wanted = Object.entries({ ...settings.templateLabels, [settings.labelKey]: settings.name })
  return machines.flatMap(({ node, claim, state }) => {
    if (node === undefined || state === 'deleting' || claim === undefined || dropped.has(claim.name)) return []
    const written = documents.get(node.name)?.metadata.labels ?? {}
    const labels = wanted.filter(([key]) => isMissing(key, node, knows) || Object.hasOwn(written, key))
    const mark = marks.get(node.name)
    const isReopening = reopened.has(node.name) && (node.mark !== undefined || documents.has(node.name))
    if (labels.length === 0 && mark === undefined && !isReopening) return []
    const target = { apiVersion: 'v1', kind: 'Node', name: node.name }
    const share = (path: readonly string[], value: unknown): Share => ({ target, path, value, file: FILE })
    return [
      ...(node.uid === undefined ? [] : [share(['metadata', 'uid'], node.uid)]),
      ...Object.entries(KEPT).map(([key, value]) => share(['metadata', 'annotations', key], value)),
      ...labels.map(([key, value]) => share(['metadata', 'labels', key], value)),
      ...(mark === undefined
        ? []
        : [share(['metadata', 'annotations', LEAVING], mark), share(['spec', 'unschedulable'], true)]),
    ]
  })
}

/** Whether a node lacks a label, as far as the inventory shows; another value is left as it is. */
function isMissing(key: string, { labels }: MachineNode, knows: (label: string) => boolean): boolean {
  return !Object.hasOwn(labels, key) && knows(key)
}
