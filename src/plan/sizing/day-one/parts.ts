import type { EvidenceKind } from '../../../facts/usage/index.ts'
import type { Resource } from '../../../kinds/index.ts'
import { keeping, medianOf, needOf, type Sized, type Sizes, sizeFor } from './need.ts'
import { type Axis, costOf } from './steps.ts'

/** What a container of a pod uses: cpu in thousandths of a core, memory in MiB. */
export interface PodUse {
  /** The index of its node. */
  readonly node: number
  readonly cpu: number
  readonly memory: number
  /** The most memory that it was seen with. */
  readonly peak: number
}

/** A container of an agent, as it is set today and as it was seen. */
export interface DayContainer {
  readonly name: string
  readonly request: Sizes
  readonly limit: Sizes
  /** Absent without evidence: the container keeps what it has. */
  readonly kind?: EvidenceKind
  readonly pods: readonly PodUse[]
  /** Whether memory follows the limit: its request stays below it, and the limit stays. */
  readonly followsLimit?: boolean
  /** Whether it was killed for want of memory: its limit doubles at least. */
  readonly isKilled?: boolean
}

/** An agent, with the nodes that it runs on. */
export interface DayAgent {
  /** The indexes of its nodes. */
  readonly nodes: readonly number[]
  readonly containers: readonly DayContainer[]
  /** What a pod requests whatever its containers do: the largest of its init containers that end. */
  readonly least?: Sizes
}

/** Requests of a container on the nodes of a part; absent where today's stays as it is written. */
export type PartSizes = Readonly<Partial<Record<Resource, Sized>>>

/** Steps of the axis that get one size. */
export interface Part {
  /** The first step, and the one behind the last. */
  readonly from: number
  readonly to: number
  /** How many nodes of the agent are in it. */
  readonly nodes: number
  /** The sizes of each container, in their order. */
  readonly sizes: readonly PartSizes[]
  readonly cost: number
}

/** How one agent may be divided along an axis. */
export interface Divisible {
  /** What all its pods request today. */
  readonly today: number
  /** What a group more has to save: 5 % of what is requested today, half a core at least. */
  readonly threshold: number
  part(from: number, to: number): Part
  /** Whether half of the pods of a part need more than they request. */
  isShort(part: Part): boolean
}

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const LEAST_SAVING = costOf({ cpu: 500 })
const LEAST_PERCENT = 5

interface StepNeeds {
  readonly nodes: number
  /** For each container. */
  readonly seen: readonly StepSeen[]
}

/** What the pods of a step show of one container. */
interface StepSeen {
  /** What is needed there; undefined where no pod is measured. */
  readonly needs: Readonly<Record<Resource, number | undefined>>
  readonly measured: number
  /** Whether fewer than half of the nodes of some size are measured: they say too little of the others. */
  readonly isPartial: boolean
}

/** Returns how an agent may be divided; `cells` are those of the nodes (`cellsOf`). */
export function divisible(agent: DayAgent, axis: Axis, cells: readonly number[]): Divisible {
  const steps = stepsOf(agent, axis, cells)
  const today = agent.nodes.length * costOfPod(agent, () => undefined)
  const memo = new Map<number, Part>()
  return {
    today,
    threshold: Math.max(Math.ceil((today * LEAST_PERCENT) / 100), LEAST_SAVING),
    part: (from, to) => {
      const key = from * (axis.count + 1) + to
      const known = memo.get(key)
      if (known !== undefined) return known
      const made = partOf(agent, steps.slice(from, to), from, to)
      memo.set(key, made)
      return made
    },
    isShort: ({ from, to }) => {
      const isIn = ({ node }: PodUse) => {
        const step = axis.steps[node] ?? 0
        return step >= from && step < to
      }
      return agent.containers.some(({ pods, request }) => {
        const own = pods.filter(isIn)
        return RESOURCES.some((resource) => {
          const sorted = own.map((pod) => pod[resource]).sort((a, b) => a - b)
          return medianOf(sorted) > (request[resource] ?? Number.POSITIVE_INFINITY)
        })
      })
    },
  }
}

/** The needs of each step: those of the cells in it, and never less than those of a smaller step. */
function stepsOf({ nodes, containers }: DayAgent, axis: Axis, cells: readonly number[]): StepNeeds[] {
  // a node outside the order counts with the smallest
  const stepOf = (node: number) => axis.steps[node] ?? 0
  const counts = Array.from({ length: axis.count }, () => new Map<number, number>())
  for (const node of nodes) {
    const [byCell, cell] = [counts[stepOf(node)], cells[node] ?? 0]
    byCell?.set(cell, (byCell.get(cell) ?? 0) + 1)
  }
  const byContainer = containers.map(({ pods }) => {
    const byStep = Array.from({ length: axis.count }, () => new Map<number, PodUse[]>())
    for (const pod of pods) {
      const [byCell, cell] = [byStep[stepOf(pod.node)], cells[pod.node] ?? 0]
      const own = byCell?.get(cell)
      if (own === undefined) byCell?.set(cell, [pod])
      else own.push(pod)
    }
    return byStep
  })
  const before = containers.map((): { cpu: number; memory: number } => ({ cpu: 0, memory: 0 }))
  return counts.map((nodesByCell, step) => {
    const seen = byContainer.map((byStep, at): StepSeen => {
      const podsByCell = byStep[step] ?? new Map<number, PodUse[]>()
      const least = before[at] ?? { cpu: 0, memory: 0 }
      const largest = (resource: Resource) =>
        podsByCell.size === 0
          ? undefined
          : Math.max(
              least[resource],
              ...[...podsByCell.values()].map((pods) => needOf(pods.map((pod) => pod[resource])) ?? 0),
            )
      const needs = { cpu: largest('cpu'), memory: largest('memory') }
      before[at] = { cpu: needs.cpu ?? least.cpu, memory: needs.memory ?? least.memory }
      return {
        needs,
        measured: [...podsByCell.values()].reduce((sum, pods) => sum + pods.length, 0),
        isPartial: [...nodesByCell].some(([cell, count]) => (podsByCell.get(cell)?.length ?? 0) * 2 < count),
      }
    })
    return { nodes: [...nodesByCell.values()].reduce((sum, count) => sum + count, 0), seen }
  })
}

function partOf(agent: DayAgent, steps: readonly StepNeeds[], from: number, to: number): Part {
  const { containers } = agent
  const nodes = steps.reduce((sum, step) => sum + step.nodes, 0)
  const sizes = containers.map((container, at): PartSizes => {
    const { kind, request, limit, followsLimit } = container
    if (kind === undefined) return {}
    const seen = steps.flatMap((step) => step.seen[at] ?? [])
    const measured = seen.reduce((sum, one) => sum + one.measured, 0)
    return Object.fromEntries(
      RESOURCES.flatMap((resource) => {
        const needs = seen.flatMap((one) => one.needs[resource] ?? [])
        const today = request[resource]
        const ceiling = resource === 'cpu' || followsLimit === true ? limit[resource] : undefined
        // without a row of its own a group would borrow the size of smaller nodes
        if (needs.length === 0) return today === undefined ? [] : [[resource, keeping(today, today, ceiling)]]
        const sized = sizeFor({
          ...{ resource, kind, today, limit: ceiling, pods: measured },
          need: Math.max(...needs),
          isPartial: seen.some((one) => one.isPartial),
          followsLimit: resource === 'memory' && followsLimit === true,
        })
        return sized === undefined ? [] : [[resource, sized]]
      }),
    )
  })
  return { from, to, nodes, sizes, cost: nodes * costOfPod(agent, (at) => sizes[at]) }
}

/** What a pod requests, with other sizes than today's where they are given. */
function costOfPod(agent: DayAgent, sizesOf: (at: number) => PartSizes | undefined): number {
  return costOf({ cpu: podAmount(agent, 'cpu', sizesOf), memory: podAmount(agent, 'memory', sizesOf) })
}

/** What a pod requests of one resource (`podRequests`): of its containers together, no less than an init container. */
export function podAmount(
  { containers, least }: DayAgent,
  resource: Resource,
  sizesOf: (at: number) => PartSizes | undefined,
): number {
  const sum = containers.reduce((all, { request }, at) => {
    return all + (sizesOf(at)?.[resource]?.size ?? request[resource] ?? 0)
  }, 0)
  return Math.max(sum, least?.[resource] ?? 0)
}
