import { INDEX, LEGACY_INDEX, LEGACY_PATH, PACKAGE_PATH, PATH } from './annotation.ts'
import type { Item, KubernetesObject } from './types.ts'

/** The API group of an apiVersion; the core group is empty. */
export function apiGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** Group, kind, namespace and name as one key: what makes two objects the same to the API server. */
export function identityOf(object: KubernetesObject): string {
  const { namespace = '', name } = object.metadata
  return [apiGroup(object.apiVersion), object.kind, namespace, name].join('|')
}

/** Kind, namespace and name as a reader would say them; a name may be gone from what a user has edited. */
export function describe(object: KubernetesObject): string {
  const { namespace, name } = object.metadata as Partial<KubernetesObject['metadata']>
  const isNamed = name !== undefined && name !== null && name !== ''
  if (!isNamed) return `${object.kind} without a name${namespace ? ` in namespace ${namespace}` : ''}`
  return `${object.kind} ${namespace ? `${namespace}/` : ''}${name}`
}

/** The package an item lies in, as the host names it; empty on hosts that do not say. */
export function packageOf(item: Item): string {
  return annotation(item, PACKAGE_PATH) ?? ''
}

/** The file an item lies in, relative to its package; undefined on hosts that do not say. */
export function pathOf(item: Item): string | undefined {
  return annotation(item, PATH) ?? annotation(item, LEGACY_PATH)
}

/** The place of an item's document within its file. */
export function indexOf(item: Item): number | undefined {
  const text = annotation(item, INDEX) ?? annotation(item, LEGACY_INDEX)
  return text === undefined || !/^[0-9]+$/.test(text) ? undefined : Number(text)
}

/** What a host wrote; a map or list in its place says nothing. */
function annotation(item: Item, key: string): string | undefined {
  const text: unknown = item.object.metadata.annotations?.[key]
  return typeof text === 'object' ? undefined : (text as string | undefined)
}
