import { type Finding, isError } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import type { Planned } from './planned.ts'
import type { AnyPlanner } from './planner.ts'
import { schemaFindings } from './registry.ts'
import type { World } from './world.ts'

/**
 * What the planners make of a package, each having seen what those before it planned, and all their findings.
 * `complete` is applied to each plan as soon as it is made.
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
      .filter((subject) => planner.claims(subject))
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

/** What the planners find in the package as a whole, `items` being those after the change. */
export function checksOf(
  planners: readonly AnyPlanner[],
  planned: readonly Planned[],
  world: World,
  items: readonly Item[],
  stands: boolean,
): Finding[] {
  // of a package that this run is not about there is nothing to report
  if (!world.plansAllSubjects && world.subjects.length === 0) return []
  return planners.flatMap((planner) => planner.check?.(planned, world, items, stands) ?? [])
}
