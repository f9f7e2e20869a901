import { factsOf, type Planned, type PlannedPackage, type World } from '../../core/index.ts'
import { isActionPolicy, isNodeAction, isNodeInventory } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe, packageOf } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { isOrWasFieldsDocument } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import type { Action } from './read-action.ts'

/**
 * Reports nodes of a cluster that another package writes to, too: by an action, or by a partial Node, which a pool may
 * have there.
 */
export function packageFindings(actions: readonly Action[], { everything, path }: World): Finding[] {
  const held = nodesElsewhere(everything, path)
  if (held.size === 0) return []
  const isHolding = ({ target: { kind } }: Action) => kind === 'Node'
  return actions.filter(isHolding).flatMap(({ subject, cluster, target }) => {
    const other = held.get(`${cluster} ${target.name}`)
    if (other === undefined) return []
    return [twoWriters(subject, other.object, packageOf(other), target.name)]
  })
}

/** Returns the nodes of a cluster that other packages of the run write to, by their names. */
export function nodeNamesElsewhere({ everything, path }: World, cluster: string): Set<string> {
  const start = `${cluster} `
  const nodes = [...nodesElsewhere(everything, path).keys()].filter((node) => node.startsWith(start))
  return new Set(nodes.map((node) => node.slice(start.length)))
}

/** Returns what writes to a node in another package than that of a path, by cluster and name of the node. */
function nodesElsewhere(everything: readonly Item[], path: string): Map<string, Item> {
  const held = new Map<string, Item>()
  const others = everything.filter((item) => packageOf(item) !== path)
  const clusters = new Map(others.flatMap((item) => clusterOf(item).map((cluster) => [packageOf(item), cluster])))
  for (const item of others) {
    const node = nodeOf(item, clusters.get(packageOf(item)))
    if (node !== undefined) held.set(node, item)
  }
  return held
}

/**
 * Reports nodes that an action is in effect on, and that a subject of another package writes to from this run on: its
 * document is not there yet.
 */
export function newDocumentFindings(packages: readonly PlannedPackage[]): Map<World, Finding[]> {
  return new Map(packages.map((one) => [one.world, findingsBeside(one, packages)] as const))
}

/** A subject of a package that writes to a node. */
interface Writer {
  readonly subject: KubernetesObject
  readonly path: string
}

function findingsBeside({ world, planned }: PlannedPackage, packages: readonly PlannedPackage[]): Finding[] {
  const acting = planned.flatMap((one) => actingOn(one, world))
  if (acting.length === 0) return []
  const writers = new Map<string, Writer>(packages.filter((one) => one.world !== world).flatMap(nodesOfOthers))
  return acting.flatMap(({ subject, name, node }) => {
    const other = writers.get(node)
    return other === undefined ? [] : [twoWriters(subject, other.subject, other.path, name)]
  })
}

/** Returns the actions that are in effect on a node, with cluster and name of it: none that is refused already. */
function actingOn({ actions = [], cluster }: Planned, { items }: World) {
  const byId = new Map(
    items.flatMap(({ object }) => (isNodeAction(object) ? [[memberOf(object.spec, 'id'), object] as const] : [])),
  )
  return actions.flatMap(({ id, target, state }) => {
    const subject = byId.get(id)
    const isInEffect = target.kind === 'Node' && (state === 'in effect' || state === 'done')
    return subject === undefined || !isInEffect
      ? []
      : [{ subject, name: target.name, node: `${cluster} ${target.name}` }]
  })
}

/** Returns the nodes that subjects of a package write to; of two actions each package sees the other's file. */
function nodesOfOthers({ world, planned }: PlannedPackage): Array<readonly [node: string, Writer]> {
  const [fleet, another] = factsOf(planned).fleets
  return planned.flatMap(({ subject: { object: subject }, cluster: known, shares }) => {
    if (isActionPolicy(subject)) return []
    const cluster = known ?? memberOf(subject.spec, 'cluster') ?? (another === undefined ? fleet?.cluster : undefined)
    const nodes = shares.flatMap(({ target }) => (target.kind === 'Node' ? [target.name] : []))
    return nodes.map((node) => [`${cluster} ${node}`, { subject, path: world.path }] as const)
  })
}

function twoWriters(subject: KubernetesObject, other: KubernetesObject, path: string, node: string): Finding {
  const sentence = `${subject.metadata.name} and ${describe(other)} of package ${path || '.'} both write to Node ${node}`
  return finding('NodeInTwoPackages', sentence, { subject })
}

/** Returns the cluster of an inventory. */
function clusterOf({ object }: Item): string[] {
  const cluster = isNodeInventory(object) ? memberOf(object.spec, 'cluster') : undefined
  return typeof cluster === 'string' ? [cluster] : []
}

/** Returns cluster and name of the node that an action or a partial Node is for; `cluster` is that of its package. */
function nodeOf({ object }: Item, cluster: string | undefined): string | undefined {
  if (object.kind === 'Node' && cluster !== undefined && isOrWasFieldsDocument(object))
    return `${cluster} ${object.metadata.name}`
  if (!isNodeAction(object)) return undefined
  const target = memberOf(object.spec, 'target')
  if (memberOf(target, 'kind') !== 'Node') return undefined
  return `${String(memberOf(object.spec, 'cluster'))} ${String(memberOf(target, 'name'))}`
}
