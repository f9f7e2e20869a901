import { nodesOf } from './rollout-budget.ts'

interface Group {
  readonly name: string
  readonly nodeCount: number
}

/** Groups that share a wave. */
type Unit = readonly Group[]

/**
 * Returns the wave of each group by name, counted from 0. Consecutive groups in name order share a wave while their
 * nodes stay within `most`. `givers` maps each group to those it takes nodes over from: it is in an earlier wave than
 * these; groups that take nodes from each other share one. With `isTogether`, all groups that hand nodes to each other
 * share one. Before all others come the groups that take nodes from objects that are not in `groups`, since these are
 * deleted, and the groups that must come before them.
 */
export function inWaves(
  groups: readonly Group[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  { most, isTogether }: { readonly most: number; readonly isTogether: boolean },
): ReadonlyMap<string, number> {
  const units = unitsOf(groups, givers, isTogether)
  const unitOf = new Map(units.flatMap((unit) => unit.map(({ name }) => [name, unit] as const)))
  const takers = new Map(units.map((unit) => [unit, new Set<Unit>()]))
  for (const [taker, from] of givers) {
    for (const giver of from) {
      const [first, second] = [unitOf.get(taker), unitOf.get(giver)]
      if (first !== undefined && second !== undefined && first !== second) takers.get(second)?.add(first)
    }
  }
  const early = takersOfDeleted(units, givers, takers)
  const inTurn = [...units.filter((unit) => early.has(unit)), ...units.filter((unit) => !early.has(unit))]
  const waves = new Map<Unit, number>()
  let wave = 0
  let used = 0
  while (waves.size < units.length) {
    const next = inTurn.find((unit) => !waves.has(unit) && [...(takers.get(unit) ?? [])].every((one) => waves.has(one)))
    if (next === undefined) throw new Error('units of groups that hand nodes to each other are one')
    const nodes = nodesOf(next)
    const follows = [...(takers.get(next) ?? [])].some((one) => waves.get(one) === wave)
    if (follows || (used > 0 && used + nodes > most)) {
      wave += 1
      used = 0
    }
    used += nodes
    waves.set(next, wave)
  }
  return new Map(groups.map((group) => [group.name, waves.get(unitOf.get(group.name) ?? []) ?? 0]))
}

/** Returns the units that take nodes from deleted objects, with all that must come before them. */
function takersOfDeleted(
  units: readonly Unit[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  takers: ReadonlyMap<Unit, ReadonlySet<Unit>>,
): ReadonlySet<Unit> {
  const rendered = new Set(units.flatMap((unit) => unit.map(({ name }) => name)))
  const takesDeleted = ({ name }: Group) => [...(givers.get(name) ?? [])].some((giver) => !rendered.has(giver))
  const found = new Set(units.filter((unit) => unit.some(takesDeleted)))
  // a set that grows while it is iterated visits what is added
  for (const unit of found) for (const before of takers.get(unit) ?? []) found.add(before)
  return found
}

/** Returns the groups that must share a wave, as lists; each list and all of them are in name order. */
function unitsOf(
  groups: readonly Group[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  isTogether: boolean,
): Group[][] {
  const inOrder = [...groups].sort((a, b) => (a.name < b.name ? -1 : 1))
  const links = isTogether ? bothWays(givers) : givers
  const reached = new Map(inOrder.map(({ name }) => [name, reachedFrom(name, links)]))
  const units: Group[][] = []
  for (const group of inOrder) {
    const unit = units.find(([first]) => {
      const other = first?.name ?? ''
      return reached.get(group.name)?.has(other) && reached.get(other)?.has(group.name)
    })
    if (unit === undefined) units.push([group])
    else unit.push(group)
  }
  return units
}

function bothWays(givers: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const links = new Map([...givers].map(([name, from]) => [name, new Set(from)]))
  for (const [taker, from] of givers) for (const giver of from) links.get(giver)?.add(taker)
  return links
}

function reachedFrom(start: string, links: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let name = open.pop(); name !== undefined; name = open.pop())
    for (const next of links.get(name) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  return reached
}
