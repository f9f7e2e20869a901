import type { Resource } from '../../../kinds/index.ts'
import { SIZE_LABEL } from '../../../krm/remembered.ts'
import type { Labels } from '../../../kube/index.ts'
import { parseInt64 } from '../../../kube/quantity.ts'
import { CLASS_RATIO, type GroupingChoice, INSTANCE_TYPE } from '../choose-label.ts'
import type { Part } from './parts.ts'
import { type Axis, axisBy, type NodeSizes } from './steps.ts'

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
  const ranges = MACHINE_LABELS.flatMap(([by, label]) => rangesOf(nodes, isUsed, by, label) ?? [])
  if (ranges.length > 0) return ranges
  const label = TYPE_LABELS.find((key) => tellsSizes(used, key))
  if (label !== undefined) return RESOURCES.map((by) => valuesOf(nodes, isUsed, by, label))
  return RESOURCES.map((by): Carrier => {
    const amounts = nodes.map((node, at) => (isUsed(at) ? node[by] : undefined))
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
  const axis = withOthers(axisBy(by, numbers), nodes)
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
  const least = new Map([...byValue].map(([value, own]) => [value, Math.min(...own.map((node) => node[by]))]))
  const amounts = nodes.map(({ labels }) => (Object.hasOwn(labels, label) ? least.get(labels[label] ?? '') : undefined))
  const choice: GroupingChoice =
    byValue.size > MOST_VALUES ? { nodeGroupLabel: label, classes: { ratio: CLASS_RATIO } } : { nodeGroupLabel: label }
  return { axis: withOthers(axisBy(by, amounts), nodes), label, groupingFor: () => choice }
}

/** Puts nodes that lack the label into the step of the largest node with it that is no larger. */
function withOthers(axis: Axis, nodes: readonly NodeSizes[]): Axis {
  const known = nodes.flatMap((node, at) => {
    const step = axis.steps[at]
    return step === undefined ? [] : [{ amount: node[axis.by], step }]
  })
  known.sort((a, b) => a.amount - b.amount)
  const stepOf = (amount: number) => (known.findLast((one) => one.amount <= amount) ?? known[0])?.step
  return { ...axis, steps: axis.steps.map((step, at) => step ?? stepOf(nodes[at]?.[axis.by] ?? 0)) }
}
