import { isWireAnnotation, LOCAL_CONFIG } from '../krm/annotation.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'
import { withoutKeepOptions } from './keep-options.ts'

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

/** Annotations by which another tool would take the copy for its own. */
const FOREIGN_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.daemonset.template.generation',
  'argocd.argoproj.io/tracking-id',
  'config.k8s.io/owning-inventory',
  LOCAL_CONFIG,
])
/** A hook of Argo CD or Helm is no resource to Argo CD: it may never be applied, and is never pruned. */
const HOOKS = ['argocd.argoproj.io/hook', 'helm.sh/hook']
const FOREIGN_ANNOTATION_PREFIXES = ['meta.helm.sh/', 'internal.kpt.dev/', NODEFIT_GROUP, ...HOOKS]
/** By these Flux knows what it has applied. */
const FOREIGN_LABELS = new Set(
  ['kustomize', 'helm'].flatMap((controller) => [
    `${controller}.toolkit.fluxcd.io/name`,
    `${controller}.toolkit.fluxcd.io/namespace`,
  ]),
)
const MANAGED_BY = 'app.kubernetes.io/managed-by'

type TextMap = Record<string, string>

/** Annotations of a template that its copies may carry. */
export function copiedAnnotations(annotations: TextMap | null | undefined): TextMap {
  const kept = filtered(
    annotations,
    (key) => !FOREIGN_ANNOTATIONS.has(key) && !isWireAnnotation(key) && !startsWith(key, FOREIGN_ANNOTATION_PREFIXES),
  )
  return withoutKeepOptions(kept)
}

/** Labels of a template that its copies may carry; Helm does not manage the copies. */
export function copiedLabels(labels: TextMap | null | undefined): TextMap {
  const result = withoutKeepOptions(filtered(labels, (key) => !FOREIGN_LABELS.has(key)))
  if (result[MANAGED_BY] === 'Helm') result[MANAGED_BY] = 'nodefit'
  return result
}

function filtered(map: TextMap | null | undefined, keep: (key: string) => boolean): TextMap {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => keep(key)))
}

function startsWith(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix))
}
