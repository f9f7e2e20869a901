import type { Labels } from '../kube/index.ts'

/** The label keys an inventory carries unless told otherwise: what groups are made of, and nothing per node. */
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

/** Whether one of the patterns covers the key; `*` stands for any characters. */
export function labelKeyMatcher(patterns: readonly string[]): (key: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  return (key) => exact.has(key) || globs.some((parts) => holdsInOrder(key, parts))
}

const HOSTNAME = 'kubernetes.io/hostname'

/** Label keys that nodes have by themselves, as far as each is one key: what an inventory may carry without saying so, and the hostname. */
export const USUAL_LABEL_KEYS: readonly string[] = [...DEFAULT_LABEL_KEYS.filter((key) => !key.includes('*')), HOSTNAME]

/** An exported label that says which node it is on: the hostname, or one whose value is a node's name; undefined where none does. */
export function nodeNameLabel(
  nodes: Iterable<{ readonly name: string; readonly labels: Labels }>,
  labelKeys: readonly string[],
): string | undefined {
  const keys = new Set<string>()
  for (const { name, labels } of nodes)
    for (const [key, value] of Object.entries(labels)) if (key === HOSTNAME || value === name) keys.add(key)
  return [...keys].filter(labelKeyMatcher(labelKeys)).sort()[0]
}

/** Whether a key begins with the first part, ends with the last, and has the others between them in their order. */
function holdsInOrder(key: string, [first = '', ...others]: readonly string[]): boolean {
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
