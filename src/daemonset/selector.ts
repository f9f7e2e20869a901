import type { Finding } from '../finding/index.ts'
import { isSame } from '../krm/equality.ts'
import { describe } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { KubeError, type LabelSelector, matchesLabels } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { DaemonSet } from './template.ts'

/**
 * A DaemonSet's selector cannot change. One that was rendered before keeps its own as long as that still selects the
 * new pods; otherwise it is an error that names the ways out.
 */
export function keepSelector(wanted: DaemonSet, earlier: DaemonSet): { daemonSet: DaemonSet; findings: Finding[] } {
  const selector = earlier.spec?.selector
  if (selector === undefined || isSame(selector, wanted.spec.selector)) return { daemonSet: wanted, findings: [] }
  const problem = selectorProblem(selector, wanted.spec.template.metadata?.labels ?? {})
  if (problem === undefined) return { daemonSet: { ...wanted, spec: { ...wanted.spec, selector } }, findings: [] }
  const field = { path: 'spec.selector', currentValue: selector, proposedValue: wanted.spec.selector }
  const sentence = `${describe(wanted)}: the selector ${problem}`
  return { daemonSet: wanted, findings: [finding('SelectorChanged', sentence, { subject: wanted, field })] }
}

/** Whether an object selects by all labels of a template's selector, as everything rendered from it does. */
export function carriesSelector({ spec }: KubernetesObject, template: DaemonSet): boolean {
  const { selector } = (spec ?? {}) as { selector?: { matchLabels?: Record<string, unknown> | null } | null }
  const wanted = Object.entries(template.spec.selector.matchLabels ?? {})
  return wanted.length > 0 && wanted.every(([key, value]) => selector?.matchLabels?.[key] === value)
}

/** Why a selector does not select the labels; a user may have edited what was rendered into anything. */
function selectorProblem(selector: LabelSelector, labels: Record<string, string>): string | undefined {
  try {
    return matchesLabels(selector, labels) ? undefined : 'no longer selects the pods'
  } catch (error) {
    if (error instanceof KubeError) return `cannot be read: ${error.message}`
    throw error
  }
}
