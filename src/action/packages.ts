import type { Finding } from '../finding/index.ts'
import { describe, packageOf } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import { isOrWasFieldsDocument } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { isNodeAction, isNodeInventory } from '../policy/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import type { Action } from './read-action.ts'

/**
 * Reports nodes of a cluster that another package writes to, too: by an action, or by a partial Node, which a pool may
 * have there.
 */
export function packageFindings(actions: readonly Action[], { everything, path }: World): Finding[] {
  const others = everything.filter((item) => packageOf(item) !== path)
  if (others.length === 0) return []
  const clusters = new Map(others.flatMap((item) => clusterOf(item).map((cluster) => [packageOf(item), cluster])))
  const held = new Map<string, Item>()
  for (const item of others) {
    const node = nodeOf(item, clusters.get(packageOf(item)))
    if (node !== undefined) held.set(node, item)
  }
  const isHolding = ({ target: { kind } }: Action) => kind === 'Node'
  return actions.filter(isHolding).flatMap(({ subject, cluster, target }) => {
    const other = held.get(`${cluster} ${target.name}`)
    if (other === undefined) return []
    const sentence = `${subject.metadata.name} and ${describe(other.object)} of package ${packageOf(other) || '.'} both write to Node ${target.name}`
    return [finding('NodeInTwoPackages', sentence, { subject })]
  })
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
