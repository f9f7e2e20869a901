import { isWireAnnotation, LOCAL_CONFIG } from '../krm/annotation.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'
import { isKey } from './foreign-owners.ts'
import { withoutKeepOptions } from './keep-options.ts'
import { OWNER_KINDS } from './owner-kinds.ts'

/** What the API server keeps for itself; it has no meaning in another object. */
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

/** What kubectl, the API server and the host keep in annotations, of one object each. */
const OWN_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.daemonset.template.generation',
  LOCAL_CONFIG,
])
/** A hook of Argo CD or Helm is no resource to Argo CD: it may never be applied, and is never pruned. */
const HOOKS = ['argocd.argoproj.io/hook', 'helm.sh/hook']
const OWN_PREFIXES = ['internal.kpt.dev/', NODEFIT_GROUP, ...HOOKS]
const MANAGED_BY = 'app.kubernetes.io/managed-by'

type TextMap = Record<string, string>

/** Annotations of a template that its copies may carry. */
export function copyableAnnotations(annotations: TextMap | null | undefined): TextMap {
  const entries = Object.entries(annotations ?? {}).filter(
    ([key]) => !OWN_ANNOTATIONS.has(key) && !isWireAnnotation(key) && !OWN_PREFIXES.some((one) => key.startsWith(one)),
  )
  return withoutKeepOptions(withoutForeignMarks(Object.fromEntries(entries)))
}

/** Labels of a template that its copies may carry; whoever manages the template does not manage the copies. */
export function copyableLabels(labels: TextMap | null | undefined): TextMap {
  const result = withoutKeepOptions(withoutForeignMarks(labels ?? {}))
  if (result[MANAGED_BY] !== undefined) result[MANAGED_BY] = 'nodefit'
  return result
}

const PATTERNS = OWNER_KINDS.flatMap(({ keys = [] }) => keys)
const EXACT = new Set(PATTERNS.filter((pattern) => !pattern.endsWith('*')))
const OPEN = PATTERNS.filter((pattern) => pattern.endsWith('*'))

/**
 * Labels or annotations without those by which another controller would take a copy for its own, and apply, prune or adopt it.
 * They are the marks of an object's own metadata: none of these controllers goes by those of a pod that has an owner.
 */
export function withoutForeignMarks(map: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isForeignMark(key)))
}

function isForeignMark(key: string): boolean {
  return EXACT.has(key) || OPEN.some((pattern) => isKey(key, pattern))
}
