import type { Resource } from '../../../kinds/index.ts'
import { SIZE_LABEL } from '../../../krm/remembered.ts'
import type { Labels } from '../../../kube/index.ts'
import { parseInt64 } from '../../../kube/quantity.ts'
import { CLASS_RATIO, type GroupingChoice, INSTANCE_TYPE } from '../choose-label.ts'
import { classPower } from '../group-by.ts'
import type { Part } from './parts.ts'
import { type Axis, axisBy, axisOf, type NodeSizes } from './steps.ts'

/** A node as far as classes need it. */
export interface CarrierNode extends NodeSizes {
  readonly labels: Labels
}

/** A label that can carry classes: an order of the nodes, and the grouping of a policy that divides them so. */
export interface Carrier {
  readonly axis: Axis
  /** The label, as people read it. */
  readonly label: string
  groupingFor(parts: readonly Part[]): GroupingChoice
  /** The nodes of each class have to be given the label first. */
  readonly isYours?: true
}

/** Karpenter's labels of a machine, on AWS and Azure, best first for each amount. */
export const MACHINE_LABELS: ReadonlyArray<readonly [Resource, string]> = [
  ['memory', 'karpenter.k8s.aws/instance-memory'],
  ['cpu', 'karpenter.k8s.aws/instance-cpu'],
  ['memory', 'karpenter.azure.com/sku-memory'],
  ['cpu', 'karpenter.azure.com/sku-cpu'],
]
/** Labels with the type or pool of a node; the values of the first that tells sizes apart carry the classes. */
const TYPE_LABELS = [
  INSTANCE_TYPE,
  'kubernetes.azure.com/agentpool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'karpenter.sh/nodepool',
]
/** Up to this many values are a group each. */
const MOST_VALUES = 6
/** Nodes of one value may differ by no more. */
const MOST_APART = 2

const RESOURCES: readonly Resource[] = ['memory', 'cpu']

/**
 * Returns what can carry classes of some nodes, all orders of the first of these that the nodes allow: Karpenter's
 * numbers on half of them or more, the values of a type or pool, a label that you set.
 */
export function carriersOf(nodes: readonly CarrierNode[], isUsed: IsUsed = () => true): Carrier[] {
  const used = nodes.filter((_, at) => isUsed(at))
  const isSet = nodesByValue(used, SIZE_LABEL).size > 1
  const ranges = MACHINE_LABELS.flatMap(([by, label]) => rangesOf(nodes, isUsed, by, label) ?? [])
  if (ranges.length > 0 && !isSet) return ranges
  // a label that somebody has set is what earlier packages group by
  const label = isSet ? SIZE_LABEL : TYPE_LABELS.find((key) => tellsSizes(used, key))
  if (label !== undefined) return RESOURCES.map((by) => valuesOf(nodes, isUsed, by, label))
  return RESOURCES.map((by): Carrier => {
    const amounts = nodes.map((node, at) => (isUsed(at) && node[by] > 0 ? node[by] : undefined))
    const axis = withOthers(axisBy(by, amounts), nodes)
    return { axis, label: SIZE_LABEL, groupingFor: () => ({ nodeGroupLabel: SIZE_LABEL }), isYours: true }
  })
}

/** Whether an agent that is looked at runs on the node of an index. */
type IsUsed = (index: number) => boolean

function rangesOf(nodes: readonly CarrierNode[], isUsed: IsUsed, by: Resource, label: string): Carrier | undefined {
  const numbers = nodes.map(({ labels }, at) => (isUsed(at) ? numberOf(labels, label) : undefined))
  const known = numbers.filter((number) => number !== undefined)
  if (known.length === 0 || known.length * 2 < nodes.filter((_, at) => isUsed(at)).length) return undefined
  const axis = withDefault(axisBy(by, numbers), nodes, isUsed)
  return {
    axis,
    label,
    groupingFor: (parts) => {
      const firstOf = (step: number) =>
        Math.min(...numbers.flatMap((number, at) => (number !== undefined && axis.steps[at] === step ? [number] : [])))
      const bounds = parts.slice(1).map(({ from }) => firstOf(from))
      return { nodeGroupRanges: { label, bounds } }
    },
  }
}

function numberOf(labels: Labels, label: string): number | undefined {
  const number = Object.hasOwn(labels, label) ? parseInt64(labels[label] ?? '') : undefined
  return number === undefined || number <= 0n ? undefined : Number(number)
}

/** Whether a label has more than one value, on half of the nodes or more, and the nodes of each are of one size. */
function tellsSizes(nodes: readonly CarrierNode[], label: string): boolean {
  const byValue = nodesByValue(nodes, label)
  const count = [...byValue.values()].reduce((sum, own) => sum + own.length, 0)
  const isEven = (own: readonly CarrierNode[]) =>
    RESOURCES.every((resource) => {
      const amounts = own.map((node) => node[resource]).filter((amount) => amount > 0)
      return Math.max(...amounts, 0) <= MOST_APART * Math.min(...amounts)
    })
  return byValue.size > 1 && count * 2 >= nodes.length && [...byValue.values()].every(isEven)
}

function nodesByValue(nodes: readonly CarrierNode[], label: string): Map<string, CarrierNode[]> {
  const found = new Map<string, CarrierNode[]>()
  for (const node of nodes) {
    if (!Object.hasOwn(node.labels, label)) continue
    const value = node.labels[label] ?? ''
    const own = found.get(value)
    if (own === undefined) found.set(value, [node])
    else own.push(node)
  }
  return found
}

function valuesOf(nodes: readonly CarrierNode[], isUsed: IsUsed, by: Resource, label: string): Carrier {
  const byValue = nodesByValue(
    nodes.filter((_, at) => isUsed(at)),
    label,
  )
  // a node that reports nothing says nothing of its type
  const least = new Map(
    [...byValue].map(([value, own]) => [
      value,
      Math.min(...own.map((node) => node[by]).filter((amount) => amount > 0)),
    ]),
  )
  const amounts = nodes.map(({ labels }) => {
    const amount = Object.hasOwn(labels, label) ? least.get(labels[label] ?? '') : undefined
    return amount === Number.POSITIVE_INFINITY ? undefined : amount
  })
  if (byValue.size <= MOST_VALUES || label === SIZE_LABEL)
    return {
      axis: withDefault(axisBy(by, amounts), nodes, isUsed),
      label,
      groupingFor: () => ({ nodeGroupLabel: label }),
    }
  // a class is rendered as one group, so no bound may cut it
  const powers = amounts.map((amount) => amount && classPower(by, BigInt(amount) * NANO[by], BigInt(CLASS_RATIO)))
  const grouping = { nodeGroupLabel: label, classes: { ratio: CLASS_RATIO } }
  return { axis: withDefault(axisOf(by, powers), nodes, isUsed), label, groupingFor: () => grouping }
}

/** A thousandth of a core and one Mi, in nano units. */
const NANO: Readonly<Record<Resource, bigint>> = { cpu: 1_000_000n, memory: 1_048_576n * 1_000_000_000n }

/**
 * Puts all nodes without a step into one, since one default group has them: that of the largest node with a step that
 * is no larger than the largest of them that is used.
 */
function withDefault(axis: Axis, nodes: readonly NodeSizes[], isUsed: IsUsed): Axis {
  const isOther = (at: number) => axis.steps[at] === undefined && isUsed(at)
  const others = stepsBySize(
    axis,
    nodes,
  )(Math.max(0, ...nodes.flatMap((node, at) => (isOther(at) ? [node[axis.by]] : []))))
  return { ...axis, steps: axis.steps.map((step) => step ?? others) }
}

/** Puts each node without a step into that of the largest node with one that is no larger. */
function withOthers(axis: Axis, nodes: readonly NodeSizes[]): Axis {
  const stepOf = stepsBySize(axis, nodes)
  return { ...axis, steps: axis.steps.map((step, at) => step ?? stepOf(nodes[at]?.[axis.by] ?? 0)) }
}

function stepsBySize(axis: Axis, nodes: readonly NodeSizes[]): (amount: number) => number | undefined {
  const known = nodes.flatMap((node, at) => {
    const step = axis.steps[at]
    return step === undefined ? [] : [{ amount: node[axis.by], step }]
  })
  known.sort((a, b) => a.amount - b.amount)
  return (amount) => (known.findLast((one) => one.amount <= amount) ?? known[0])?.step
}
