import { parseInt64 } from '../kube/int64.ts'
import type { Resource } from '../policy/index.ts'
import type { ReportingMember } from './basis.ts'
import { ownValue } from './group.ts'
import type { Member } from './membership.ts'

/** The label with the name of the node: with classes it groups nodes by size where no label tells their types. */
export const HOSTNAME = 'kubernetes.io/hostname'

/** Labels of node types and pools, best first; the last two say nothing about node size. */
const LABELS = [
  'node.kubernetes.io/instance-type',
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'kubernetes.io/arch',
  'kubernetes.io/os',
]

/** The best known label that any of the nodes has; undefined where they have none. */
export function chooseLabel(members: readonly Member[]): string | undefined {
  return LABELS.find((label) => members.some(({ shape }) => Object.hasOwn(shape.labels, label)))
}

/** Whether a label is one that `chooseLabel` knows: no typo where no node has it. */
export function isKnownLabel(label: string): boolean {
  return LABELS.includes(label)
}

/** A label whose number grows with node size, and bounds for ranges of it. */
export interface GrowingLabel {
  readonly label: string
  readonly bounds: readonly number[]
}

const RESOURCES: readonly Resource[] = ['memory', 'cpu']
const MOST_BOUNDS = 32
/** Bounds are JSON integers, exact up to this number. */
const LARGEST_BOUND = BigInt(Number.MAX_SAFE_INTEGER)

/** Labels with an integer on every node, not equal on all, that is never smaller on a node with more memory or cpu. */
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
 * Bounds that divide some integers into ranges: the powers of two above the least, up to the greatest. No range is then
 * wider than twice its lower bound, and a later node type moves no bound. Of more than 32 bounds every second is taken,
 * or every third, and so on. Where no power of two divides the integers, the greatest is the only bound. Empty where
 * all are equal.
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
