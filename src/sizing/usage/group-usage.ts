import type { PodSpec } from '../../kube/index.ts'
import { PERCENTAGES, type Rule, type Steps } from '../../policy/index.ts'
import { nodeSizeOf } from '../../usage/index.ts'
import type { ContainerStep } from '../../world/index.ts'
import { type Basis, smallestNode } from '../basis.ts'
import type { Group } from '../group.ts'
import type { ContainerSize, Share } from '../share.ts'
import type { Trace } from '../size.ts'
import { type ContainerUsage, containerUsage } from './container-usage.ts'
import type { PolicyUsage } from './policy-usage.ts'
import { sizeByUsage } from './size-by-usage.ts'

/** What usage makes of a group, or would make of it. */
export interface GroupUsage {
  /** Whether the group is sized by it. */
  readonly isAuto: boolean
  readonly containers: readonly ContainerUsage[]
  /** The sizes by usage. */
  readonly sizes: readonly ContainerSize[]
  /** How sizes that percentages do not give came about, of those that are rendered. */
  readonly steps: readonly ContainerStep[]
}

/** The sizes of a group that are rendered. */
interface Rendered {
  readonly sizes: readonly ContainerSize[]
  readonly traces: readonly Trace[]
}

interface Input {
  readonly basis: Basis
  readonly rule: Rule
  readonly steps: Steps
  readonly shares: readonly Share[]
  readonly pod: PodSpec
  readonly usage: PolicyUsage
}

/**
 * Sizes a group whose policy has usage: what is rendered, and what usage makes of it. `byPercentages` is rendered where
 * nothing but percentages sizes the group.
 */
export function sizeWithUsage(group: Group, input: Input, byPercentages: Rendered): Rendered & { usage: GroupUsage } {
  const { basis, rule, shares, pod, usage } = input
  const { cpu, memory, pods } = smallestNode(group)
  // a group none of whose nodes reports is as large as the basis that it has
  const node = nodeSizeOf({ cpu: cpu ?? basis.cpu.toString(), memory: memory ?? basis.memory.toString(), pods })
  const containers = shares.map(({ container }) => containerUsage(container, group.id, node, usage))
  const own = [...(pod.containers ?? []), ...(pod.initContainers ?? [])]
  const template = new Map(own.map((container) => [container.name, container]))
  const sized = (isAuto: boolean) =>
    sizeByUsage({
      ...input,
      template,
      containers,
      rule: { ...rule, ...(rule.usage && { usage: { ...rule.usage, isAuto } }) },
    })
  const isAuto = rule.usage?.isAuto === true
  const auto = sized(true)
  const keepsTemplate = PERCENTAGES.some((name) => rule.percentages[name] === 'template')
  const rendered = isAuto ? auto : keepsTemplate ? sized(false) : { ...byPercentages, steps: [] }
  const { sizes, traces, steps } = rendered
  return { sizes, traces, usage: { isAuto, containers, sizes: auto.sizes, steps } }
}
