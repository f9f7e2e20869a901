import type { Resource, SizingSettings } from '../../kinds/index.ts'
import { parseInt64 } from '../../kube/quantity.ts'
import { allocatableOf, type ReportingMember } from './basis.ts'
import { ownValue } from './group.ts'
import type { Member } from './membership.ts'

/** The label with the name of the node: with classes it groups nodes by size where no label tells their types. */
export const HOSTNAME = 'kubernetes.io/hostname'

export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type'
/** Labels of node types and pools, best first; the last two say nothing about node size. */
const LABELS = [
  INSTANCE_TYPE,
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

/** How a policy groups nodes, in the fields of its spec. */
export type GroupingChoice =
  | { readonly nodeGroupLabel: string; readonly classes?: { readonly ratio: number } }
  | { readonly nodeGroupRanges: GrowingLabel }

/** Up to this many values are a group each; more are put into classes. */
const MOST_VALUES = 6
/** `classes.ratio` of a policy that nodefit proposes. */
export const CLASS_RATIO = 2
/** Karpenter's labels with the memory of a machine in MiB, on AWS and Azure. */
const MEMORY_LABELS = ['karpenter.k8s.aws/instance-memory', 'karpenter.azure.com/sku-memory']
/** Labels of pools whose machines come and go, and their names with them. */
const POOL_LABELS = [
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
]

/** The members where pods of the agent start; if a taint closes every node, all that have nodes. */
export function runningMembers(members: readonly Member[]): Member[] {
  const real = members.filter(({ declared }) => !declared)
  const open = real.filter(({ mayStart }) => mayStart)
  return open.length > 0 ? open : real
}

/**
 * The grouping of a first policy: ranges where most nodes have Karpenter's memory label, since a node type that comes
 * later restarts nothing; else the instance type, by value up to six and by classes beyond; without an instance type
 * the best known label. Where its values hide nodes of several sizes that stay, classes of host names. Only nodes where
 * the agent runs count. Undefined where no node has a known label.
 */
export function chooseGrouping(members: readonly Member[]): GroupingChoice | undefined {
  const running = runningMembers(members)
  const ranges = memoryRanges(running)
  if (ranges !== undefined) return { nodeGroupRanges: ranges }
  const label = chooseLabel(running)
  if (label === undefined) return undefined
  // one value that hides nodes several times apart makes no group of one size
  const hasNames = running.every(({ shape }) => Object.hasOwn(shape.labels, HOSTNAME))
  if (hasNames && !isAutoscaled(members) && !tellsSizes(running, label)) return classesOf(HOSTNAME)
  return label === INSTANCE_TYPE ? groupingByType(running) : { nodeGroupLabel: label }
}

/** A grouping in words: `ranges of karpenter.k8s.aws/instance-memory`. */
export function groupingText(choice: GroupingChoice): string {
  if ('nodeGroupRanges' in choice) return `ranges of ${choice.nodeGroupRanges.label}`
  return choice.classes === undefined ? choice.nodeGroupLabel : `classes of ${choice.nodeGroupLabel}`
}

/** Whether settings group in a way, whatever its bounds. */
export function groupsSo({ groupLabels, rangeBounds, classRatio }: SizingSettings, choice: GroupingChoice): boolean {
  const label = 'nodeGroupRanges' in choice ? choice.nodeGroupRanges.label : choice.nodeGroupLabel
  const isSameKind =
    'nodeGroupRanges' in choice
      ? rangeBounds !== undefined
      : rangeBounds === undefined && (classRatio !== undefined) === (choice.classes !== undefined)
  return isSameKind && groupLabels.length === 1 && groupLabels[0] === label
}

/** The instance type, by value or, where there are more than six, by classes. */
export function groupingByType(members: readonly Member[]): GroupingChoice {
  const values = new Set(members.flatMap(({ shape }) => ownValue(shape.labels, INSTANCE_TYPE) ?? []))
  return values.size > MOST_VALUES ? classesOf(INSTANCE_TYPE) : { nodeGroupLabel: INSTANCE_TYPE }
}

/**
 * Classes of the instance type where it tells node sizes apart, else of the host name, unless nodes come and go.
 * Undefined where neither can be had.
 */
export function chooseClasses(members: readonly Member[]): GroupingChoice | undefined {
  const running = runningMembers(members)
  if (tellsSizes(running, INSTANCE_TYPE)) return classesOf(INSTANCE_TYPE)
  return isAutoscaled(members) ? undefined : classesOf(HOSTNAME)
}

/** Ranges of Karpenter's memory label, and those of every label that grows with node size; the best first. */
export function rangeChoices(members: readonly Member[]): GroupingChoice[] {
  const running = runningMembers(members)
  const memory = memoryRanges(running)
  const growing = growingLabels(reporting(running)).filter(({ label }) => label !== memory?.label)
  return [...(memory === undefined ? [] : [memory]), ...growing].map((ranges) => ({ nodeGroupRanges: ranges }))
}

/** Classes of a label. */
export function classesOf(label: string): GroupingChoice {
  return { nodeGroupLabel: label, classes: { ratio: CLASS_RATIO } }
}

/** Settings that group otherwise, by labels alone. */
export function settingsBy(choice: GroupingChoice, settings: SizingSettings): SizingSettings {
  const isRanges = 'nodeGroupRanges' in choice
  return {
    ...settings,
    explicitGroups: [],
    groupLabels: [isRanges ? choice.nodeGroupRanges.label : choice.nodeGroupLabel],
    rangeBounds: isRanges ? choice.nodeGroupRanges.bounds.map(BigInt) : undefined,
    classRatio: isRanges || choice.classes === undefined ? undefined : BigInt(choice.classes.ratio),
  }
}

/** Whether nodes are in pools whose machines come and go: a host name then says nothing of tomorrow's nodes. */
export function isAutoscaled(members: readonly Member[]): boolean {
  return members.some(({ shape }) => POOL_LABELS.some((label) => Object.hasOwn(shape.labels, label)))
}

/** Ranges of Karpenter's memory label, if at least half of the nodes have it and their integers differ. */
function memoryRanges(members: readonly Member[]): GrowingLabel | undefined {
  const count = (some: readonly Member[]) => some.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
  for (const label of MEMORY_LABELS) {
    const labelled = members.filter(({ shape }) => Object.hasOwn(shape.labels, label))
    const numbers = labelled.flatMap(({ shape }) => parseInt64(shape.labels[label] ?? '') ?? [])
    if (labelled.length === 0 || count(labelled) * 2 < count(members) || numbers.length < labelled.length) continue
    const bounds = rangeBounds(numbers)
    if (bounds.length > 0) return { label, bounds }
  }
  return undefined
}

/** Whether nodes with one value of a label differ by no more than the ratio of classes. */
function tellsSizes(members: readonly Member[], label: string): boolean {
  const byValue = new Map<string, Member[]>()
  for (const member of members) {
    const value = ownValue(member.shape.labels, label)
    if (value !== undefined) byValue.set(value, [...(byValue.get(value) ?? []), member])
  }
  const isEven = (alike: readonly Member[]) =>
    RESOURCES.every((resource) => {
      const amounts = reporting(alike).map(({ allocatable }) => allocatable[resource].nanoValue())
      const [least, most] = [amounts.reduce(smaller, amounts[0] ?? 0n), amounts.reduce(larger, 0n)]
      return most <= BigInt(CLASS_RATIO) * least
    })
  return byValue.size > 0 && [...byValue.values()].every(isEven)
}

function reporting(members: readonly Member[]) {
  return members.flatMap((member) => {
    const allocatable = allocatableOf(member)
    return allocatable === undefined ? [] : [{ member, allocatable }]
  })
}

function smaller(left: bigint, right: bigint): bigint {
  return right < left ? right : left
}

function larger(left: bigint, right: bigint): bigint {
  return right > left ? right : left
}
