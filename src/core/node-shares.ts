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

/** Returns what says which Node a share is of. The shares of one Node are best given the same one. */
export function nodeTarget(name: string): Share['target'] {
  return { apiVersion: 'v1', kind: 'Node', name }
}

/** Returns the share of one field of a partial Node. */
export function nodeShare(target: Share['target'], path: readonly string[], value: unknown): Share {
  return { target, path, value, file: FILE }
}

/**
 * Returns what every partial Node has beside its fields: the uid, without which the API server would create a node that
 * is gone and change one that was replaced, and annotations that keep the node from being pruned.
 */
export function nodeShares(target: Share['target'], uid: string | undefined): Share[] {
  const shares = KEEPING.map(({ path, value }) => nodeShare(target, path, value))
  return uid === undefined ? shares : [nodeShare(target, UID, uid), ...shares]
}
