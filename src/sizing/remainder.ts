import type { NodeSelectorTerm } from '../kube/index.ts'

/**
 * Nodes that carry every label, but in a combination nobody has seen: an unknown value of the first label, or a
 * known one with values of the next that were not seen with it. With one label that is: exists, and none of these.
 */
export function remainderTerms(
  labels: readonly string[],
  combinations: ReadonlyArray<readonly string[]>,
): NodeSelectorTerm[] {
  const [label, ...rest] = labels
  if (label === undefined) return []
  const known = [...new Set(combinations.map(([first]) => first ?? ''))].sort()
  const unknown: NodeSelectorTerm = {
    matchExpressions: [
      { key: label, operator: 'Exists' },
      ...(known.length > 0 ? [{ key: label, operator: 'NotIn', values: known }] : []),
      ...rest.map((key) => ({ key, operator: 'Exists' })),
    ],
  }
  if (rest.length === 0) return [unknown]
  const deeper = known.flatMap((value) => {
    const below = combinations.filter(([first]) => first === value).map(([, ...others]) => others)
    return remainderTerms(rest, below).map(({ matchExpressions }) => ({
      matchExpressions: [{ key: label, operator: 'In', values: [value] }, ...(matchExpressions ?? [])],
    }))
  })
  return [unknown, ...deeper]
}
