import type { Finding } from '../finding/index.ts'
import type { AnyPlanner, Planned } from './planner.ts'
import type { World } from './world.ts'

/** What the planners make of a package, each having seen what those before it planned, and all they say. */
export function plannedInTurn(
  planners: readonly AnyPlanner[],
  world: World,
): { readonly planned: readonly Planned[]; readonly findings: readonly Finding[] } {
  const planned: Planned[] = []
  const read: Finding[] = []
  for (const planner of planners) {
    const subjects = world.subjects.filter((subject) => planner.claims(subject)).map((one) => planner.read(one, world))
    const settings = subjects.flatMap(({ value }) => (value === undefined ? [] : [value]))
    read.push(...subjects.flatMap(({ findings }) => findings))
    planned.push(...planner.plan(settings, world, [...planned]))
  }
  const found = [...read, ...planned.flatMap(({ findings }) => findings)]
  // of a package that this run is not about there is nothing to say
  if (!world.plansAllSubjects && world.subjects.length === 0) return { planned, findings: found }
  const stands = !world.stops([...world.findings, ...found])
  const checked = planners.flatMap((planner) => planner.check?.(planned, world, stands) ?? [])
  return { planned, findings: [...found, ...checked] }
}
