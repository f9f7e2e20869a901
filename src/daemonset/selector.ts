import { type Finding, finding, type Subject } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isSame } from '../krm/splice.ts'
import { KubeError, type LabelSelector, matchesLabels } from '../kube/index.ts'
import type { DaemonSet } from './template.ts'

/**
 * A DaemonSet's selector cannot change. One that was rendered before keeps its own as long as that still selects the
 * new pods; otherwise it is an error that names the ways out.
 */
export function keepSelector(wanted: DaemonSet, earlier: DaemonSet): { daemonSet: DaemonSet; findings: Finding[] } {
  const selector = earlier.spec?.selector
  if (selector === undefined || isSame(selector, wanted.spec.selector)) return { daemonSet: wanted, findings: [] }
  const labels = wanted.spec.template.metadata?.labels ?? {}
  if (selects(selector, labels)) return { daemonSet: { ...wanted, spec: { ...wanted.spec, selector } }, findings: [] }
  const field = { path: 'spec.selector', currentValue: selector, proposedValue: wanted.spec.selector }
  return {
    daemonSet: wanted,
    findings: [
      finding('SelectorChanged', `${describe(wanted)}: the selector no longer selects the pods`, {
        subject: wanted as Subject,
        field,
      }),
    ],
  }
}

/** A selector that nobody can read selects nothing; the cluster would not have taken it. */
function selects(selector: LabelSelector | null, labels: Record<string, string>): boolean {
  try {
    return matchesLabels(selector, labels)
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}
