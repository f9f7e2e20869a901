import type { Shape } from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isReadablePodSpec, podSpecOf, servedNodes } from '../../object/index.ts'

/** For each object by name those that it takes nodes over from, as far as these are rendered still. */
export function handedOver(
  now: readonly KubernetesObject[],
  before: readonly KubernetesObject[],
  shapes: readonly Shape[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const givers = new Map(now.map(({ metadata }) => [metadata.name, new Set<string>()]))
  for (const shape of shapes) {
    const [were, are] = [serversOf(before, shape), serversOf(now, shape)]
    for (const [node, server] of are) {
      const giver = were.get(node) ?? were.get(ALL)
      if (giver !== undefined && giver !== server && givers.has(giver)) givers.get(server)?.add(giver)
      if (node === ALL)
        for (const one of were.values()) if (one !== server && givers.has(one)) givers.get(server)?.add(one)
    }
  }
  return givers
}

/** No node is called so. */
const ALL = ''

/** Which object serves each node of a shape, or all of them. */
function serversOf(objects: readonly KubernetesObject[], shape: Shape): ReadonlyMap<string, string> {
  const servers = new Map<string, string>()
  for (const object of objects) {
    const pod = podSpecOf(object)
    if (!isReadablePodSpec(pod)) continue
    const served = servedNodes(pod, shape)
    if (served === 'all') return servers.set(ALL, object.metadata.name)
    for (const node of served) servers.set(node, object.metadata.name)
  }
  return servers
}
