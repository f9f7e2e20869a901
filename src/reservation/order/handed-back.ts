import { ownerName, ownerOf } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { findTarget } from '../../object/index.ts'
import type { SizingSettings } from '../../policy/index.ts'
import { earlierOf, type World } from '../../world/index.ts'
import { isDaemonOrder } from './read-order.ts'
import { nameTells } from './target.ts'

/**
 * The Order in DaemonSet mode that a run for one disabled policy hands back. Such a run plans it as one of the whole
 * package does, so that its nodes have Tickets again and the guards see both; undefined while another policy's Tickets
 * of it are in the package.
 */
export function handedBack(policy: SizingSettings, world: World): Item | undefined {
  if (world.plansAllSubjects || policy.enabled) return undefined
  const { value: source } = findTarget(world.named(policy.target), world.items, policy)
  if (source === undefined || !isDaemonOrder(source.object)) return undefined
  const { namespace } = source.object.metadata
  const own = new Set(earlierOf(policy, source.object, world))
  const isOfIt = nameTells(source.object, world)
  const isUsed = world.items.some((item) => {
    const isSized = ownerOf(item.object)?.startsWith(ownerName('SizingPolicy', '')) === true
    return isSized && !own.has(item) && item.object.metadata.namespace === namespace && isOfIt(item.object)
  })
  return isUsed ? undefined : source
}
