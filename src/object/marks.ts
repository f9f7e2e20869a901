import { isMap } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { Marks, OwnerKind } from './owner-kind.ts'

const MANAGED_BY = 'app.kubernetes.io/managed-by'

/** Reads the marks of an object, whatever a user or a tool wrote in their place. */
export function marksOf({ metadata }: KubernetesObject): Marks {
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
export function managerOf({ texts }: Marks): string | undefined {
  return texts[MANAGED_BY]
}

/** Whether the marks are there by which a kind of owner knows what is its own. */
export function isMarkedBy(kind: OwnerKind, marks: Marks): boolean {
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
