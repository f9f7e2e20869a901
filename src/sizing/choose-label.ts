import { parseInt64 } from '../kube/int64.ts'
import type { Resource } from '../policy/index.ts'
import type { ReportingMember } from './basis.ts'
import { ownValue } from './group.ts'
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

/** A label that grows with the nodes, and where ranges of it begin. */
export interface GrowingLabel {
  readonly label: string
  readonly bounds: readonly number[]
}

const RESOURCES: readonly Resource[] = ['memory', 'cpu']
const MOST_BOUNDS = 32
/** Bounds are JSON integers, which end where a float no longer tells two apart. */
const LARGEST_BOUND = BigInt(Number.MAX_SAFE_INTEGER)

/** Labels that are an integer on every node, not the same on all, and never smaller on a node with more memory or cpu. */
export function growingLabels(all: readonly ReportingMember[]): GrowingLabel[] {
  const [first] = all
  return Object.keys(first?.member.shape.labels ?? {})
    .sort()
    .flatMap((label) => {
      const read = all.flatMap(({ member, allocatable }) => {
        const number = parseInt64(ownValue(member.shape.labels, label) ?? '')
        return number === undefined ? [] : [{ allocatable, number }]
      })
      if (read.length < all.length || !RESOURCES.some((resource) => grows(read, resource))) return []
      const bounds = rangeBounds(read.map(({ number }) => number))
      return bounds.length > 0 ? [{ label, bounds }] : []
    })
}

function grows(
  read: ReadonlyArray<Pick<ReportingMember, 'allocatable'> & { number: bigint }>,
  resource: Resource,
): boolean {
  const sorted = [...read].sort(
    (a, b) => compare(a.number, b.number) || a.allocatable[resource].compare(b.allocatable[resource]),
  )
  const amounts = sorted.map(({ allocatable }) => allocatable[resource])
  return amounts.every((amount, index) => amount.compare(amounts[index - 1] ?? amount) >= 0)
}

/**
 * Where ranges of some integers begin: the powers of two above the least of them up to the greatest, so that no range is
 * wider than twice its beginning, and a node type that comes later moves none; of more than 32 every second, and so on. One bound at the
 * greatest where no power of two parts them; none where all are the same, or none can be a bound.
 */
export function rangeBounds(numbers: readonly bigint[]): number[] {
  const sorted = [...numbers].sort(compare)
  const [least, greatest] = [sorted.at(0), sorted.at(-1)]
  if (least === undefined || greatest === undefined || least === greatest) return []
  const inside = (bound: bigint) => bound > least && bound <= greatest && bound >= 1n && bound <= LARGEST_BOUND
  const powers = Array.from({ length: 53 }, (_, exponent) => 1n << BigInt(exponent)).filter(inside)
  const bounds = powers.length > 0 ? powers : [greatest].filter(inside)
  const every = Math.ceil(bounds.length / MOST_BOUNDS)
  return bounds.filter((_, index) => index % every === 0).map(Number)
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
