import { firstNames, type Nodes } from '../inventory/index.ts'
import { markedGroup } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'

/**
 * What makes a node group one: a label value, a range of its integers, values of similar size, the absence of the
 * label, a policy's own selector, or what nobody has seen yet.
 */
export type GroupKind = 'value' | 'range' | 'class' | 'default' | 'explicit' | 'remainder'

/** Something a summary counts, in the planner's words: `3 groups`, `2 nodes without an agent`. */
export interface CountLine {
  readonly kind: 'count'
  readonly count: number
  readonly noun: string
  /** What is said of them; these counts come last. */
  readonly words?: string
}

/** A node group with its nodes and how its amounts came about. */
export interface GroupLine extends Nodes {
  readonly kind: 'group'
  readonly id: string
  readonly groupKind: GroupKind
  /** The name of what was rendered for it. */
  readonly name: string
  readonly steps: readonly Step[]
}

/**
 * One amount: the percentage, what it was taken of, the raw result in millicores or bytes, what decided, and what is
 * written.
 */
export interface Step {
  readonly name: string
  readonly percentage: string
  readonly basis: string
  /**
   * What the basis is: of the group's own nodes the smallest or the median, the one it had before, or that of the
   * nearest range or a remainder.
   */
  readonly from: 'smallest' | 'median' | 'earlier' | 'range' | 'remainder'
  /** What the nodes have now, where the basis of before was near enough to be kept. */
  readonly now?: string
  readonly raw: bigint
  /** The step that is rounded to, and what came of it in millicores or bytes. */
  readonly step?: { readonly size: string; readonly result: bigint }
  /** A bound, or the request that a limit was raised to. */
  readonly decidedBy?: 'minimum' | 'maximum' | 'request'
  readonly printed: string
}

/** Nodes of which the same is said for the same reason: `without an agent`, `left out by Ready`. */
export interface NodesLine extends Nodes {
  readonly kind: 'nodes'
  /** Of the planner, or of every run: `NodesWithoutAgent`, `NoNewPods`. */
  readonly code: string
  readonly words: string
  readonly reason: string
}

/** A state in which a subject is not planned anew, such as `paused`. */
export interface StateLine {
  readonly kind: 'state'
  readonly state: string
}

/**
 * Which containers of the template get sizes, and which keep what they have; the variables that are computed from
 * sizes.
 */
export interface ContainersLine {
  readonly kind: 'containers'
  readonly sized: readonly string[]
  readonly notSized: readonly string[]
  readonly variables: readonly string[]
}

/** Something that a planner alone has to tell of a subject, under a code of its own. */
export interface NoteLine {
  readonly kind: 'note'
  readonly code: string
  readonly sentence: string
}

/** One line of what a planner decided, for views. */
export type Line = StateLine | NoteLine | CountLine | GroupLine | NodesLine | ContainersLine

/** A line about some nodes, whose names are asked for only by who reads them all. */
export function nodesLine(said: Omit<NodesLine, 'kind' | keyof Nodes>, lot: Nodes): NodesLine {
  return {
    kind: 'nodes',
    ...said,
    first: firstNames(lot),
    nodeCount: lot.nodeCount,
    get nodes() {
      return lot.nodes
    },
  }
}

/** How many nodes the lines of a code are about, as a summary counts them. */
export function countNodes(lines: readonly NodesLine[], words: string): CountLine {
  const count = lines.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
  return { kind: 'count', count, noun: 'node', words }
}

/** How the identity of each kind of group begins. */
const KINDS: Readonly<Record<string, GroupKind>> = {
  value: 'value',
  range: 'range',
  class: 'class',
  group: 'explicit',
  default: 'default',
  remainder: 'remainder',
}

/**
 * The kind of the group that an object was rendered for; undefined for what is for none. A user may have written
 * anything there.
 */
export function kindOfGroup(object: KubernetesObject): GroupKind | undefined {
  const id = markedGroup(object)
  if (id === undefined) return undefined
  const [start = ''] = id.split(/:|-[0-9]+$/)
  return Object.hasOwn(KINDS, start) ? KINDS[start] : undefined
}

/**
 * A group's identity as a sentence has it behind the word group: an explicit one is called what the policy calls it.
 */
export function groupText(id: string): string {
  return id.startsWith('group:') ? id.slice('group:'.length) : id
}
