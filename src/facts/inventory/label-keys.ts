import type { Labels } from '../../kube/index.ts'

/**
 * The label keys that an inventory exports by default: those that groups are made of, none that is unique to a node.
 */
export const DEFAULT_LABEL_KEYS = [
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node-role.kubernetes.io/*',
  'eks.amazonaws.com/nodegroup',
  'eks.amazonaws.com/compute-type',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'karpenter.sh/nodepool',
  'karpenter.sh/capacity-type',
  'svccontroller.k3s.cattle.io/lbpool',
] as const

/** Returns a predicate that tells whether one of the patterns matches a key; `*` stands for any characters. */
export function labelKeyMatcher(patterns: readonly string[]): (key: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (key) => exact.has(key) || globs.some((parts) => containsInOrder(key, parts))
}

const HOSTNAME = 'kubernetes.io/hostname'

/** Label keys that nodes usually have: the default ones without a wildcard, and the hostname. */
export const USUAL_LABEL_KEYS: readonly string[] = [...DEFAULT_LABEL_KEYS.filter((key) => !key.includes('*')), HOSTNAME]

/**
 * Returns the first exported label that identifies a node: the hostname, or one whose value is the node's name;
 * undefined if there is none.
 */
export function nodeNameLabel(
  nodes: Iterable<{ readonly name: string; readonly labels: Labels }>,
  labelKeys: readonly string[],
): string | undefined {
  const keys = new Set<string>()
  for (const { name, labels } of nodes)
    for (const [key, value] of Object.entries(labels)) if (key === HOSTNAME || value === name) keys.add(key)
  return [...keys].filter(labelKeyMatcher(labelKeys)).sort()[0]
}

/** Whether a key begins with the first part, ends with the last, and contains the others between them in order. */
function containsInOrder(key: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? ''
  if (!key.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = key.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return key.length - last.length >= at && key.endsWith(last)
}
