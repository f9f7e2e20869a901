import type { Codes, Finding, Read } from '../krm/finding/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { LeaveReason, Leaving, Planned } from './planned.ts'
import type { World } from './world.ts'

/** A kind of object that a planner reads. */
export interface Schema {
  readonly apiVersion: string
  readonly kind: string
  /**
   * Reports what is wrong with the fields of such an object, unknown fields included; called before the object is read.
   */
  check?(object: KubernetesObject): readonly Finding[]
}

/** A package of a run, and what all planners planned there. */
export interface PlannedPackage {
  readonly world: World
  readonly planned: readonly Planned[]
}

/**
 * Plans one kind of resource. A planner is a folder of its own and one line in `plan.ts`; no other folder refers to it,
 * and all others see it through this interface.
 */
export interface Planner<Settings> {
  /** Every code that it reports. */
  readonly codes: Codes
  /** Returns the code of a subject's summary: one of its own, or `PolicySummary`. */
  summary(subject: KubernetesObject): string
  readonly schemas: readonly Schema[]
  /** Annotations of its output whose change alone has no effect in the cluster. */
  readonly volatile: readonly string[]
  /** What it plans, in the words of `NoPolicy`: `SizingPolicy`, `Order in DaemonSet mode`. */
  readonly asksFor: string
  /** Whether it plans the item. */
  claims(item: Item): boolean
  /**
   * Whether an earlier run may have planned the item, though this one does not: it is a subject as long as the package
   * or its earlier output has objects of it.
   */
  mayHaveClaimed?(item: Item): boolean
  /** Whether the item is never applied: it is output as local configuration, planned or not. */
  isInput(item: Item): boolean
  /**
   * Returns what happens to its output that is no longer rendered, for a reason. `path` is of a shared field; without
   * one it is the object.
   */
  leaves(object: KubernetesObject, why: LeaveReason, path?: readonly string[]): Leaving
  /** Reads one subject; returns neither value nor finding where another planner plans it. */
  read(subject: Item, world: World): Read<Settings>
  /** Plans all subjects of a package at once; `before` is what earlier planners planned there. */
  plan(all: readonly Settings[], world: World, before: readonly Planned[]): readonly Planned[]
  /**
   * Reports what it finds in the package as a whole, also where it has nothing to plan. `planned` is what all planners
   * planned there, `items` the package after the change; `stands` is false where a finding stops it.
   */
  check?(planned: readonly Planned[], world: World, items: readonly Item[], stands: boolean): readonly Finding[]
  /** Reports, by package, what the packages of a run do to each other; each comes with what was planned in it. */
  across?(packages: readonly PlannedPackage[]): ReadonlyMap<World, readonly Finding[]>
  /**
   * Returns the finding for such an item, or a source, that is kept back for the first time; undefined for the usual
   * one.
   */
  retirement?(object: KubernetesObject, world: World): Finding | undefined
  /**
   * Whether such a source, applied beside what is rendered from it, is rendered a second time in the cluster. It is
   * marked so that the API server refuses it.
   */
  isDoubled?(object: KubernetesObject): boolean
  /** Sentences that replace the usual ones. */
  readonly mends?: {
    /** What to do about orphans whose owner is of this kind; undefined for the usual mend. */
    orphan?(ownerKind: string): string | undefined
    /** What to do about an object that has a name it needs; undefined for the usual mend. */
    foreign?(object: KubernetesObject): string | undefined
    /** What to do about items that no subject uses; undefined for the usual mend. */
    idle?(items: readonly Item[]): string | undefined
  }
  /** The noun for an object that is for one node, in messages of guards and changes: `Ticket`. */
  readonly noun?: string
  /** Whether its plans have shares; fields that an object lists for other kinds of subjects are not changed. */
  readonly sharesFields?: boolean
}

/** A planner with any settings. */
export type AnyPlanner = Planner<unknown>
