import { type Finding, isError } from '../krm/finding/index.ts'
import { rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Planned } from './planned.ts'
import type { AnyPlanner, PlannedPackage } from './planner.ts'
import type { PlannerRegistry, World } from './world.ts'

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
export function schemaFindings({ schemas }: AnyPlanner, object: KubernetesObject): readonly Finding[] {
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
