import type { LiveNode } from '../../inventory/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { Quantity, type ResourceQuantities, units } from '../../kube/index.ts'
import { isWorkloadSnapshot } from '../../policy/index.ts'
import { indexBy, type Planned, type World } from '../../world/index.ts'

/** What other pods request on a node; undefined where no snapshot says. */
export type Room = (node: string) => ResourceQuantities | undefined

/**
 * What pods request on the nodes of a subject, without those of its own agents: of its template, of what it rendered before and
 * of what it renders now, and of the same of every other subject with that template. They make room for their successors.
 * Undefined where no snapshot says anything of nodes.
 */
export function roomOf(planned: Planned, all: readonly Planned[], world: World): Room | undefined {
  const isKnown = world.items.some(({ object }) => isWorkloadSnapshot(object) && hasNodes(object))
  if (!isKnown) return undefined
  const { value: live } = world.live(planned.cluster)
  const nodes = indexBy(live?.nodes ?? [], ({ name }) => name)
  const agents = ownAgents(planned, all)
  return (name) => {
    const [node] = nodes.get(name) ?? []
    return node?.used === undefined ? undefined : others(node, node.used, agents)
  }
}

function hasNodes({ spec }: KubernetesObject): boolean {
  return Array.isArray((spec as { nodes?: unknown } | null | undefined)?.nodes)
}

function ownAgents({ source, subject }: Planned, all: readonly Planned[]): ReadonlySet<string> {
  const alike = all.filter((one) => one.subject === subject || (source !== undefined && one.source === source))
  const objects = alike.flatMap((one) => [
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
