import { isLocalConfig } from '../krm/annotation.ts'
import { GROUP, NODE, OWNER, ownerName, rememberedAnnotations } from '../krm/remembered.ts'
import { withAnnotations } from '../object/with-annotations.ts'
import { indexBy, once, type Planned, type Rendered, type World } from '../world/index.ts'

/**
 * A plan with our annotations on its objects: the owner; for an object of one node that node; for any other its group,
 * cluster and node count, from which the guards of the next run count. Objects that are kept keep what they have.
 */
export function withOutputMarks(planned: Planned, { isSeen }: Pick<World, 'isSeen'>): Planned {
  const { subject, earlier, cluster } = planned
  const { kind, metadata } = subject.object
  const owner = planned.owner ?? ownerName(kind, metadata.name)
  const before = once(() => indexBy(earlier, ({ object }) => `${object.kind} ${object.metadata.name}`))
  const marked = (rendered: Rendered): Rendered => {
    const { object, group, node, isKept } = rendered
    if (isKept === true) return rendered
    if (node !== undefined) return { ...rendered, object: withAnnotations(object, { [OWNER]: owner, [NODE]: node }) }
    const [known] = before().get(`${object.kind} ${object.metadata.name}`) ?? []
    // where no later run sees the object there is nothing to remember for it
    const remembered = isSeen ? rememberedAnnotations({ nodes: countOf(rendered), cluster }, known?.object) : {}
    const groupMark = group === undefined ? {} : { [GROUP]: group.id }
    return { ...rendered, object: withAnnotations(object, { [OWNER]: owner, ...groupMark, ...remembered }) }
  }
  return { ...planned, objects: planned.objects.map(marked) }
}

/** The nodes that an object serves; what is never applied serves none, and what is for no nodes counts none. */
function countOf({ object, group, nodeCount }: Rendered): number | undefined {
  if (isLocalConfig(object.metadata.annotations)) return undefined
  return group !== undefined || nodeCount > 0 ? nodeCount : undefined
}
