import { isMap } from '../../krm/map.ts'
import { OWNED_BY } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { CHART, type Marks, OWNER_KINDS, type OwnerKind } from './owner-kinds.ts'

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

const MANAGED_BY = 'app.kubernetes.io/managed-by'

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
