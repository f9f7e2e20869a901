import { firstNames, type Nodes } from '../facts/inventory/index.ts'
import { markedGroup } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'

/**
 * What defines a node group: a label value, a range of its integers, values of similar size, the absence of the label,
 * a policy's own selector, or nodes that no inventory shows yet.
 */
export type GroupKind = 'value' | 'range' | 'class' | 'default' | 'explicit' | 'remainder'

/** A number that a summary shows, in the planner's words: `3 groups`, `2 nodes without an agent`. */
export interface CountLine {
  readonly kind: 'count'
  readonly count: number
  readonly noun: string
  /** The words that follow the number; counts with words come last. */
  readonly words?: string
}

/** A node group with its nodes and how its amounts were computed. */
export interface GroupLine extends Nodes {
  readonly kind: 'group'
  readonly id: string
  readonly groupKind: GroupKind
  /** How a policy may refer to it: label value and name part. */
  readonly aliases: readonly string[]
  /** The name of the object that was rendered for it. */
  readonly name: string
  /** The smallest allocatable amounts of its nodes, as they are written; what none of them says is absent. */
  readonly node: { readonly cpu?: string; readonly memory?: string; readonly pods?: string }
  readonly steps: readonly Step[]
  /** How the variables that are computed from its amounts came about. */
  readonly variables?: readonly VariableStep[]
  /** Returns what a container was seen to use, whether or not that sizes it; read when first asked. */
  readonly usedBy: (container: string) => UsedTexts
}

/** Amounts that were seen, as quantities; one that nobody measured is absent. */
export interface UsedTexts {
  readonly cpu?: string
  readonly memory?: string
}

/** A variable of a container: the share of the amount that it is computed from, and what is written. */
export interface VariableStep {
  readonly name: string
  readonly container: string
  readonly percentage: string
  /** The exact amount, and which one it is. */
  readonly basis: string
  readonly from: string
  /** The exact result, in millicores or bytes, before rounding to the unit. */
  readonly raw: bigint
  readonly printed: string
}

/** How one amount came about. */
export type Step = PercentageStep | ContainerStep

/** How one amount of one container came about, where its policy has usage. */
export type ContainerStep = UsedStep | LargestStep

/** What replaced an amount: a bound, the request that a limit is raised to, or the limit that a request is held at. */
export type DecidedBy = 'minimum' | 'maximum' | 'request' | 'limit'

/** One amount: the percentage, its basis, the raw result in millicores or bytes, what decided, and what is written. */
export interface PercentageStep {
  readonly kind: 'percentage'
  readonly name: string
  readonly percentage: string
  readonly basis: string
  /**
   * Where the basis comes from: the smallest or median node of the group, the group's earlier basis, the nearest range,
   * or a remainder.
   */
  readonly from: 'smallest' | 'median' | 'earlier' | 'range' | 'remainder'
  /** What the nodes have now, where the earlier basis was close enough to be kept. */
  readonly now?: string
  readonly raw: bigint
  /** The step of the rounding, and the rounded result in millicores or bytes. */
  readonly step?: { readonly size: string; readonly result: bigint }
  readonly decidedBy?: DecidedBy
  readonly printed: string
}

/** A request of one container that is made of its usage: what is used, the margin, and what is written. */
export interface UsedStep {
  readonly kind: 'used'
  readonly name: string
  readonly container: string
  readonly used: string
  /** The days and pods that it was seen on, as far as its row says. */
  readonly days: number
  readonly pods: number
  /** When it was imported; undefined of what was measured. */
  readonly imported?: string
  /** What the import was made of; undefined where it is not known. */
  readonly evidence?: 'Sample' | 'Watch' | 'Counters' | 'Days'
  /** The group that it is borrowed from; days and pods are of that one. */
  readonly like?: string
  readonly margin: string
  /** The exact result, in millicores or Mi. */
  readonly raw: string
  /** The step of the rounding, and the rounded amount. */
  readonly step?: { readonly size: string; readonly result: string }
  readonly decidedBy?: DecidedBy
  readonly printed: string
}

/** An amount of one container that is the largest of several, or the only one: the template's. */
export interface LargestStep {
  readonly kind: 'largest'
  readonly name: string
  readonly container: string
  readonly of: ReadonlyArray<{
    readonly by: 'percentage' | 'template' | 'usage'
    readonly amount: string
    /** The group that a limit by usage is borrowed from. */
    readonly like?: string
  }>
  readonly decidedBy?: DecidedBy
  readonly printed: string
}

/** Nodes that one line reports for the same reason: `without an agent`, `left out by Ready`. */
export interface NodesLine extends Nodes {
  readonly kind: 'nodes'
  /** A code of the planner, or of every run: `NodesWithoutAgent`, `NoNewPods`. */
  readonly code: string
  readonly words: string
  readonly reason: string
}

/** A state in which a subject is not planned again, such as `paused`. */
export interface StateLine {
  readonly kind: 'state'
  readonly state: string
}

/**
 * The containers of the template that are sized, those that keep their amounts, and the variables computed from sizes.
 */
export interface ContainersLine {
  readonly kind: 'containers'
  readonly sized: readonly string[]
  readonly notSized: readonly string[]
  readonly variables: readonly string[]
}

/** A line that only one planner has, under a code of its own. */
export interface NoteLine {
  readonly kind: 'note'
  readonly code: string
  readonly sentence: string
}

/** How many groups usage sizes. */
export interface UsageLine {
  readonly kind: 'usage'
  readonly sentence: string
}

/** A row of a table, for planners whose subjects have no groups: the first cell names the subject, others count. */
export interface RowLine {
  readonly kind: 'row'
  readonly cells: ReadonlyArray<readonly [heading: string, text: string]>
}

/** One line of what a planner decided, for views. */
export type Line = RowLine | StateLine | NoteLine | UsageLine | CountLine | GroupLine | NodesLine | ContainersLine

/** Returns a line about some nodes; their names are computed when first read. */
export function nodesLine(fields: Omit<NodesLine, 'kind' | keyof Nodes>, lot: Nodes): NodesLine {
  return {
    kind: 'nodes',
    ...fields,
    first: firstNames(lot),
    nodeCount: lot.nodeCount,
    get nodes() {
      return lot.nodes
    },
  }
}

/** Counts the nodes in the lines of a code, for a summary. */
export function countNodes(lines: readonly NodesLine[], words: string): CountLine {
  const count = lines.reduce((sum, { nodeCount }) => sum + nodeCount, 0)
  return { kind: 'count', count, noun: 'node', words }
}

/** The prefix of a group's identity, for each kind of group. */
const KINDS: Readonly<Record<string, GroupKind>> = {
  value: 'value',
  range: 'range',
  class: 'class',
  group: 'explicit',
  default: 'default',
  remainder: 'remainder',
}

/**
 * Returns the kind of the group that an object was rendered for; undefined without a group, or where a user's edit is
 * no such identity.
 */
export function kindOfGroup(object: KubernetesObject): GroupKind | undefined {
  const id = markedGroup(object)
  if (id === undefined) return undefined
  const [start = ''] = id.split(/:|-[0-9]+$/)
  return Object.hasOwn(KINDS, start) ? KINDS[start] : undefined
}

/** Formats a group's identity to follow the word group: an explicit group has the name that its policy gives it. */
export function groupText(id: string): string {
  return id.startsWith('group:') ? id.slice('group:'.length) : id
}
