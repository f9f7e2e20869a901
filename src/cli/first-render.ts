import { listNames, plural } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { Quantity, type ResourceRequirements } from '../kube/index.ts'
import { podSpecOf } from '../object/index.ts'
import type { Planned } from '../world/index.ts'

/** What a container has on the nodes of one rendered object. */
interface Rendered {
  readonly name: string
  readonly nodes: number
  readonly resources: ResourceRequirements
}

type Place = 'requests' | 'limits'
type Resource = 'cpu' | 'memory'

const PLACES: readonly Place[] = ['requests', 'limits']
const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const MOST_LINES = 12
const NANO = 1_000_000_000n

/** What the first render changes of a container's requests and limits, in lines: the objects with other sizes, the others, all nodes. */
export function changeLines({ objects }: Planned, container: string, before: ResourceRequirements): string[] {
  const all = objects
    .filter(({ nodeCount }) => nodeCount > 0)
    .map(({ object, nodeCount }) => ({
      name: object.metadata.name,
      nodes: nodeCount,
      resources: resourcesOf(object, container),
    }))
  const changed = all.flatMap((one) => {
    const words = changeOf(before, one.resources)
    return words === '' ? [] : [`${one.name} (${plural(one.nodes, 'node')}): ${words}`]
  })
  const same = all.filter(({ resources }) => changeOf(before, resources) === '')
  const rest = changed.length - MOST_LINES
  return [
    ...(same.length === 0 ? [] : [`${listNames(same.map(({ name }) => name))} (${nodesOf(same)}): as today`]),
    ...changed.slice(0, MOST_LINES),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    `all ${nodesOf(all)}: ${totals(before, all) || 'nothing is requested'}`,
  ]
}

function resourcesOf(object: KubernetesObject, name: string): ResourceRequirements {
  const { containers = [], initContainers } = podSpecOf(object)
  return [...containers, ...(initContainers ?? [])].find((container) => container.name === name)?.resources ?? {}
}

/** `requests cpu 100m -> 820m, memory 128Mi -> 1Gi; limits …`: what is another amount. */
function changeOf(before: ResourceRequirements, after: ResourceRequirements): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const [old, own] = [before[place]?.[resource], after[place]?.[resource]]
      if (old === undefined && own === undefined) return []
      if (old !== undefined && own !== undefined && Quantity.parse(old).compare(Quantity.parse(own)) === 0) return []
      return [`${resource} ${old ?? 'none'} -> ${own ?? 'none'}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

/** What the container requests and is limited to on all nodes together. */
function totals(before: ResourceRequirements, all: readonly Rendered[]): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const sum = (of: (one: Rendered) => ResourceRequirements) =>
        all.reduce((total, one) => total + nanoOf(of(one), place, resource) * BigInt(one.nodes), 0n)
      const [old, own] = [sum(() => before), sum(({ resources }) => resources)]
      if (old === 0n && own === 0n) return []
      return [`${resource} ${print(resource, old)}${own === old ? '' : ` -> ${print(resource, own)}`}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

function nanoOf(resources: ResourceRequirements, place: Place, resource: Resource): bigint {
  return Quantity.parse(resources[place]?.[resource] ?? 0).nanoValue()
}

/** Millicores; whole Mi, of which a fleet has many. */
function print(resource: Resource, nano: bigint): string {
  if (resource === 'cpu') return Quantity.ofMilli((nano * 1000n) / NANO).toString()
  return `${nano / NANO / 1024n / 1024n}Mi`
}

function nodesOf(all: readonly Rendered[]): string {
  return plural(
    all.reduce((total, { nodes }) => total + nodes, 0),
    'node',
  )
}
