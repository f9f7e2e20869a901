import type { ContainerStep } from '../../../core/index.ts'
import { nodeSizeOf } from '../../../facts/usage/index.ts'
import { PERCENTAGES, type Resource, type Rule, type Steps, type UsageRule } from '../../../kinds/index.ts'
import type { PodSpec } from '../../../kube/index.ts'
import { type Basis, smallestNode } from '../basis.ts'
import type { Group } from '../group.ts'
import type { ContainerSize, Share, Trace } from '../size.ts'
import { type ContainerUsage, containerUsage, type PolicyUsage } from './policy-usage.ts'
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
  /** What sizes the group where usage does not. */
  readonly otherwise: 'percentages' | 'the template'
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
  const containers = shares.map(({ container }) =>
    controlled(containerUsage(container, group.id, node, usage), rule.usage),
  )
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
  const ofTemplate = PERCENTAGES.filter((name) => rule.percentages[name] === 'template')
  const keepsTemplate = ofTemplate.length > 0
  const rendered = isAuto ? auto : keepsTemplate ? sized(false) : { ...byPercentages, steps: [] }
  const { sizes, traces, steps } = rendered
  const otherwise = ofTemplate.length === PERCENTAGES.length ? 'the template' : 'percentages'
  return { sizes, traces, usage: { isAuto, containers, sizes: auto.sizes, steps, otherwise } }
}

/** What usage says of a container, as far as the policy leaves its amounts to it. */
function controlled(one: ContainerUsage, rule: UsageRule | undefined): ContainerUsage {
  const left = (amounts: ContainerUsage['used']) =>
    Object.fromEntries(Object.entries(amounts).filter(([resource]) => rule?.resources.has(resource as Resource)))
  return { ...one, used: left(one.used), limits: rule?.hasLimits === true ? left(one.limits) : {} }
}
