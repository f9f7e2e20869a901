import { sortedByKey } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'

/**
 * An object with annotations set, or taken off where they are undefined; in the order in which the API server gives
 * them back.
 */
export function withAnnotations(
  object: KubernetesObject,
  annotations: Readonly<Record<string, string | undefined>>,
): KubernetesObject {
  const all: Record<string, string | undefined> = { ...object.metadata.annotations, ...annotations }
  for (const key of Object.keys(all)) if (all[key] === undefined) delete all[key]
  return { ...object, metadata: { ...object.metadata, annotations: sortedByKey(all) as Record<string, string> } }
}
