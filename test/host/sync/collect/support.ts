import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import type { MakeInformer, WatchedResource } from '../../../../src/host/sync/collect/collector.ts'

/** A watch of these objects, whatever the path; a test decides whether they were listed. */
export function watchOf(objects: readonly KubeObject[]) {
  const state = { isSynced: true, unread: '' }
  const watched: Array<Pick<WatchedResource<unknown>, 'path' | 'query'>> = []
  const watch: MakeInformer = ({ path, query, trim, keyOf }) => {
    watched.push({ path, query })
    const key = keyOf ?? (({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    const items = new Map(
      objects.flatMap((object) => {
        const value = trim(object)
        return value === undefined ? [] : [[key(object), value] as const]
      }),
    )
    return {
      start: async () => {},
      get isSynced() {
        return state.isSynced && state.unread !== path
      },
      items: () => items,
    }
  }
  return { watch, watched, state }
}

/** A DaemonSet as nodefit renders it. */
export const rendered = (name: string, group = 'value:m5.large', more: object = {}): KubeObject => ({
  metadata: {
    name,
    namespace: 'kubescape',
    uid: `uid-${name}`,
    annotations: { 'nodefit.dev/owner': 'SizingPolicy/node-agent', 'nodefit.dev/group': group },
  } as KubeObject['metadata'],
  spec: { selector: { matchLabels: { app: 'agent', 'nodefit.dev/node-group': name } } },
  ...more,
})
