import type { Shape } from '../inventory/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { isReadablePodSpec, podSpecOf, servedNodes } from '../object/index.ts'
import { nodesOf } from './rollout-budget.ts'

interface Group {
  readonly name: string
  readonly nodeCount: number
}

/**
 * Returns the wave of each group by name, counted from 0. Consecutive groups in name order share a wave while their
 * nodes stay within `most`. A group that takes over nodes is in an earlier wave than the groups it takes them from;
 * groups that take nodes from each other share one. With `isTogether`, all groups that hand nodes to each other share
 * one.
 */
export function inWaves(
  groups: readonly Group[],
  givers: ReadonlyMap<string, ReadonlySet<string>>,
  { most, isTogether }: { readonly most: number; readonly isTogether: boolean },
): ReadonlyMap<string, number> {
  const units = unitsOf(groups, givers, isTogether)
  const unitOf = new Map(units.flatMap((unit) => unit.map(({ name }) => [name, unit] as const)))
  const takers = new Map(units.map((unit) => [unit, new Set<readonly Group[]>()]))
  for (const [taker, from] of givers) {
    for (const giver of from) {
      const [first, second] = [unitOf.get(taker), unitOf.get(giver)]
      if (first !== undefined && second !== undefined && first !== second) takers.get(second)?.add(first)
    }
  }
  const waves = new Map<readonly Group[], number>()
  let wave = 0
  let used = 0
  while (waves.size < units.length) {
    const next = units.find((unit) => !waves.has(unit) && [...(takers.get(unit) ?? [])].every((one) => waves.has(one)))
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

/**
 * Maps each object's name to the names of the objects it takes nodes over from; omits those that are no longer
 * rendered.
 */
export function handedOver(
  now: readonly KubernetesObject[],
  before: readonly KubernetesObject[],
  shapes: readonly Shape[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const givers = new Map(now.map(({ metadata }) => [metadata.name, new Set<string>()]))
  for (const shape of shapes) {
    const [were, are] = [serversOf(before, shape), serversOf(now, shape)]
    for (const [node, server] of are) {
      const giver = were.get(node) ?? were.get(ALL)
      if (giver !== undefined && giver !== server && givers.has(giver)) givers.get(server)?.add(giver)
      if (node === ALL)
        for (const former of were.values()) if (former !== server && givers.has(former)) givers.get(server)?.add(former)
    }
  }
  return givers
}

/** Stands for all nodes of a shape; no node has an empty name. */
const ALL = ''

/** Returns the name of the object that serves each node of a shape, under `ALL` if one object serves all of them. */
function serversOf(objects: readonly KubernetesObject[], shape: Shape): ReadonlyMap<string, string> {
  const servers = new Map<string, string>()
  for (const object of objects) {
    const pod = podSpecOf(object)
    if (!isReadablePodSpec(pod)) continue
    const served = servedNodes(pod, shape)
    if (served === 'all') return servers.set(ALL, object.metadata.name)
    for (const node of served) servers.set(node, object.metadata.name)
  }
  return servers
}
