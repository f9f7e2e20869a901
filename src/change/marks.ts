import { isLocalConfig, LOCAL_CONFIG } from '../krm/annotation.ts'
import { annotate } from '../krm/edit.ts'
import { ownerOf, RELEASED_BY, TEMPLATE } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'

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
