import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Labels, Node, Taint } from '../../../src/kube/index.ts'
import type { Draw } from './draw.ts'
import { ARCH, GPU, MEMORY, NO_INTEGERS, OS, POOL, TAINTS, TYPE, VALUES, ZONE } from './labels.ts'

/** A node of a drawn fleet, as it is sent to the API server. */
export type FleetNode = KubernetesObject &
  Node & {
    apiVersion: 'v1'
    kind: 'Node'
    metadata: { name: string; labels: Labels }
    spec: { taints?: Taint[]; unschedulable?: boolean }
    status: object
  }

/** What the nodes of one pool have in common. */
interface Pool {
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly cpu: number
  readonly gibibytes: number
}

/** Taints by which Kubernetes says in what state a node is; they come and go. */
export const NOT_READY: Taint[] = ['NoSchedule', 'NoExecute'].map((effect) => ({
  key: 'node.kubernetes.io/not-ready',
  effect,
}))
export const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** A node without anything drawn. */
export function nodeNamed(name: string, labels: Labels, cpu = 4, gibibytes = 16): FleetNode {
  const allocatable = { cpu: `${cpu * 1000 - 70}m`, memory: `${gibibytes * 1024 * 1024 - 800_000}Ki`, pods: '58' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: {},
    status: {
      allocatable,
      capacity: { cpu: String(cpu), memory: `${gibibytes}Gi`, pods: '58' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }
}

/** Twenty to forty nodes in a few pools, some of which lack a label, are tainted, not ready or cordoned. */
export function drawNodes(draw: Draw, prefix: string): FleetNode[] {
  const pools = draw.times(draw.integer(3, 7), () => drawPool(draw))
  const nodes = draw.times(draw.integer(20, 40), () => drawNode(draw, pools))
  return nodes.map((node, index) => renamed(node, `${prefix}-n${index}`))
}

/** One node of one of these pools, still without a name. */
function drawNode(draw: Draw, pools: readonly Pool[]): FleetNode {
  const { labels: common, taints, cpu, gibibytes } = draw.one(pools)
  const labels = { ...common }
  if (draw.percent(60)) labels[ZONE] = draw.one(VALUES[ZONE] ?? [])
  if (draw.percent(12)) delete labels[draw.one([TYPE, ZONE, POOL, MEMORY])]
  if (draw.percent(6)) labels[draw.one([TYPE, POOL])] = ''
  if (draw.percent(3)) labels[MEMORY] = draw.one(NO_INTEGERS)
  const node = nodeNamed('unnamed', labels, cpu, gibibytes)
  const own: Taint[] = [...taints]
  if (draw.percent(6)) own.push(draw.one(TAINTS))
  if (draw.percent(4)) own.push(...NOT_READY)
  if (draw.percent(4)) {
    own.push(CORDONED)
    node.spec.unschedulable = true
  }
  return withTaints(node, own)
}

function drawPool(draw: Draw): Pool {
  const labels: Labels = { [OS]: draw.one(VALUES[OS] ?? []), [ARCH]: draw.one(VALUES[ARCH] ?? []) }
  const gibibytes = draw.one([1, 4, 8, 16, 64, 128])
  if (draw.percent(90)) labels[TYPE] = draw.one(VALUES[TYPE] ?? [])
  if (draw.percent(85)) labels[ZONE] = draw.one(VALUES[ZONE] ?? [])
  if (draw.percent(70)) labels[POOL] = draw.one(VALUES[POOL] ?? [])
  if (draw.percent(75)) labels[MEMORY] = draw.one(VALUES[MEMORY] ?? [])
  if (draw.percent(25)) labels[GPU] = draw.one(VALUES[GPU] ?? [])
  return { labels, taints: draw.percent(25) ? [draw.one(TAINTS)] : [], cpu: draw.one([1, 2, 4, 8, 32]), gibibytes }
}

export function renamed(node: FleetNode, name: string): FleetNode {
  const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name }
  return { ...node, metadata: { ...node.metadata, name, labels } }
}

/** The node with other taints, each key and effect once, as the API server wants them. */
export function withTaints(node: FleetNode, taints: readonly Taint[]): FleetNode {
  const distinct = new Map(taints.map((taint) => [`${taint.key} ${taint.effect}`, { ...taint }]))
  const { taints: _, ...spec } = node.spec
  return { ...node, spec: distinct.size > 0 ? { ...spec, taints: [...distinct.values()] } : spec }
}

/** The node with a label changed, or taken away. */
export function withLabel(node: FleetNode, key: string, value: string | undefined): FleetNode {
  const { [key]: _, ...labels } = node.metadata.labels
  return { ...node, metadata: { ...node.metadata, labels: value === undefined ? labels : { ...labels, [key]: value } } }
}
