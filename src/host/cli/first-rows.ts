import type { UsageRow } from '../../facts/inventory/index.ts'
import { writeRow } from '../../facts/usage/index.ts'
import { type DayContainer, type Group, nodesOfGroup, type Part, type Sized } from '../../plan/sizing/index.ts'
import { smallestAmounts } from '../files/usage-rows.ts'
import type { AgentLook } from './first-look.ts'

/** Where rows belong, and when what they say was seen. */
export interface RowsOf {
  /** Namespace and name of the policy. */
  readonly policy: string
  readonly at: Date
  /** Whether the nodes are grouped by the label that a person gives them. */
  readonly isYours: boolean
}

/** The names of classes, by how many there are. */
const CLASS_NAMES: ReadonlyArray<readonly string[]> = [
  ['all'],
  ['small', 'large'],
  ['small', 'medium', 'large'],
  ['small', 'medium', 'large', 'giant'],
]

/** A class of nodes that all agents share. */
export interface NodeClass {
  readonly name: string
  /** The first step of the axis that it has, and the one behind its last. */
  readonly from: number
  readonly to: number
}

/** The classes of the first look, from the smallest. */
export function classesOfLook({ cuts, carrier }: Pick<AgentLook, 'cuts' | 'carrier'>): NodeClass[] {
  const ends = [...cuts, carrier.axis.count]
  return ends.map((to, at) => ({
    name: CLASS_NAMES[cuts.length]?.[at] ?? `class-${at + 1}`,
    from: cuts[at - 1] ?? 0,
    to,
  }))
}

/** The containers that get a size, in their order. */
export function sizedContainers({ proposal, containers }: AgentLook): string[] {
  const isSized = (_: DayContainer, at: number) =>
    proposal.parts.some(({ sizes }) => (sizes[at]?.cpu ?? sizes[at]?.memory) !== undefined)
  return containers.filter(isSized).map(({ name }) => name)
}

/**
 * The rows that give each group with nodes the sizes of the first look. A group whose nodes are of several parts gets
 * the largest. Where nodes are to be labelled first, each class has a row, and so has the default group: what is
 * not labelled yet is sized like the class that needs most.
 */
export function firstRows(look: AgentLook, groups: readonly Group[], of: RowsOf): UsageRow[] {
  const { proposal, carrier, indexOf } = look
  const parts = proposal.parts.filter(({ nodes }) => nodes > 0)
  if (of.isYours) {
    const nodes = groups.flatMap((group) => [...nodesOfGroup(group).nodes])
    const classes = classesOfLook(look).flatMap(({ name, from, to }) => {
      const own = parts.filter((part) => part.from < to && part.to > from)
      return own.length === 0 ? [] : rowsOf(look, `value:${name}`, own, nodesIn(look, nodes, from, to), groups, of)
    })
    return [...classes, ...rowsOf(look, 'default', parts, nodes, groups, of)]
  }
  return groups.flatMap((group) => {
    const nodes = [...nodesOfGroup(group).nodes]
    const steps = new Set(nodes.flatMap((node) => carrier.axis.steps[indexOf.get(node) ?? -1] ?? []))
    const own = parts.filter(({ from, to }) => [...steps].some((step) => step >= from && step < to))
    return own.length === 0 ? [] : rowsOf(look, group.id, own, nodes, groups, of)
  })
}

function nodesIn({ carrier, indexOf }: AgentLook, nodes: readonly string[], from: number, to: number): string[] {
  return nodes.filter((node) => {
    const step = carrier.axis.steps[indexOf.get(node) ?? -1]
    return step !== undefined && step >= from && step < to
  })
}

function rowsOf(
  { containers, proposal }: AgentLook,
  group: string,
  parts: readonly Part[],
  nodes: readonly string[],
  groups: readonly Group[],
  { policy, at }: RowsOf,
): UsageRow[] {
  const node = smallestOf(nodes, groups)
  return containers.flatMap(({ name, kind }, index) => {
    const largest = (resource: 'cpu' | 'memory') =>
      parts.reduce<Sized | undefined>((best, { sizes }) => {
        const own = sizes[index]?.[resource]
        return best === undefined || (own !== undefined && own.row > best.row) ? own : best
      }, undefined)?.row
    const [cpu, memory] = [largest('cpu'), largest('memory')]
    if ((cpu ?? memory) === undefined || kind === undefined) return []
    const used = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
    const limit = proposal.limits[index]
    const limits = limit === undefined ? {} : { memory: limit }
    const settled = { used, limits, at: at.getTime(), why: 'Imported' as const, raisedAt: [], evidence: kind }
    return [writeRow({ policy, container: name, group, days: 0, pods: nodes.length, settled }, node)]
  })
}

/** The smallest amount of each resource of some nodes, as they write it. */
function smallestOf(nodes: readonly string[], groups: readonly Group[]): UsageRow['node'] {
  const own = new Set(nodes)
  const shapes = groups
    .flatMap(({ members }) => members)
    .filter((member) => member.nodes.some((name) => own.has(name)))
    .map(({ shape }) => shape)
  return smallestAmounts(shapes)
}
