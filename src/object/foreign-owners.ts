import { isMap } from '../krm/map.ts'
import { OWNED_BY } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type Marks, OWNER_KINDS, type OwnerKind } from './owner-kinds.ts'

/** Who applies an object, and would bring it back. */
export interface ForeignOwner {
  /** Kind and name, as in `Helm release fluent-bit in logging`. */
  readonly text: string
  /** Where the object is switched off there. */
  readonly off: string
}

const BETWEEN = '; '
const CONTROLLER = { called: 'controller', off: 'in that object' }
const OPERATOR = { called: 'operator', off: 'in the resource that it reads' }
const MANAGERS = new Set(OWNER_KINDS.flatMap(({ managedBy = [] }) => managedBy))

/**
 * Those whose marks an object carries, as labels, annotations, field managers or a controller's owner reference, and those that
 * `nodefit.dev/owned-by` names. `app.kubernetes.io/managed-by: Helm` alone says only what the manifest was written for.
 */
export function foreignOwners(object: KubernetesObject): ForeignOwner[] {
  const owners = [...markedOwners(marksOf(object)), ...recordedOwners(object)]
  return [...new Map(owners.map((owner) => [owner.text, owner])).values()]
}

/**
 * The text of `nodefit.dev/owned-by` for an object that loses its marks: `Helm release r in ns`, several with `; ` between them.
 * Undefined where nobody else owns it.
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

/** A user may have written anything there, and it is taken at its word. */
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

/** Reads the marks of an object, whatever a user or a tool wrote in their place. */
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

/** Who the label `app.kubernetes.io/managed-by` says manages the object. */
function managerOf({ texts }: Marks): string | undefined {
  return texts[MANAGED_BY]
}

/** Whether the marks are there by which a kind of owner knows what is its own. */
function isMarkedBy(kind: OwnerKind, marks: Marks): boolean {
  const { keys = [], managedBy = [], fieldManager } = kind
  return (
    Object.keys(marks.texts).some((key) => keys.some((pattern) => isKey(key, pattern))) ||
    managedBy.includes(managerOf(marks) ?? '') ||
    (fieldManager !== undefined && marks.fieldManagers.includes(fieldManager))
  )
}

/** Whether a key of a label or annotation is one of a pattern: the pattern itself, or all that begin as it does before its `*`. */
export function isKey(key: string, pattern: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isMap) : []
}
