import type { Share } from './planned.ts'

/** The file of partial Nodes, beside their subject. */
const FILE = 'nodes.yaml'

/**
 * Keeps the tools that apply a partial Node from deleting the node once the document is gone, and from taking fields of
 * others: Argo CD, Flux, and kpt with what else is built on cli-utils. Without `compare-options` Argo CD would call an
 * Application out of sync for ever once the document of a node is gone and not pruned.
 */
export const keepingAnnotations: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
  'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
}

const UID = ['metadata', 'uid']
const KEEPING = Object.entries(keepingAnnotations).map(([key, value]) => {
  return { path: ['metadata', 'annotations', key], value }
})

/** Returns the share of one field of a partial Node. */
export function nodeShare(name: string, path: readonly string[], value: unknown): Share {
  return { target: { apiVersion: 'v1', kind: 'Node', name }, path, value, file: FILE }
}

/**
 * Returns what every partial Node has beside its fields: the uid, without which the API server would create a node that
 * is gone and change one that was replaced, and annotations that keep the node from being pruned.
 */
export function nodeShares(name: string, uid: string | undefined): Share[] {
  const { target } = nodeShare(name, UID, uid)
  return [
    ...(uid === undefined ? [] : [{ target, path: UID, value: uid, file: FILE }]),
    ...KEEPING.map(({ path, value }): Share => ({ target, path, value, file: FILE })),
  ]
}
