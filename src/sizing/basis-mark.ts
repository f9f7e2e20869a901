import { BASIS } from '../krm/ownership.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { printBasis } from './remembered.ts'
import type { SizedGroup } from './size-groups.ts'

/**
 * The annotation by which a group's basis is remembered. It changes with the sizes alone, so that a node with a few Ki more or less
 * changes nothing.
 */
export function basisMark(
  { basis, before }: SizedGroup,
  hasSizes: (object: KubernetesObject) => boolean,
): Record<string, string> {
  const isKept = before?.text !== undefined && before.basis !== undefined && hasSizes(before.object)
  return { [BASIS]: isKept ? before.text : printBasis(basis) }
}
