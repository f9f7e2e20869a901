import type { LiveNode } from '../../inventory/index.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { Quantity, type ResourceQuantities, units } from '../../kube/index.ts'
import { isWorkloadSnapshot } from '../../policy/index.ts'
import { indexBy, memo, type Planned, type World } from '../../world/index.ts'

/** What other pods request on a node; undefined where no snapshot says. */
export type Room = (node: string) => ResourceQuantities | undefined

/**
 * For each subject what pods request on the nodes, without those of its own agents: of its template, of what it rendered before and
 * of what it renders now, and of the same of every other subject with that template. They make room for their successors.
 * Undefined where no snapshot says anything of nodes.
 */
export function roomsIn(all: readonly Planned[], world: World): (planned: Planned) => Room | undefined {
  const isKnown = world.items.some(({ object }) => isWorkloadSnapshot(object) && hasNodes(object))
  if (!isKnown) return () => undefined
  const nodesOf = memo((cluster: string | undefined) =>
    indexBy(world.live(cluster).value?.nodes ?? [], ({ name }) => name),
  )
  const alike = indexBy(all, originOf)
  const agentsOf = memo((origin: Item) => agentsIn(alike.get(origin) ?? []))
  return (planned) => {
    const nodes = nodesOf(planned.cluster)
    const agents = agentsOf(originOf(planned))
    return (name) => {
      const [node] = nodes.get(name) ?? []
      return node?.used === undefined ? undefined : others(node, node.used, agents)
    }
  }
}

function originOf({ source, subject }: Planned): Item {
  return source ?? subject
}

function hasNodes({ spec }: KubernetesObject): boolean {
  return Array.isArray((spec as { nodes?: unknown } | null | undefined)?.nodes)
}

function agentsIn(alike: readonly Planned[]): ReadonlySet<string> {
  const objects = alike.flatMap(({ objects, earlier, source }) => [
    ...objects.map(({ object }) => object),
    ...[...earlier, ...(source === undefined ? [] : [source])].map(({ object }) => object),
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
