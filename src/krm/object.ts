import { KrmError } from './error.ts'
import { isMap } from './map.ts'
import type { KubernetesObject } from './types.ts'

/** Refuses what has no apiVersion, kind and metadata, a name or namespace that is no scalar, or labels and annotations that are no maps. */
export function asObject(value: unknown, name: string): KubernetesObject {
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is not a Kubernetes object but ${describeType(value)}`)
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new KrmError('NotAnObject', `${name} has no apiVersion and kind`)
  }
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    throw new KrmError('NotAnObject', `${name}: metadata is ${describeType(metadata)}`)
  }
  if (!isMap(metadata)) return { ...value, apiVersion, kind, metadata: { name: '' } }
  for (const field of ['name', 'namespace']) refuseUnlessScalar(metadata[field], `${name}: metadata.${field}`)
  for (const field of ['labels', 'annotations']) refuseUnlessMap(metadata[field], `${name}: metadata.${field}`)
  return value as KubernetesObject
}

function refuseUnlessMap(value: unknown, name: string): void {
  if (value === undefined || value === null) return
  if (!isMap(value)) throw new KrmError('NotAnObject', `${name} is ${describeType(value)}`)
}

/** A name is said in every sentence and compared everywhere: a map has no text to be known by. */
function refuseUnlessScalar(value: unknown, name: string): void {
  if (typeof value === 'object' && value !== null)
    throw new KrmError('NotAnObject', `${name} is ${describeType(value)}`)
}

function describeType(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  return Array.isArray(value) ? 'a list' : `a ${typeof value === 'object' ? 'map' : typeof value}`
}
