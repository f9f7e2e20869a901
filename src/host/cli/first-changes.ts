/** What the first render changes of a container, group by group, in words. */

import { podSpecOf } from '../../core/object/index.ts'
import { listNames, plural } from '../../krm/finding/index.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { changeTexts, type PodSpec, Quantity, type ResourceRequirements } from '../../kube/index.ts'
import type { PackagePlan } from '../../rules/plan.ts'

/** The resources of a container in a rendered object, and the number of its nodes. */
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

/** Lines about the first render's changes of a container: unchanged objects, then changed ones. */
export function changeLines(
  { objects }: Pick<PackagePlan['planned'][number], 'objects'>,
  container: string,
  before: ResourceRequirements,
): string[] {
  const all = objects
    .filter(({ nodeCount }) => nodeCount > 0)
    .map(({ object, nodeCount }) => ({
      name: object.metadata.name,
      nodes: nodeCount,
      resources: resourcesOf(object, container),
    }))
  const changed = all.flatMap(({ name, nodes, resources }) => {
    const words = changeText(before, resources)
    return words === '' ? [] : [`${name} (${plural(nodes, 'node')}): ${words}`]
  })
  const same = all.filter(({ resources }) => changeText(before, resources) === '')
  const rest = changed.length - MOST_LINES
  return [
    ...(same.length === 0 ? [] : [`${listNames(same.map(({ name }) => name))} (${nodesOf(same)}): as today`]),
    ...changed.slice(0, MOST_LINES),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ]
}

/** The containers and the init containers of an object's pods. */
export function containersOf(object: KubernetesObject): NonNullable<PodSpec['containers']> {
  const { containers = [], initContainers } = podSpecOf(object)
  return [...containers, ...(initContainers ?? [])]
}

function resourcesOf(object: KubernetesObject, name: string): ResourceRequirements {
  return containersOf(object).find((container) => container.name === name)?.resources ?? {}
}

/** The changed amounts: `requests cpu 100m -> 820m, memory 128Mi -> 1Gi; limits …`. */
function changeText(before: ResourceRequirements, after: ResourceRequirements): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const [old, next] = [before[place]?.[resource], after[place]?.[resource]]
      if (old === undefined && next === undefined) return []
      const [was, is] = [old, next].map((amount) => (amount === undefined ? undefined : Quantity.parse(amount)))
      if (was !== undefined && is !== undefined && was.compare(is) === 0) return []
      return [`${resource} ${changeTexts(resource, [was, is]).join(' -> ')}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

function nodesOf(all: readonly Rendered[]): string {
  return plural(
    all.reduce((total, { nodes }) => total + nodes, 0),
    'node',
  )
}
