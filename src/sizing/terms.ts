import type { Affinity, NodeSelectorRequirement, NodeSelectorTerm } from '../kube/index.ts'

/**
 * Required node affinity as an algebra: a list of terms is an OR of ANDs. `undefined` requires nothing; a list
 * without terms admits no node.
 */
export type Terms = readonly NodeSelectorTerm[] | undefined

/** The terms an affinity requires. */
export function requiredTerms(affinity: Affinity | null | undefined): Terms {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null ? undefined : (required.nodeSelectorTerms ?? []).filter(isNotEmpty)
}

/** More terms than that no rendered object has: what is joined multiplies. */
export const MOST_TERMS = 1024

/** How many terms several lists of terms come to when they are joined. */
export function countJoined(...all: readonly Terms[]): number {
  return all.reduce((count, terms) => count * (terms?.length ?? 1), 1)
}

/** Both: every term of one joined with every term of the other. */
export function and(left: Terms, right: Terms): Terms {
  if (left === undefined) return right
  if (right === undefined) return left
  return left.flatMap((one) => right.map((other) => join(one, other)))
}

/** One of several requirements, as terms. */
export function anyOf(requirements: readonly NodeSelectorRequirement[]): Terms {
  return requirements.map((requirement) => ({ matchExpressions: [requirement] }))
}

/** All of several requirements, as one term. */
export function allOf(requirements: readonly NodeSelectorRequirement[]): Terms {
  return requirements.length === 0 ? undefined : [{ matchExpressions: [...requirements] }]
}

/** The affinity with other required terms; what else it says (preferences, pod affinity) stays. */
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

/** Every label key the terms mention. */
export function keysOf(terms: Terms): string[] {
  return (terms ?? []).flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
}

function join(one: NodeSelectorTerm, other: NodeSelectorTerm): NodeSelectorTerm {
  const matchExpressions = withoutDoubles([...(one.matchExpressions ?? []), ...(other.matchExpressions ?? [])])
  const matchFields = withoutDoubles([...(one.matchFields ?? []), ...(other.matchFields ?? [])])
  return {
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
    ...(matchFields.length > 0 ? { matchFields } : {}),
  }
}

function withoutDoubles(requirements: NodeSelectorRequirement[]): NodeSelectorRequirement[] {
  const seen = new Set<string>()
  return requirements.filter(({ key, operator, values }) => {
    const text = JSON.stringify([key, operator, values ?? []])
    return !seen.has(text) && seen.add(text)
  })
}

function isNotEmpty({ matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  return (matchExpressions?.length ?? 0) > 0 || (matchFields?.length ?? 0) > 0
}
