import { indexBy, memo, once, type Planned, type Rendered, type World } from '../core/index.ts'
import { withAnnotations } from '../core/object/with-annotations.ts'
import { NODEFIT_GROUP } from '../kinds/index.ts'
import { isLocalConfig, LOCAL_CONFIG } from '../krm/annotation.ts'
import { annotate } from '../krm/edit.ts'
import {
  ALLOW_DELETE,
  GROUP,
  NAMESPACE,
  NODE,
  NOT_APPLIED,
  OPENED,
  OPENED_FOR,
  OWNER,
  ownerName,
  ownerOf,
  RELEASED_BY,
  REQUIREMENTS,
  rememberedAnnotations,
  renderedNamespace,
  TEMPLATE,
} from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'

/** Marks an input as local configuration, so that no host applies it. */
export function markInput(item: Item): Item {
  return isLocalConfig(item.object.metadata.annotations) ? item : annotate(item, { [LOCAL_CONFIG]: 'true' })
}

/**
 * Marks a template as no longer applied itself, and records whether its user had done so already. `wasOurs` is for a
 * template without nodefit's mark that an earlier run kept back nevertheless. `refuse` is for one that the API server
 * is to refuse, whoever applies it.
 */
export function markTemplate(
  item: Item,
  { wasOurs = false, refuse = false }: { wasOurs?: boolean; refuse?: boolean } = {},
): { item: Item; retired: boolean } {
  const { annotations } = item.object.metadata
  const isLocal = isLocalConfig(annotations)
  const refused: Record<string, string> =
    refuse && annotations?.[NOT_APPLIED] === undefined ? { [NOT_APPLIED]: 'true' } : {}
  if (annotations?.[TEMPLATE] !== undefined && isLocal)
    return { item: Object.keys(refused).length === 0 ? item : annotate(item, refused), retired: false }
  const mark = isLocal && !wasOurs ? 'existing' : 'true'
  return { item: annotate(item, { [LOCAL_CONFIG]: 'true', ...refused, [TEMPLATE]: mark }), retired: !isLocal }
}

/** Removes exactly what `markTemplate` added; `wasOurs` has the same meaning. */
export function releaseTemplate(item: Item, wasOurs = false): { item: Item; released: boolean } {
  const { annotations } = item.object.metadata
  const mark = annotations?.[TEMPLATE] ?? (wasOurs && isLocalConfig(annotations) ? 'true' : undefined)
  if (mark === undefined) return { item, released: false }
  const ours = { [TEMPLATE]: null, ...(annotations?.[NOT_APPLIED] === undefined ? {} : { [NOT_APPLIED]: null }) }
  if (mark !== 'true') return { item: annotate(item, ours), released: false }
  return { item: annotate(item, { ...ours, [LOCAL_CONFIG]: null }), released: true }
}

/** What an object of a machine cannot say in another way: its size, when it was opened, and for which pods. */
const STAYING = [REQUIREMENTS, OPENED, OPENED_FOR]

/**
 * Releases an object: removes nodefit's annotations, except for the owner that may adopt it again, and what that owner
 * must know then: a pod for which a machine came gets no second one.
 */
export function releaseOutput(item: Item): Item {
  const keys = Object.keys(item.object.metadata.annotations ?? {})
  const ours = keys.filter((key) => key.startsWith(NODEFIT_GROUP) && !STAYING.includes(key))
  const owner = ownerOf(item.object)
  return annotate(item, {
    ...Object.fromEntries(ours.map((key) => [key, null])),
    ...(owner === undefined ? {} : { [RELEASED_BY]: owner }),
  })
}

/**
 * Returns a plan with nodefit's annotations on its objects: the owner; for an object of one node that node; for any
 * other its group, cluster with its uid, and node count, which the guards of the next run use. What a later function
 * moved to another namespace is rendered there. Kept objects keep their annotations. Where the cluster has the deletion
 * guard, DaemonSets say that they may not be deleted: what a person allowed in the cluster is taken back by the next
 * sync of what is still rendered.
 */
export function withOutputMarks(
  planned: Planned,
  { isSeen, options, clusterUid: uidOf }: Pick<World, 'isSeen' | 'options' | 'clusterUid'>,
): Planned {
  const { subject, earlier, cluster } = planned
  const { kind, metadata } = subject.object
  const clusterUid = cluster === undefined ? undefined : uidOf(cluster)
  const owner = planned.owner ?? ownerName(kind, metadata.name)
  const before = once(() => indexBy(earlier, ({ object }) => `${object.kind} ${object.metadata.name}`))
  // one look for each namespace: there are as many Tickets as nodes
  const movedFrom = memo((home: string) => movedItem(earlier, home))
  const marked = (rendered: Rendered): Rendered => {
    const { group, node, isKept } = rendered
    if (isKept === true) return rendered
    const object = planned.staysInNamespace === true ? rendered.object : inPlaceOf(movedFrom, rendered.object)
    if (node !== undefined) return { ...rendered, object: withAnnotations(object, { [OWNER]: owner, [NODE]: node }) }
    const home = isSeen ? { [NAMESPACE]: rendered.object.metadata.namespace ?? '' } : {}
    const [known] = before().get(`${object.kind} ${object.metadata.name}`) ?? []
    // no later run sees the object, so there is nothing to record on it
    const remembered = isSeen
      ? rememberedAnnotations({ nodes: countOf(rendered), cluster, clusterUid }, known?.object)
      : {}
    const groupMark = group === undefined ? {} : { [GROUP]: group.id }
    const isGuarded = options.guards.deletion && object.kind === 'DaemonSet'
    const guardMark = isGuarded ? { [ALLOW_DELETE]: 'false' } : {}
    return {
      ...rendered,
      object: withAnnotations(object, { [OWNER]: owner, ...home, ...groupMark, ...remembered, ...guardMark }),
    }
  }
  return { ...planned, objects: planned.objects.map(marked) }
}

/** Returns the first applied earlier object that is in another namespace. */
function movedItem(earlier: readonly Item[], home: string): Item | undefined {
  return earlier.find(({ object: { metadata } }) => {
    return (metadata.namespace ?? '') !== home && !isLocalConfig(metadata.annotations)
  })
}

/** Returns an object in the namespace to which a later function moved the earlier objects of the same subject. */
function inPlaceOf(movedFrom: (home: string) => Item | undefined, object: KubernetesObject): KubernetesObject {
  const { namespace: home = '' } = object.metadata
  if (isLocalConfig(object.metadata.annotations)) return object
  const moved = movedFrom(home)
  if (moved === undefined || renderedNamespace(moved.object) !== home) return object
  return { ...object, metadata: { ...object.metadata, namespace: moved.object.metadata.namespace } }
}

/**
 * Returns how many nodes an object serves; undefined for one that is never applied, or that has neither group nor
 * nodes.
 */
function countOf({ object, group, nodeCount }: Rendered): number | undefined {
  if (isLocalConfig(object.metadata.annotations)) return undefined
  return group !== undefined || nodeCount > 0 ? nodeCount : undefined
}
