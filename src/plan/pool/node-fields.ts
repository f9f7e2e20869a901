import { nodeShare, nodeShares, nodeTarget, type Share } from '../../core/index.ts'
import { LEAVING } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Leaving } from './leaving.ts'
import type { MachineNode } from './machines.ts'
import type { Pool } from './pool.ts'

/**
 * Returns the fields of Nodes that a pool writes: mark and cordon of those that leave, and the labels that a node
 * joined without. A document whose mark is withdrawn stays until the cluster no longer shows it, so that the tool
 * that applied its fields takes them back. `documents` are the partial Nodes of Git, by node.
 */
export function poolNodeShares(
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
    const target = nodeTarget(node.name)
    const share = (path: readonly string[], value: unknown) => nodeShare(target, path, value)
    return [
      ...nodeShares(target, node.uid),
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
