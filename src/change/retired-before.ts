import { isLocalConfig } from '../krm/annotation.ts'
import { identityOf } from '../krm/identity.ts'
import { ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { indexBy, type Planned, type World } from '../world/index.ts'

/**
 * Whether earlier output that was given apart shows that an object was kept back before. A stream holds no source with its mark: it
 * shows what was rendered from the object, and not the object itself as what is applied.
 */
export function retiredBefore(planned: readonly Planned[], world: World): (item: Item) => boolean {
  if (world.earlierOutput.length === 0) return () => false
  const bySource = indexBy(planned, ({ source }) => source)
  const isApplied = ({ object }: Item) => ownerOf(object) === undefined && !isLocalConfig(object.metadata.annotations)
  const applied = new Set(world.earlierOutput.filter(isApplied).map(({ object }) => identityOf(object)))
  const isApart = (items: readonly Item[]) => items.some((item) => !world.holds(item))
  return (item) => {
    const { kind, metadata } = item.object
    if (applied.has(identityOf(item.object))) return false
    return (
      (bySource.get(item) ?? []).some(({ earlier }) => isApart(earlier)) ||
      // a run that is about another subject may have rendered from it, too
      isApart(world.earlier([ownerName(kind, metadata.name)], metadata.namespace).items)
    )
  }
}
