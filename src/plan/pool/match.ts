import type { PendingPods } from '../../facts/inventory/index.ts'
import {
  type Affinity,
  type Labels,
  matchesNode,
  type NodeSelectorRequirement,
  type Taint,
  unlessMalformed,
  untoleratedTaint,
} from '../../kube/index.ts'
import { taintText } from '../../kube/taint.ts'

/** Where pods may run, as far as a pool can tell. */
export type Placing = Pick<PendingPods, 'nodeSelector' | 'affinity' | 'tolerations'>

/** A name that no node has: requirements on metadata.name refuse a machine that does not exist yet. */
export const NO_NAME = '/'

/** Effects that keep new pods away. */
const REPELLING = ['NoSchedule', 'NoExecute']

/**
 * Returns what of a pod refuses a node of the labels and taints, as written: a label, the affinity, or a taint;
 * undefined if it may run there.
 */
export function refusalOf(
  { nodeSelector, affinity, tolerations }: Placing,
  { name, labels, taints }: { name: string; labels: Labels; taints: readonly Taint[] },
): string | undefined {
  const wanted = Object.entries(nodeSelector).find(
    ([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value,
  )
  if (wanted !== undefined) return `nodeSelector ${wanted.join('=')}`
  if (!isAdmitted(affinity, { name, labels })) return 'required node affinity'
  const taint = untoleratedTaint([...taints], [...tolerations], REPELLING)
  return taint === undefined ? undefined : `taint ${taintText(taint)}`
}

/** The scheduler treats a malformed affinity as one that matches no node. */
function isAdmitted(affinity: Affinity | undefined, node: { name: string; labels: Labels }): boolean {
  return unlessMalformed(() => matchesNode(node, { affinity })) ?? false
}

/** Whether a pod selects one of the labels: in its nodeSelector, or in each term of its required affinity. */
export function isTargeting({ nodeSelector, affinity }: Placing, keys: readonly string[]): boolean {
  if (keys.some((key) => Object.hasOwn(nodeSelector, key))) return true
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const isNamed = ({ key, operator }: NodeSelectorRequirement) =>
    keys.includes(key) && (operator === 'In' || operator === 'Exists')
  return terms.length > 0 && terms.every(({ matchExpressions }) => (matchExpressions ?? []).some(isNamed))
}

/** Returns a text that is equal for pods that may run on the same nodes. */
export function placingKey({ nodeSelector, affinity, tolerations }: Placing): string {
  return JSON.stringify([Object.entries(nodeSelector).sort(), affinity ?? null, tolerations])
}

/** Whether the key is of pods that look at the name of a node, so that nodes of equal labels differ. */
export function looksAtName(key: string): boolean {
  return key.includes('"matchFields"')
}
