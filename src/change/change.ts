import { isWireAnnotation } from '../krm/annotation.ts'
import { type Mapping, member } from '../krm/map.ts'
import type { Item } from '../krm/types.ts'
import type { Planned } from '../world/index.ts'

/** What becomes of an object; `released`: it stays as it is and is no longer ours. */
export type ChangeKind = 'added' | 'changed' | 'removed' | 'released' | 'unchanged'

/** What becomes of one rendered object: what it was before, and what it is now. */
export interface Change {
  readonly kind: ChangeKind
  readonly before?: Item
  readonly after?: Item
  /** What it is for, in words. */
  readonly about?: string
  /**
   * Whether it is local configuration where that is in no output: it is only rendered from, so that no object comes or
   * goes.
   */
  readonly isNeverApplied?: boolean
  /** Whether the object is not the subject's own, which writes some of its fields. */
  readonly isShared?: boolean
  /** The fields that differ, with their old and new values; worked out when somebody asks. */
  readonly fields: readonly FieldChange[]
}

/** A plan with what becomes of each of its objects, those it rendered before included. */
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

/** Annotations by which a host keeps its files in order are no part of the object. */
function isOfHost(path: string): boolean {
  return path.startsWith(ANNOTATIONS) && isWireAnnotation(path.slice(ANNOTATIONS.length))
}

/** A field that differs: undefined where one of the two has nothing there. */
export interface FieldChange {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** The fields in which two JSON values differ, outermost first where one of them has nothing there. */
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
