import { CONFIG_MAP_DEFAULTS, SIZING_POLICY_DEFAULTS } from '../../../kinds/index.ts'
import type { UsagePolicies } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'

/** Pods of one namespace that are asked for together. */
export interface PodSelection {
  readonly namespace: string
  readonly selector: string
  /** Whether the pods of other namespaces that match it are of node groups too. */
  readonly isShared: boolean
}

/** The group labels of policies that are not read yet. */
const GROUP_LABELS: readonly string[] = [SIZING_POLICY_DEFAULTS.labels.nodeGroup, CONFIG_MAP_DEFAULTS.labels.nodeGroup]

/**
 * Which pods to ask for, so that those of all these DaemonSets are among them: one selection for each namespace and
 * group label, whatever the number of groups. A DaemonSet without a group label has one of its own.
 */
export function podSelections(
  daemonSets: readonly OwnDaemonSet[],
  policies: UsagePolicies | undefined,
): readonly PodSelection[] {
  const all = daemonSets.flatMap(({ namespace, selector, labelKeys, policy }): PodSelection[] => {
    const wanted = policies?.get(policy)?.groupLabel
    const label = [...(wanted === undefined ? [] : [wanted]), ...GROUP_LABELS].find((key) => labelKeys.includes(key))
    if (label !== undefined) return [{ namespace, selector: label, isShared: true }]
    // an empty selector selects nothing
    return selector === '' ? [] : [{ namespace, selector, isShared: false }]
  })
  const byText = new Map(all.map((one) => [`${one.namespace} ${one.selector}`, one]))
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one)
}
