import { labelKeyMatcher, type Shape } from '../../inventory/index.ts'
import type { Labels } from '../../kube/index.ts'

/** What Git says of the nodes. */
export interface Known {
  readonly shapes: readonly Shape[]
  /** Which labels it has of them. */
  readonly labelKeys: readonly string[]
}

export const NOTHING_KNOWN: Known = { shapes: [], labelKeys: [] }

/** Only the labels that both of two exports have: by these, nodes of one can be told from those of the other. */
export function commonLabels(one: readonly string[], other: readonly string[]): (labels: Labels) => Labels {
  const [isInOne, isInOther] = [labelKeyMatcher(one), labelKeyMatcher(other)]
  return (labels) =>
    Object.fromEntries(
      Object.entries(labels)
        .filter(([key]) => isInOne(key) && isInOther(key))
        .sort(),
    )
}
