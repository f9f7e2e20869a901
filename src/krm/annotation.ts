import type { KubernetesObject } from './types.ts'

/**
 * The annotations in which hosts record where an item comes from (KRM Functions Specification; krm-hosts section 1.2).
 */
export const PATH = 'internal.config.kubernetes.io/path'
export const INDEX = 'internal.config.kubernetes.io/index'
export const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path'
/** The folder in which a command of nodefit found the file; hosts write none. */
export const ROOT = 'internal.config.kubernetes.io/nodefit-root'
export const LEGACY_PATH = 'config.kubernetes.io/path'
export const LEGACY_INDEX = 'config.kubernetes.io/index'
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
