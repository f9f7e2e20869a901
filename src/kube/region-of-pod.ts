import { NAME_FIELD, requirementsOf, termsOf } from './affinity.ts'
import { KubeError } from './error.ts'
import { ALL_INT64 } from './int64.ts'
import { isQualifiedName } from './label.ts'
import { parseSelector } from './parse-selector.ts'
import { Region } from './region.ts'
import { requirementValues } from './requirement.ts'
import { NODE_NAME, type RequirementKey, Requirements } from './requirements.ts'
import type { Affinity, Labels, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './types.ts'
import { NODE_NAMES } from './value-domain.ts'
import { ValueSet } from './value-set.ts'

/** The fields of a pod that restrict it to nodes. A field that is absent or null restricts nothing. */
export interface PodPlacement {
  readonly nodeName?: string | null
  readonly nodeSelector?: Labels | null
  readonly affinity?: Affinity | null
}

type KeyValues = readonly [RequirementKey, ValueSet]

/**
 * Returns the nodes that a pod's nodeName, nodeSelector and required node affinity allow, without regard to taints
 * (`nodeaffinity.GetRequiredNodeAffinity`, and `NodeShouldRunDaemonPod` for the name). Throws `KubeError` if any term
 * is malformed, even beside valid ones.
 */
export function regionOfPod({ nodeName, nodeSelector, affinity }: PodPlacement): Region {
  const always = Region.of([Requirements.of([...namedValues(nodeName), ...selectedValues(nodeSelector ?? {})])])
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required === null ? always : always.and(regionOfNodeSelector(required))
}

/**
 * Returns the nodes that match one of the selector's terms (`nodeaffinity.NewNodeSelector`); no terms match no node.
 */
export function regionOfNodeSelector(selector: NodeSelector): Region {
  return Region.of(termsOf(selector).flatMap(requirementsOfTerm))
}

/**
 * Returns the nodes whose labels match a selector, as text (`parseSelector`) or as a map of labels, in which null means
 * that the label is absent; and whose labels `notInteger` are no integers. Undefined for a selector that requires
 * nothing. Throws `KubeError` if it is malformed.
 */
export function regionOfLabels(
  selector: string | Readonly<Record<string, string | null>>,
  notInteger: readonly string[] = [],
): Region | undefined {
  const expressions =
    typeof selector === 'string'
      ? (parseSelector(selector).matchExpressions ?? [])
      : Object.entries(selector).map(([key, value]) =>
          value === null ? { key, operator: 'DoesNotExist' } : { key, operator: 'In', values: [value] },
        )
  if (expressions.length === 0) return undefined
  const malformed = notInteger.find((key) => !isQualifiedName(key))
  if (malformed !== undefined) throw new KubeError('SelectorKey', malformed, `"${malformed}" is not a label key`)
  const texts = ValueSet.integers(ALL_INT64).complement()
  const required = expressions.map((one): KeyValues => [one.key, requirementValues(one)])
  return Region.of([Requirements.of([...required, ...notInteger.map((key): KeyValues => [key, texts])])])
}

/** A term without requirements matches no node. */
function requirementsOfTerm(term: NodeSelectorTerm): Requirements[] {
  const { expressions, fields } = requirementsOf(term)
  if (expressions.length === 0 && fields.length === 0) return []
  const labels = expressions.map((expression): KeyValues => [expression.key, requirementValues(expression)])
  return [Requirements.of([...labels, ...fields.map(fieldValues)])]
}

/**
 * Returns the node names that meet a requirement on a field. Every field except metadata.name is empty on a node, so
 * such a requirement allows all names or none.
 */
function fieldValues({ key, operator, values }: NodeSelectorRequirement): KeyValues {
  const names = ValueSet.of(values ?? [], NODE_NAMES)
  if (key === NAME_FIELD) return [NODE_NAME, operator === 'In' ? names : names.complement()]
  const isMet = (values?.[0] === '') === (operator === 'In')
  return [NODE_NAME, isMet ? ValueSet.everything(NODE_NAMES) : ValueSet.of([], NODE_NAMES)]
}

function namedValues(nodeName: string | null | undefined): KeyValues[] {
  return nodeName ? [[NODE_NAME, ValueSet.of([nodeName], NODE_NAMES)]] : []
}

/** A key that is not a label key, or a value that is not text, is on no node. */
function selectedValues(nodeSelector: Labels): KeyValues[] {
  return Object.entries(nodeSelector).map(([key, value]) => {
    const canBe = typeof value === 'string' && isQualifiedName(key)
    return [key, ValueSet.of(canBe ? [value] : [])]
  })
}
