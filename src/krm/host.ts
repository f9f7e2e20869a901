import { isWireAnnotation } from './annotation.ts'
import type { KubernetesObject } from './types.ts'

/** An object without what only the host's wire needs. */
export function withoutWire(object: KubernetesObject): KubernetesObject {
  const { annotations, ...metadata } = object.metadata
  const own = Object.entries(annotations ?? {}).filter(([key]) => !isWireAnnotation(key))
  return { ...object, metadata: own.length > 0 ? { ...metadata, annotations: Object.fromEntries(own) } : metadata }
}
