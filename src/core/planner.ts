import { type Codes, type Finding, isError, type Read } from '../krm/finding.ts'
import { rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { LeaveReason, Leaving, Planned } from './planned.ts'
import type { PlannerRegistry, World } from './world.ts'

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

/**
 * Runs the planners over a package, each with what those before it planned, and returns all plans and findings.
 * `complete` is applied to each plan when it is made.
 */
export function plannedInTurn(
  planners: readonly AnyPlanner[],
  world: World,
  complete: (planned: Planned) => Planned,
): { readonly planned: readonly Planned[]; readonly findings: readonly Finding[] } {
  const planned: Planned[] = []
  const found: Finding[] = []
  for (const planner of planners) {
    const settings = world.subjects
      .filter((subject) => takes(planner, subject))
      .flatMap((subject) => {
        const schema = schemaFindings(planner, subject.object)
        const { value, findings } = schema.some(isError) ? { findings: [] } : planner.read(subject, world)
        found.push(...schema, ...findings)
        return value === undefined ? [] : [value]
      })
    planned.push(...planner.plan(settings, world, [...planned]).map(complete))
  }
  return { planned, findings: [...found, ...planned.flatMap(({ findings }) => findings)] }
}

/** Returns what the planners find in the package as a whole; `items` are those after the change. */
export function checksOf(
  planners: readonly AnyPlanner[],
  planned: readonly Planned[],
  world: World,
  items: readonly Item[],
  stands: boolean,
): Finding[] {
  // a package that this run is not about has nothing to report
  if (!world.plansAllSubjects && world.subjects.length === 0) return []
  return planners.flatMap((planner) => planner.check?.(planned, world, items, stands) ?? [])
}

/** Returns what the planners find between the packages of a run, of one of them. */
export function acrossOf(
  planners: readonly AnyPlanner[],
  packages: readonly PlannedPackage[],
): (world: World) => readonly Finding[] {
  if (packages.length < 2) return () => []
  const found = planners.flatMap((planner) => planner.across?.(packages) ?? [])
  return (world) => found.flatMap((byWorld) => byWorld.get(world) ?? [])
}

/** Returns a registry that looks up the planner of a subject, or those of an owner's kind. */
export function registryOf(planners: readonly AnyPlanner[]): PlannerRegistry {
  const of = (subject: Item) => planners.find((planner) => takes(planner, subject))
  const ofKind = (kind: string) => planners.filter(({ schemas }) => schemas.some((schema) => schema.kind === kind))
  return {
    retirement: (object, world) => firstDefined(planners, (planner) => planner.retirement?.(object, world)),
    isDoubled: (object) => planners.some((planner) => planner.isDoubled?.(object) === true),
    leaving: (object, why, subject, path) => {
      const planner = subject && of(subject)
      const asked = planner === undefined ? ofKind(ownerKind(object)) : [planner]
      // several planners may read one kind; an object stays if one of them would keep it
      return asked.some((one) => one.leaves(object, why, path) === 'released') ? 'released' : 'removed'
    },
    orphanMend: (kind) => firstDefined(ofKind(kind), ({ mends }) => mends?.orphan?.(kind)),
    foreignMend: (object, subject) => of(subject)?.mends?.foreign?.(object),
    noun: (subject) => of(subject)?.noun,
    sharesFields: (kind) => ofKind(kind).some((planner) => planner.sharesFields === true),
    summary: (subject) => of(subject)?.summary(subject.object) ?? 'PolicySummary',
  }
}

/** Returns what the schemas of a planner find wrong with an object; an error keeps it from being read. */
function schemaFindings({ schemas }: AnyPlanner, object: KubernetesObject): readonly Finding[] {
  const schema = schemas.find((one) => one.apiVersion === object.apiVersion && one.kind === object.kind)
  return schema?.check?.(object) ?? []
}

/** Whether a planner reads a subject: one that it claims, or that it claimed in an earlier run. */
function takes(planner: AnyPlanner, subject: Item): boolean {
  return planner.claims(subject) || planner.mayHaveClaimed?.(subject) === true
}

/** Returns the kind of an object's owner; empty for an object that nodefit did not render. */
function ownerKind(object: KubernetesObject): string {
  return rendererOf(object)?.split('/')[0] ?? ''
}

function firstDefined<Member, Value>(
  members: readonly Member[],
  value: (member: Member) => Value | undefined,
): Value | undefined {
  for (const member of members) {
    const found = value(member)
    if (found !== undefined) return found
  }
  return undefined
}
