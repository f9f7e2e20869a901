import type { Finding } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isDeepEqual, isMap, member } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { KubeError, type LabelSelector, matchesLabels } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { DaemonSet } from './template.ts'

/**
 * Keeps the selector of an earlier DaemonSet, since it cannot change, if it contains the group label and selects the
 * new pods; otherwise returns SelectorChanged.
 */
export function keepSelector(
  wanted: DaemonSet,
  earlier: DaemonSet,
  groupKey: string,
  groupLabel: string,
): { daemonSet: DaemonSet; findings: Finding[] } {
  const selector = earlier.spec?.selector
  if (isDeepEqual(selector, wanted.spec.selector)) return { daemonSet: wanted, findings: [] }
  const labels = wanted.spec.template.metadata?.labels ?? {}
  const problem = groupProblem(selector, groupKey, groupLabel) ?? selectorProblem(selector, labels)
  if (problem === undefined)
    return {
      daemonSet: { ...wanted, spec: { ...wanted.spec, selector: selector ?? wanted.spec.selector } },
      findings: [],
    }
  const field = { path: 'spec.selector', currentValue: selector, proposedValue: wanted.spec.selector }
  const sentence = `${describe(wanted)}: spec.selector ${problem}`
  return { daemonSet: wanted, findings: [finding('SelectorChanged', sentence, { subject: wanted, field })] }
}

/**
 * Returns why an earlier selector is not the one that was rendered; undefined if it contains the group label. The key
 * may differ, since the policy may have had another one; an emptied or truncated selector was edited, because that in
 * the cluster cannot change.
 */
function groupProblem(
  selector: LabelSelector | null | undefined,
  groupKey: string,
  groupLabel: string,
): string | undefined {
  const matchLabels = isMap(selector?.matchLabels) ? selector.matchLabels : {}
  const holds = Object.values(matchLabels).includes(groupLabel)
  return holds ? undefined : `does not have ${groupKey}=${groupLabel}, with which it was rendered`
}

/**
 * Whether an object's selector contains all labels of a template's selector, as in every DaemonSet rendered from it.
 */
export function carriesSelector({ spec }: KubernetesObject, template: DaemonSet): boolean {
  const { selector } = (spec ?? {}) as { selector?: { matchLabels?: unknown } | null }
  const matchLabels = isMap(selector?.matchLabels) ? selector.matchLabels : {}
  const wanted = Object.entries(template.spec.selector.matchLabels ?? {})
  return wanted.length > 0 && wanted.every(([key, value]) => member(matchLabels, key) === value)
}

/** Returns why a selector does not select the labels; undefined if it does. A user may have edited the selector. */
function selectorProblem(
  selector: LabelSelector | null | undefined,
  labels: Record<string, string>,
): string | undefined {
  try {
    return matchesLabels(selector, labels) ? undefined : 'no longer matches the pod labels'
  } catch (error) {
    if (error instanceof KubeError) return `cannot be read: ${error.message}`
    throw error
  }
}
