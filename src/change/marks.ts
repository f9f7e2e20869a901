import { isLocalConfig, LOCAL_CONFIG } from '../krm/annotation.ts'
import { annotate } from '../krm/edit.ts'
import {
  GROUP,
  NODE,
  OWNER,
  ownerName,
  ownerOf,
  RELEASED_BY,
  rememberedAnnotations,
  TEMPLATE,
} from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { withAnnotations } from '../object/with-annotations.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'
import { indexBy, once, type Planned, type Rendered, type World } from '../world/index.ts'

/** An input leaves as local configuration, so that no host applies it. */
export function markInput(item: Item): Item {
  return isLocalConfig(item.object.metadata.annotations) ? item : annotate(item, { [LOCAL_CONFIG]: 'true' })
}

/**
 * A template is no longer applied itself; whether its user had arranged that already is remembered. `wasOurs` is for
 * one without a mark of ours that an earlier run kept back all the same.
 */
export function markTemplate(item: Item, wasOurs = false): { item: Item; retired: boolean } {
  const { annotations } = item.object.metadata
  const isLocal = isLocalConfig(annotations)
  if (annotations?.[TEMPLATE] !== undefined && isLocal) return { item, retired: false }
  if (isLocal) return { item: annotate(item, { [TEMPLATE]: wasOurs ? 'true' : 'existing' }), retired: false }
  return { item: annotate(item, { [LOCAL_CONFIG]: 'true', [TEMPLATE]: 'true' }), retired: true }
}

/** Takes off what `markTemplate` put on, and no more; `wasOurs` as there. */
export function releaseTemplate(item: Item, wasOurs = false): { item: Item; released: boolean } {
  const { annotations } = item.object.metadata
  const mark = annotations?.[TEMPLATE] ?? (wasOurs && isLocalConfig(annotations) ? 'true' : undefined)
  if (mark === undefined) return { item, released: false }
  if (mark !== 'true') return { item: annotate(item, { [TEMPLATE]: null }), released: false }
  return { item: annotate(item, { [TEMPLATE]: null, [LOCAL_CONFIG]: null }), released: true }
}

/** An object that is no longer ours: without our annotations, but for the owner that may adopt it again. */
export function releaseOutput(item: Item): Item {
  const ours = Object.keys(item.object.metadata.annotations ?? {}).filter((key) => key.startsWith(NODEFIT_GROUP))
  const owner = ownerOf(item.object)
  return annotate(item, {
    ...Object.fromEntries(ours.map((key) => [key, null])),
    ...(owner === undefined ? {} : { [RELEASED_BY]: owner }),
  })
}

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
