import { isWireAnnotation } from '../krm/annotation.ts'
import type { Item } from '../krm/types.ts'
import type { Planned } from '../world/index.ts'
import { difference, type FieldChange } from './difference.ts'

export type ChangeKind = 'added' | 'changed' | 'removed' | 'unchanged'

/** What becomes of one rendered object: what it was before, what it is now, and for whom. */
export interface Change<Code extends string = string> {
  readonly kind: ChangeKind
  readonly before?: Item
  readonly after?: Item
  /** Undefined where nobody asks for it any more. */
  readonly by?: Planned<Code>
  /** What it is for, in words. */
  readonly about?: string
  /** Whether it is local configuration where that is in no output: it is only rendered from, so that no object comes or goes. */
  readonly isNeverApplied?: boolean
  /** The fields that differ, with their old and new values; worked out when somebody asks. */
  readonly fields: readonly FieldChange[]
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
