import type { KubernetesObject } from '../krm/types.ts'

/**
 * An object with annotations set, or taken off where they are undefined; in the order in which the API server gives
 * them back.
 */
export function withAnnotations(
  object: KubernetesObject,
  annotations: Readonly<Record<string, string | undefined>>,
): KubernetesObject {
  const all = Object.entries({ ...object.metadata.annotations, ...annotations }).filter(
    ([, text]) => text !== undefined,
  )
  const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, string>
  return { ...object, metadata: { ...object.metadata, annotations: sorted } }
}
