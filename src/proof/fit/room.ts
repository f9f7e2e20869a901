import type { LiveNode } from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { Quantity, type ResourceQuantities, units } from '../../kube/index.ts'
import { isWorkloadSnapshot } from '../../policy/index.ts'
import { indexBy, memo, type Planned, type World } from '../../world/index.ts'

/** What other pods request on a node; undefined where no snapshot says. */
export type Room = (node: string) => ResourceQuantities | undefined

/**
 * Looks up what pods request on the nodes of a cluster, without the agents of the subjects: of their templates, of what
 * they rendered before and of what they render now. They make room for their successors. Undefined where no snapshot
 * says anything of nodes.
 */
export function roomIn(all: readonly Planned[], world: World): ((cluster: string | undefined) => Room) | undefined {
  const isKnown = world.items.some(({ object }) => isWorkloadSnapshot(object) && hasNodes(object))
  if (!isKnown) return undefined
  const agents = agentsOf(all)
  const nodesOf = memo((cluster: string | undefined) =>
    indexBy(world.live(cluster).value?.nodes ?? [], ({ name }) => name),
  )
  return (cluster) => (name) => {
    const [node] = nodesOf(cluster).get(name) ?? []
    return node?.used === undefined ? undefined : others(node, node.used, agents)
  }
}

function hasNodes({ spec }: KubernetesObject): boolean {
  return Array.isArray((spec as { nodes?: unknown } | null | undefined)?.nodes)
}

/** The agents of enabled subjects, and of others with their templates. */
function agentsOf(all: readonly Planned[]): ReadonlySet<string> {
  const used = new Set(all.flatMap(({ isEnabled, source }) => (isEnabled ? (source ?? []) : [])))
  const replaced = all.filter(({ isEnabled, source }) => isEnabled || (source !== undefined && used.has(source)))
  const objects = replaced.flatMap((one) => [
    ...one.objects.map(({ object }) => object),
    ...[...one.earlier, ...(one.source === undefined ? [] : [one.source])].map(({ object }) => object),
  ])
  return new Set(objects.filter(({ kind }) => kind === 'DaemonSet').flatMap(({ metadata }) => keysOf(metadata)))
}

/** An object without namespace gets one later, whichever that is. */
function keysOf({ namespace, name }: { namespace?: string; name: string }): string[] {
  return [namespace === undefined ? name : `${namespace}/${name}`]
}

function others({ daemonPods }: LiveNode, used: ResourceQuantities, agents: ReadonlySet<string>): ResourceQuantities {
  const left = new Map(Object.entries(used).map(([name, text]) => [name, units(name, Quantity.parse(text))]))
  const own = daemonPods.filter(({ namespace, name }) => agents.has(name) || agents.has(`${namespace}/${name}`))
  for (const { requests } of own) {
    for (const [name, text] of [...Object.entries(requests), ['pods', 1] as const])
      left.set(name, (left.get(name) ?? 0n) - units(name, Quantity.parse(text)))
  }
  return Object.fromEntries([...left].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]))
}
