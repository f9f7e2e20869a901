import { NODEFIT_GROUP } from '../../kinds/index.ts'
import { isWireAnnotation, LOCAL_CONFIG } from '../../krm/annotation.ts'
import { isKey } from './foreign-owners.ts'
import { withoutKeepOptions } from './keep-options.ts'
import { OWNER_KINDS } from './owner-kinds.ts'

/** Fields that the API server sets, without meaning in another object. */
export const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'ownerReferences',
  'finalizers',
  'selfLink',
  'generateName',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

/** Annotations that kubectl, the API server or the host keep for one object. */
const UNCOPIED_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.daemonset.template.generation',
  LOCAL_CONFIG,
])
/** Argo CD and Helm treat a hook as an action, not a resource: it may never be applied, and is never pruned. */
const HOOKS = ['argocd.argoproj.io/hook', 'helm.sh/hook']
const UNCOPIED_PREFIXES = ['internal.kpt.dev/', NODEFIT_GROUP, ...HOOKS]
const MANAGED_BY = 'app.kubernetes.io/managed-by'

type TextMap = Record<string, string>

/** Returns the annotations of a template that copies may carry. */
export function copyableAnnotations(annotations: TextMap | null | undefined): TextMap {
  const entries = Object.entries(annotations ?? {}).filter(
    ([key]) =>
      !UNCOPIED_ANNOTATIONS.has(key) && !isWireAnnotation(key) && !UNCOPIED_PREFIXES.some((one) => key.startsWith(one)),
  )
  return withoutKeepOptions(withoutForeignMarks(Object.fromEntries(entries)))
}

/** Returns the labels of a template that copies may carry. The manager of the template does not manage the copies. */
export function copyableLabels(labels: TextMap | null | undefined): TextMap {
  const result = withoutKeepOptions(withoutForeignMarks(labels ?? {}))
  if (result[MANAGED_BY] !== undefined) result[MANAGED_BY] = 'nodefit'
  return result
}

const PATTERNS = OWNER_KINDS.flatMap(({ keys = [] }) => keys)
const EXACT = new Set(PATTERNS.filter((pattern) => !pattern.endsWith('*')))
const OPEN = PATTERNS.filter((pattern) => pattern.endsWith('*'))

/**
 * Removes the labels or annotations by which another controller would take a copy as its own and apply, prune or adopt
 * it. For an object's own metadata only: none of these controllers reads them on a pod that has an owner.
 */
export function withoutForeignMarks(map: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isForeignMark(key)))
}

function isForeignMark(key: string): boolean {
  return EXACT.has(key) || OPEN.some((pattern) => isKey(key, pattern))
}
