import { NODEFIT_GROUP } from '../../kinds/index.ts'
import { isWireAnnotation, LOCAL_CONFIG } from '../../krm/identity.ts'
import { isMap } from '../../krm/map.ts'
import { OWNED_BY } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { CHART, type Marks, OWNER_KINDS, type OwnerKind } from './owner-kinds.ts'

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

/** A tool or controller that applies an object, and would recreate it. */
export interface ForeignOwner {
  /** Kind and name, such as `Helm release fluent-bit in logging`. */
  readonly text: string
  /** Where to switch the object off in that owner. */
  readonly off: string
}

const BETWEEN = '; '
// openshift/cluster-network-operator: pkg/controller/operconfig/operconfig_controller.go;
// elastic/cloud-on-k8s: pkg/controller/beat/common/reconcile.go
const CONTROLLER = { called: 'controller', off: 'in that object' }
const OPERATOR = { called: 'operator', off: 'in the resource that it reads' }
const MANAGERS = new Set(OWNER_KINDS.flatMap(({ managedBy = [] }) => managedBy))

/**
 * Returns the owners that an object's labels, annotations, field managers or controller reference name, and those in
 * `nodefit.dev/owned-by`. `app.kubernetes.io/managed-by: Helm` counts without a release, too: the manifest may be the
 * output of `helm template` for a chart that is installed.
 */
export function foreignOwners(object: KubernetesObject): ForeignOwner[] {
  const marked = [...markedOwners(marksOf(object)), ...recordedOwners(object)]
  const owners = [...new Map(marked.map((owner) => [owner.text, owner])).values()]
  // a chart only says how the manifest was made: others say who applies it
  const others = owners.filter(({ text }) => !text.startsWith(CHART))
  return others.length > 0 ? others : owners
}

/**
 * Returns the value of `nodefit.dev/owned-by` for an object whose marks are removed, such as `Helm release r in ns`,
 * several separated by `; `. Undefined if it has no other owner.
 */
export function ownedByText(object: KubernetesObject): string | undefined {
  const owners = foreignOwners(object)
  return owners.length === 0 ? undefined : owners.map(({ text }) => text).join(BETWEEN)
}

function markedOwners(marks: Marks): ForeignOwner[] {
  const known = OWNER_KINDS.filter((kind) => isMarkedBy(kind, marks)).flatMap(({ called, off, which }) => {
    const name = which === undefined ? '' : which(marks)
    return name === undefined ? [] : [{ text: ownerText(called, name), off }]
  })
  const manager = managerOf(marks) ?? ''
  const isOther = manager.endsWith('operator') && !MANAGERS.has(manager)
  return [
    ...known,
    ...(isOther ? [{ text: ownerText(OPERATOR.called, manager), off: OPERATOR.off }] : []),
    ...(marks.controller === undefined
      ? []
      : [{ text: ownerText(CONTROLLER.called, marks.controller), off: CONTROLLER.off }]),
  ]
}

/** A user may have written any text there; it is reported as written. */
function recordedOwners({ metadata }: KubernetesObject): ForeignOwner[] {
  const text: unknown = metadata.annotations?.[OWNED_BY]
  if (typeof text !== 'string') return []
  const texts = text.split(BETWEEN.trim()).map((one) => one.trim())
  return texts.filter((one) => one !== '').map((one) => ({ text: one, off: offOf(one) }))
}

function offOf(text: string): string {
  const kinds = [...OWNER_KINDS, CONTROLLER, OPERATOR]
  const kind = kinds.find(({ called }) => text === called || text.startsWith(`${called} `))
  return kind?.off ?? 'where that has it from'
}

function ownerText(called: string, name: string): string {
  return name === '' ? called : `${called} ${name}`
}

/** Reads the marks of an object, and skips values of the wrong type. */
function marksOf({ metadata }: KubernetesObject): Marks {
  const { labels, annotations } = metadata
  const fields = metadata as unknown as { managedFields?: unknown; ownerReferences?: unknown }
  const texts = [annotations, labels].flatMap((map) => Object.entries(isMap(map) ? map : {}))
  const managers = listOf(fields.managedFields).map(({ manager }) => manager)
  const controller = listOf(fields.ownerReferences).find((reference) => reference.controller === true)
  return {
    texts: Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    fieldManagers: managers.filter((manager) => typeof manager === 'string'),
    ...(controller === undefined ? {} : { controller: `${String(controller.kind)} ${String(controller.name)}` }),
  }
}

/** Returns the value of the label `app.kubernetes.io/managed-by`, else of the one that charts wrote before it. */
function managerOf({ texts }: Marks): string | undefined {
  return texts[MANAGED_BY] ?? texts.heritage
}

/** Whether an object has a mark by which this kind of owner recognizes its objects. */
function isMarkedBy(kind: OwnerKind, marks: Marks): boolean {
  const { keys = [], managedBy = [], fieldManager } = kind
  return (
    Object.keys(marks.texts).some((key) => keys.some((pattern) => isKey(key, pattern))) ||
    managedBy.includes(managerOf(marks) ?? '') ||
    (fieldManager !== undefined && marks.fieldManagers.includes(fieldManager))
  )
}

/** Whether a label or annotation key matches a pattern; a `*` at the end stands for any characters. */
export function isKey(key: string, pattern: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isMap) : []
}

interface KeepOption {
  readonly key: string
  /** The value, or one of the values in a comma-separated list. */
  readonly value: string
  /** Whether the tool keeps the object in the cluster when it is removed from Git. */
  readonly stays?: boolean
}

const ARGO = 'argocd.argoproj.io/'
const FLUX = 'kustomize.toolkit.fluxcd.io/'

/**
 * Options that tell a GitOps tool not to delete, apply or compare an object (gitops-engine's sync options, Flux'
 * `AnyInMetadata` exclusions, cli-utils' lifecycle annotations). `Prune=confirm` is not one of them, since it still
 * deletes after a confirmation.
 */
const OPTIONS: readonly KeepOption[] = [
  { key: `${ARGO}sync-options`, value: 'Prune=false', stays: true },
  { key: `${ARGO}compare-options`, value: 'IgnoreExtraneous' },
  { key: `${FLUX}prune`, value: 'disabled', stays: true },
  { key: `${FLUX}reconcile`, value: 'disabled', stays: true },
  { key: `${FLUX}ssa`, value: 'Ignore', stays: true },
  { key: `${FLUX}ssa`, value: 'IfNotPresent' },
  { key: 'client.lifecycle.config.k8s.io/deletion', value: 'detach', stays: true },
  { key: 'cli-utils.sigs.k8s.io/on-remove', value: 'keep', stays: true },
]

/**
 * Removes the options that stop a tool from pruning, applying or comparing. They suit an object outside Git; a group's
 * DaemonSet in Git would stay when its group is gone, or never be created, or never be resized.
 */
export function withoutKeepOptions(map: TextMap): TextMap {
  const result = { ...map }
  for (const option of OPTIONS) {
    const text: unknown = result[option.key]
    if (typeof text !== 'string') continue
    const rest = text.split(',').filter((one) => !isSame(one, option))
    if (rest.length > 0) result[option.key] = rest.join(',')
    else delete result[option.key]
  }
  return result
}

/**
 * Returns the first option, as `key: value`, that makes a tool keep the object in the cluster when it is removed from
 * Git. Flux reads labels like annotations.
 */
export function keepOptionOf({
  annotations,
  labels,
}: {
  annotations?: TextMap | null
  labels?: TextMap | null
}): string | undefined {
  const isIn = (option: KeepOption, map: TextMap | null | undefined) => {
    const text: unknown = map?.[option.key]
    return typeof text === 'string' && text.split(',').some((one) => isSame(one, option))
  }
  const option = OPTIONS.find(
    (option) => option.stays && (isIn(option, annotations) || (option.key.startsWith(FLUX) && isIn(option, labels))),
  )
  return option && `${option.key}: ${option.value}`
}

/** Flux compares values case-insensitively, the others do not. */
function isSame(text: string, { key, value }: KeepOption): boolean {
  const trimmed = text.trim()
  return key.startsWith(FLUX) ? trimmed.toLowerCase() === value.toLowerCase() : trimmed === value
}
