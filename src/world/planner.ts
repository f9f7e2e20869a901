import type { Codes, Finding, Read } from '../finding/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { LeaveReason, Leaving, Planned } from './planned.ts'
import type { World } from './world.ts'

/** A kind of object that a planner reads. */
export interface Schema {
  readonly apiVersion: string
  readonly kind: string
  /** What is wrong with the fields of such an object, unknown ones included; checked before the object is read. */
  check?(object: KubernetesObject): readonly Finding[]
}

/**
 * Plans one kind of resource. A planner is a folder of its own and one line in `plan.ts`; no other folder refers to it,
 * and all others see it through this interface.
 */
export interface Planner<Settings> {
  /** Every code that it reports. */
  readonly codes: Codes
  /** The code of a subject's summary: one of its own, or `PolicySummary`. */
  summary(subject: KubernetesObject): string
  readonly schemas: readonly Schema[]
  /** Annotations of its output whose change alone has no effect in the cluster. */
  readonly volatile: readonly string[]
  /** What it plans, in the words of `NoPolicy`: `SizingPolicy`, `Order in DaemonSet mode`. */
  readonly asksFor: string
  /** Whether it plans the item. */
  claims(item: Item): boolean
  /** Whether the item is never applied: it leaves as local configuration, planned or not. */
  isInput(item: Item): boolean
  /** What becomes of its output that leaves for a reason. */
  leaves(object: KubernetesObject, why: LeaveReason): Leaving
  /** Reads one subject; neither value nor finding where another planner plans it. */
  read(subject: Item, world: World): Read<Settings>
  /** Plans all subjects of a package at once; `before` is what the planners before it planned there. */
  plan(all: readonly Settings[], world: World, before: readonly Planned[]): readonly Planned[]
  /**
   * What it finds in the package as a whole, also where it has nothing to plan. `planned` is what all planners planned
   * there,
   * `items` the package after the change; `stands` whether no finding so far stops that.
   */
  check?(planned: readonly Planned[], world: World, items: readonly Item[], stands: boolean): readonly Finding[]
  /**
   * What is reported when such an item, or a source, is kept back for the first time; undefined for the usual finding.
   */
  retirement?(object: KubernetesObject): Finding | undefined
  /** Sentences of its own in place of the usual ones. */
  readonly mends?: {
    /** What to do about orphans whose owner is of this kind; undefined for the usual mend. */
    orphan?(ownerKind: string): string | undefined
    /** What to do about an object that holds a name it needs; undefined for the usual mend. */
    foreign?(object: KubernetesObject): string | undefined
    /** What to do about items of which none is asked for; undefined for the usual mend. */
    idle?(items: readonly Item[]): string | undefined
  }
  /** What it calls an object that is for one node, in the words of guards and changes: `Ticket`. */
  readonly noun?: string
  /** Whether its plans have shares; fields that an object lists for other kinds of subjects are left alone. */
  readonly sharesFields?: boolean
}

/** A planner, whatever its settings are. */
export type AnyPlanner = Planner<unknown>
