import { isWireAnnotation } from '../krm/annotation.ts'
import { type Mapping, member } from '../krm/map.ts'
import type { Item } from '../krm/types.ts'
import type { Planned } from '../world/index.ts'

/** What happens to an object; `released`: it stays as it is, and nodefit no longer owns it. */
export type ChangeKind = 'added' | 'changed' | 'removed' | 'released' | 'unchanged'

/** What happens to one rendered object: its earlier and its current state. */
export interface Change {
  readonly kind: ChangeKind
  readonly before?: Item
  readonly after?: Item
  /** What the object is for, in words. */
  readonly about?: string
  /**
   * Whether it is local configuration that no output holds: objects are rendered from it, and it is neither added nor
   * removed itself.
   */
  readonly isNeverApplied?: boolean
  /** Whether the object is shared: the subject writes only some of its fields. */
  readonly isShared?: boolean
  /** The fields that differ, with their old and new values; computed when first read. */
  readonly fields: readonly FieldChange[]
}

/** A plan with the change of each of its objects, those it rendered before included. */
export interface PlannedChanges<Code extends string = string> extends Planned<Code> {
  readonly changes: readonly Change[]
}

const ANNOTATIONS = 'metadata.annotations.'

/** A change of one object. */
export function changeOf(change: Omit<Change, 'fields'>): Change {
  const { kind, before, after } = change
  return {
    ...change,
    get fields() {
      if (before === undefined || after === undefined || kind === 'unchanged') return []
      return difference(before.object, after.object).filter(({ path }) => !isOfHost(path))
    },
  }
}

/** Whether the path is an annotation by which a host manages its files; those are no part of the object. */
function isOfHost(path: string): boolean {
  return path.startsWith(ANNOTATIONS) && isWireAnnotation(path.slice(ANNOTATIONS.length))
}

/** A field that differs; a value is undefined where that object lacks the field. */
export interface FieldChange {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Returns the fields in which two JSON values differ; a map that only one of them has is a single difference. */
export function difference(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (Object.is(before, after)) return []
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key) =>
    difference(member(before, key), member(after, key), path === '' ? key : `${path}.${key}`),
  )
}

function isContainer(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null
}
