import type { Finding } from '../finding/index.ts'
import { describe, packageOf } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import type { Item } from '../krm/types.ts'
import { isNodeAction } from '../policy/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import type { Action } from './read-action.ts'

/** Reports nodes of a cluster that actions of another package hold, too. */
export function packageFindings(actions: readonly Action[], { everything, path }: World): Finding[] {
  const others = everything.filter((item) => packageOf(item) !== path)
  if (others.length === 0) return []
  const held = new Map<string, Item>()
  for (const item of others) {
    const node = nodeOf(item)
    if (node !== undefined) held.set(node, item)
  }
  const isHolding = ({ target: { kind } }: Action) => kind === 'Node'
  return actions.filter(isHolding).flatMap(({ subject, cluster, target }) => {
    const other = held.get(`${cluster} ${target.name}`)
    if (other === undefined) return []
    const sentence = `${subject.metadata.name} and ${describe(other.object)} of package ${packageOf(other) || '.'} both act on Node ${target.name}`
    return [finding('NodeInTwoPackages', sentence, { subject })]
  })
}

/** Returns cluster and name of the node that an action is for. */
function nodeOf({ object }: Item): string | undefined {
  if (!isNodeAction(object)) return undefined
  const target = memberOf(object.spec, 'target')
  if (memberOf(target, 'kind') !== 'Node') return undefined
  return `${String(memberOf(object.spec, 'cluster'))} ${String(memberOf(target, 'name'))}`
}
