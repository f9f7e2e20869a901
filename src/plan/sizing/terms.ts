import type { Affinity, NodeSelectorRequirement, NodeSelectorTerm } from '../../kube/index.ts'

/**
 * Required node affinity: an OR of terms, each an AND of requirements. `undefined` requires nothing; an empty list
 * matches no node.
 */
export type Terms = readonly NodeSelectorTerm[] | undefined

/** The required terms of an affinity. */
export function requiredTerms(affinity: Affinity | null | undefined): Terms {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null ? undefined : (required.nodeSelectorTerms ?? []).filter(isNotEmpty)
}

/** The most terms that a rendered object has; joined terms multiply. */
export const MOST_TERMS = 1024

/** The number of terms that some lists of terms give when joined. */
export function countJoined(...all: readonly Terms[]): number {
  return all.reduce((count, terms) => count * (terms?.length ?? 1), 1)
}

/** The AND of two lists: each term of the left joined with each term of the right. */
export function and(left: Terms, right: Terms): Terms {
  if (left === undefined) return right
  if (right === undefined) return left
  return left.flatMap((term) => right.map((other) => join(term, other)))
}

/** The OR of requirements: a term for each. */
export function anyOf(requirements: readonly NodeSelectorRequirement[]): Terms {
  return requirements.map((requirement) => ({ matchExpressions: [requirement] }))
}

/** The AND of requirements: one term. */
export function allOf(requirements: readonly NodeSelectorRequirement[]): Terms {
  return requirements.length === 0 ? undefined : [{ matchExpressions: [...requirements] }]
}

/** The affinity with its required terms replaced; preferences and pod affinity stay. */
export function withRequired(affinity: Affinity | undefined, terms: Terms): Affinity | undefined {
  if (terms === undefined) return affinity
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...terms] },
    },
  }
}

/** Every label key in the terms. */
export function keysOf(terms: Terms): string[] {
  return (terms ?? []).flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
}

function join(left: NodeSelectorTerm, right: NodeSelectorTerm): NodeSelectorTerm {
  const matchExpressions = withoutDuplicates([...(left.matchExpressions ?? []), ...(right.matchExpressions ?? [])])
  const matchFields = withoutDuplicates([...(left.matchFields ?? []), ...(right.matchFields ?? [])])
  return {
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
    ...(matchFields.length > 0 ? { matchFields } : {}),
  }
}

function withoutDuplicates(requirements: NodeSelectorRequirement[]): NodeSelectorRequirement[] {
  const seen = new Set<string>()
  return requirements.filter(({ key, operator, values }) => {
    const text = JSON.stringify([key, operator, values ?? []])
    return !seen.has(text) && seen.add(text)
  })
}

function isNotEmpty({ matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  return (matchExpressions?.length ?? 0) > 0 || (matchFields?.length ?? 0) > 0
}
