import type { Finding } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isDeepEqual, isMap, member } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { KubeError, type LabelSelector, matchesLabels } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { DaemonSet } from './template.ts'

/**
 * A DaemonSet's selector cannot change. One that was rendered before keeps its own as long as that still holds our
 * group label and selects the new pods; otherwise SelectorChanged is returned.
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
 * A selector that somebody emptied or cut is not the one in the cluster, where it cannot have changed. The group's
 * label is in it under today's key, or under another that was the policy's before.
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

/** Whether an object selects by all labels of a template's selector, as everything rendered from it does. */
export function carriesSelector({ spec }: KubernetesObject, template: DaemonSet): boolean {
  const { selector } = (spec ?? {}) as { selector?: { matchLabels?: unknown } | null }
  const matchLabels = isMap(selector?.matchLabels) ? selector.matchLabels : {}
  const wanted = Object.entries(template.spec.selector.matchLabels ?? {})
  return wanted.length > 0 && wanted.every(([key, value]) => member(matchLabels, key) === value)
}

/** Why a selector does not select the labels; a user may have edited what was rendered into anything. */
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
