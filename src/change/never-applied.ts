/**
 * Objects that are rendered and never applied, as Orders in DaemonSet mode: only what was made for them is in an
 * output.
 */
import { isLocalConfig } from '../krm/annotation.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { indexBy, type Planned, type World } from '../world/index.ts'
import { type Change, type ChangeKind, changeOf } from './change.ts'

/**
 * Whether an object is in no output, so that no later run finds it there: local configuration that no host keeps in a
 * file.
 */
export function isNeverApplied({ metadata }: KubernetesObject, { keepsFiles }: Pick<World, 'keepsFiles'>): boolean {
  return !keepsFiles && isLocalConfig(metadata.annotations)
}

/**
 * The changes of a subject; objects that are never applied and were not found change as the objects made for them do.
 */
export function withKindOfParts(
  changes: readonly Change[],
  { partOf }: Pick<Planned, 'partOf'>,
  { isSeen }: Pick<World, 'isSeen'>,
): readonly Change[] {
  const isHidden = ({ before, isNeverApplied: never }: Change) => never === true && before === undefined
  if (partOf === undefined || !changes.some(isHidden)) return changes
  const parts = indexBy(changes, ({ after, before }) => {
    const object = (after ?? before)?.object
    return object && partOf(object)
  })
  return changes.map((change) => {
    if (!isHidden(change)) return change
    const { about, after } = change
    const kind = kindBy(parts.get(after?.object.metadata.name ?? '') ?? [], isSeen)
    return changeOf({ kind, about, after, isNeverApplied: true })
  })
}

/** It is new where all its parts are. Without any, now as before, nothing is new, if earlier output would show that. */
function kindBy(parts: readonly Change[], isSeen: boolean): ChangeKind {
  if (parts.length === 0) return isSeen ? 'unchanged' : 'added'
  if (parts.every(({ kind }) => kind === 'added')) return 'added'
  return parts.every(({ kind }) => kind === 'unchanged') ? 'unchanged' : 'changed'
}
