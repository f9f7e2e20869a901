import type { Codes, Finding, Read } from '../finding/index.ts'
import type { Nodes } from '../inventory/index.ts'
import { ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Affinity, Labels, PodSpec, Region, Toleration } from '../kube/index.ts'
import type { GroupKind, Line } from './account.ts'
import type { World } from './world.ts'

/** A kind of object that a planner reads. */
export interface Schema {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * What plans one kind of thing. A planner is a room of its own and one line in `plan.ts`; no other room learns of it. Everything
 * but its own room sees it as this.
 */
export interface Planner<Settings> {
  /** Every code it may say. */
  readonly codes: Codes
  readonly schemas: readonly Schema[]
  /** Whether the item is one that it plans. */
  claims(item: Item): boolean
  /** Whether the item is never applied: it leaves as local configuration, planned or not. */
  isInput(item: Item): boolean
  /** What is said when such an item, or a source, is kept back for the first time; undefined where that is nothing special. */
  retirement?(object: KubernetesObject): Finding | undefined
  /** What becomes of its output when nobody asks for it any more: it goes, or it stays and is no longer ours. */
  readonly leaves: 'removed' | 'released'
  /** Reads one subject; neither value nor finding where another plans it. */
  read(subject: Item, world: World): Read<Settings>
  /** Plans all subjects of a package at once; `before` is what the planners before it planned there. */
  plan(all: readonly Settings[], world: World, before: readonly Planned[]): readonly Planned[]
  /**
   * What it has to say of the package as a whole, also of one in which it has nothing to plan; `planned` is what all planners
   * planned there, and `stands` whether nothing that was found so far stops that.
   */
  check?(planned: readonly Planned[], world: World, stands: boolean): readonly Finding[]
}

/** A planner, whatever its settings are. */
export type AnyPlanner = Planner<unknown>

/** What becomes of an object when nobody asks for it any more, as the planner of its owner's kind has it. */
export function leavingOf(planners: readonly AnyPlanner[]): (item: Item) => 'removed' | 'released' {
  const byKind = new Map(planners.flatMap(({ schemas, leaves }) => schemas.map(({ kind }) => [kind, leaves] as const)))
  return ({ object }) => byKind.get(ownerOf(object)?.split('/')[0] ?? '') ?? 'removed'
}

/** An object that is rendered, and the nodes that it serves as far as they are known. */
export interface Rendered extends Nodes {
  readonly object: KubernetesObject
  /** The file it goes to when it is new, beside its subject. */
  readonly file: string
  /** What it is for, in words. */
  readonly about: string
  readonly group?: GroupKind
}

/** Where pods may run: what the source's pod says, narrowed by the policy, with the tolerations of both. */
export interface Constraints {
  readonly pod: PodSpec
  readonly nodeSelector?: Labels
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
}

/** Nodes that are left without on purpose: nothing that is rendered serves them either. */
export interface Hole {
  readonly region: Region
  /** By what: a field of the policy as it is written. */
  readonly why: string
  /** Whether nodes of today may be in it; if not, only those that nobody has seen. */
  readonly mayHoldNodes: boolean
}

/**
 * What one subject comes to. Where its findings stop the run, the objects are incomplete and none may be used. Its nodes are
 * all that it serves, or would at another time; what takes nodes away is held against them.
 */
export interface Planned<Code extends string = string> extends Nodes {
  readonly subject: Item
  readonly isEnabled: boolean
  /** Whether what it rendered before is kept whatever it says now; then what that was rendered from is kept back, too. */
  readonly isSuspended?: boolean
  /** Whether it was looked at how many of its pods restart at once. */
  readonly isPaced?: boolean
  /** What it is rendered from, where that is an object of its own: kept back while an enabled one needs it. */
  readonly source?: Item
  /** The cluster that it renders for, where that is known. */
  readonly cluster?: string
  /** Where its pods may run, as its source and its policy say; coverage is proved of those that have it. */
  readonly constraints?: Constraints
  /** Where it leaves nodes without on purpose. */
  readonly holes?: readonly Hole[]
  /** Whether an object looks like what is rendered from the same source; asked of one whose owner nobody knows. */
  readonly looksLikeOutput?: (object: KubernetesObject) => boolean
  /** What it rendered before, in the input or in the earlier output that was given. */
  readonly earlier: readonly Item[]
  readonly objects: readonly Rendered[]
  /** The code of its summary. */
  readonly summary: 'PolicySummary' | 'OrderSummary'
  readonly account: readonly Line[]
  /** The next instant at which the same input, with what is rendered now as its earlier output, renders something else. */
  readonly until?: Date
  readonly findings: ReadonlyArray<Finding<Code>>
}
