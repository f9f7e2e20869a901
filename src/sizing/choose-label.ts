import type { Member } from './membership.ts'

/** The label of a node's own name: with classes it groups nodes by size where no label tells their types. */
export const HOSTNAME = 'kubernetes.io/hostname'

/** Labels whose values are node types or pools, the best first; at last two that say nothing of a node's size. */
const LABELS = [
  'node.kubernetes.io/instance-type',
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'kubernetes.io/arch',
  'kubernetes.io/os',
]

/** The label to group some nodes by where nobody has chosen one: the best that any of them has. */
export function chooseLabel(members: readonly Member[]): string | undefined {
  return LABELS.find((label) => members.some(({ shape }) => Object.hasOwn(shape.labels, label)))
}

/** Whether a label is one of those that are chosen from: it is on no node for want of it, and not for a slip of the pen. */
export function isUsual(label: string): boolean {
  return LABELS.includes(label)
}
