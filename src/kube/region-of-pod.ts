import { NAME_FIELD, requirementsOf, termsOf } from './affinity.ts'
import { isQualifiedName } from './label.ts'
import { Region } from './region.ts'
import { requirementValues } from './requirement.ts'
import { NODE_NAME, type RequirementKey, Requirements } from './requirements.ts'
import type { Affinity, Labels, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './types.ts'
import { NODE_NAMES } from './value-domain.ts'
import { ValueSet } from './value-set.ts'

/** What of a pod says on which nodes it may be; absent or null, a part says nothing. */
export interface PodPlacement {
  readonly nodeName?: string | null
  readonly nodeSelector?: Labels | null
  readonly affinity?: Affinity | null
}

type KeyValues = readonly [RequirementKey, ValueSet]

/**
 * The nodes on which a pod may be by its nodeName, nodeSelector and required node affinity, taints left aside
 * (`nodeaffinity.GetRequiredNodeAffinity`, and `NodeShouldRunDaemonPod` for the name). Throws `KubeError` where a term is
 * malformed, also one beside others that are not.
 */
export function regionOfPod({ nodeName, nodeSelector, affinity }: PodPlacement): Region {
  const always = Region.of([Requirements.of([...namedValues(nodeName), ...selectedValues(nodeSelector ?? {})])])
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null ? always : always.and(regionOfNodeSelector(required))
}

/** The nodes that one of the selector's terms admits (`nodeaffinity.NewNodeSelector`); a selector without terms admits none. */
export function regionOfNodeSelector(selector: NodeSelector): Region {
  return Region.of(termsOf(selector).flatMap(requirementsOfTerm))
}

/** A term without requirements admits no node. */
function requirementsOfTerm(term: NodeSelectorTerm): Requirements[] {
  const { expressions, fields } = requirementsOf(term)
  if (expressions.length === 0 && fields.length === 0) return []
  const labels = expressions.map((expression): KeyValues => [expression.key, requirementValues(expression)])
  return [Requirements.of([...labels, ...fields.map(fieldValues)])]
}

/** The names that meet a requirement on a field. Any field but the name is empty, so that it admits every name or none. */
function fieldValues({ key, operator, values }: NodeSelectorRequirement): KeyValues {
  const names = ValueSet.of(values ?? [], NODE_NAMES)
  if (key === NAME_FIELD) return [NODE_NAME, operator === 'In' ? names : names.complement()]
  const isMet = (values?.[0] === '') === (operator === 'In')
  return [NODE_NAME, isMet ? ValueSet.everything(NODE_NAMES) : ValueSet.of([], NODE_NAMES)]
}

function namedValues(nodeName: string | null | undefined): KeyValues[] {
  return nodeName ? [[NODE_NAME, ValueSet.of([nodeName], NODE_NAMES)]] : []
}

/** No node has a label whose key the API server refuses, nor a value that is no text. */
function selectedValues(nodeSelector: Labels): KeyValues[] {
  return Object.entries(nodeSelector).map(([key, value]) => {
    const canBe = typeof value === 'string' && isQualifiedName(key)
    return [key, ValueSet.of(canBe ? [value] : [])]
  })
}
