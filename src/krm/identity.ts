import type { Item, KubernetesObject } from './types.ts'

/** Returns the API group of an apiVersion; empty for the core group. */
export function apiGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** Returns group, kind, namespace and name as one key: the API server's identity of an object. */
export function identityOf(object: KubernetesObject): string {
  const { namespace, name } = object.metadata as Partial<KubernetesObject['metadata']>
  return `${apiGroup(object.apiVersion)}|${object.kind}|${namespace ?? ''}|${name ?? ''}`
}

/** Formats kind, namespace and name for a message. A user may have removed the name. */
export function describe(object: KubernetesObject): string {
  const { namespace, name } = object.metadata as Partial<KubernetesObject['metadata']>
  const isNamed = name !== undefined && name !== null && name !== ''
  if (!isNamed) return `${object.kind} without a name${namespace ? ` in namespace ${namespace}` : ''}`
  return `${object.kind} ${namespace ? `${namespace}/` : ''}${name}`
}

/** Returns the package of an item, as the host names it; empty on hosts that do not record it. */
export function packageOf(item: Item): string {
  return annotation(item, PACKAGE_PATH) ?? ''
}

/** Returns the file of an item, relative to its package; undefined on hosts that do not record it. */
export function pathOf(item: Item): string | undefined {
  return annotation(item, PATH) ?? annotation(item, LEGACY_PATH)
}

/**
 * Returns where the file of an item is, comparable over all packages of a run; undefined on hosts that do not record
 * it.
 */
export function locationOf(item: Item): string | undefined {
  const path = pathOf(item)
  return typeof path === 'string' ? joinPath(annotation(item, ROOT) ?? packageOf(item), path) : undefined
}

/** Joins paths as kustomize does: `.`, `..` and empty parts are resolved. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}

/** Returns the index of an item's document in its file; undefined on hosts that do not record it. */
export function indexOf(item: Item): number | undefined {
  const text = annotation(item, INDEX) ?? annotation(item, LEGACY_INDEX)
  return text === undefined || !/^[0-9]+$/.test(text) ? undefined : Number(text)
}

/** Returns an annotation written by the host; undefined if it is a map or list. */
function annotation(item: Item, key: string): string | undefined {
  const text: unknown = item.object.metadata.annotations?.[key]
  return typeof text === 'object' ? undefined : (text as string | undefined)
}

/**
 * The annotations in which hosts record where an item comes from (KRM Functions Specification; krm-hosts section 1.2).
 */
export const PATH = 'internal.config.kubernetes.io/path'
export const INDEX = 'internal.config.kubernetes.io/index'
export const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path'
/** The folder in which a command of nodefit found the file; hosts write none. */
export const ROOT = 'internal.config.kubernetes.io/nodefit-root'
export const LEGACY_PATH = 'config.kubernetes.io/path'
const LEGACY_INDEX = 'config.kubernetes.io/index'
export const LOCAL_CONFIG = 'config.kubernetes.io/local-config'

/**
 * The id that kpt gives an item chosen by a selector. If it is present, the function does not see the whole package.
 */
export const SELECTED = ['internal.config.k8s.io/kpt-resource-id', 'internal.config.kubernetes.io/kpt-resource-id']

const WIRE_PREFIXES = [
  'internal.config.kubernetes.io/',
  'internal.config.k8s.io/',
  'config.k8s.io/',
  'kustomize.config.k8s.io/',
]
const WIRE_KEYS = new Set([LEGACY_PATH, LEGACY_INDEX])

/** Whether an annotation belongs to the host's wire format, not to the object. */
export function isWireAnnotation(key: string): boolean {
  return WIRE_KEYS.has(key) || WIRE_PREFIXES.some((prefix) => key.startsWith(prefix))
}

/** Whether an object is local configuration, which is never applied: the annotation has any value but "false". */
export function isLocalConfig(annotations: Record<string, string> | null | undefined): boolean {
  const value = annotations?.[LOCAL_CONFIG]
  return value !== undefined && value !== 'false'
}

/** Returns the object without the annotations of the host's wire format; what is kept stays in its place. */
export function withoutWireAnnotations(object: KubernetesObject): KubernetesObject {
  const { annotations, ...metadata } = object.metadata
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !isWireAnnotation(key))
  if (kept.length === 0) return { ...object, metadata }
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } }
}
