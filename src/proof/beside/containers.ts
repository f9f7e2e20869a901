import type { KubernetesObject } from '../../krm/types.ts'
import { type Container, type PodSpec, Quantity, type ResourceRequirements } from '../../kube/index.ts'
import { podSpecOf } from '../../object/index.ts'
import { unlessMalformed } from '../place.ts'

/** A container of a rendered object beside the one of that name in the template. */
export interface Pair {
  /** The rendered object. */
  readonly object: KubernetesObject
  readonly template: Container
  readonly container: Container
}

/** Every container that template and rendered objects both have, sidecars and other init containers too. */
export function pairsOf(template: PodSpec, objects: readonly KubernetesObject[]): Pair[] {
  const own = new Map(containersOf(template).map((container) => [container.name, container]))
  return objects.flatMap((object) =>
    containersOf(podSpecOf(object)).flatMap((container) => {
      const one = own.get(container.name)
      return one === undefined ? [] : [{ object, template: one, container }]
    }),
  )
}

export function containersOf({ containers, initContainers }: PodSpec): Container[] {
  return [...(containers ?? []), ...(initContainers ?? [])]
}

/**
 * An amount as it stands in a container, such as `limits.memory`; undefined where it has none, or none that can be
 * read.
 */
export function amountIn({ resources }: Container, amount: AmountName): Quantity | undefined {
  const [list, resource] = amount.split('.') as [keyof ResourceRequirements, string]
  const text = resources?.[list]?.[resource]
  return text === undefined || text === null ? undefined : unlessMalformed(() => Quantity.parse(text))
}

/** What nodefit sizes. */
export const AMOUNTS = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const
export type AmountName = (typeof AMOUNTS)[number]
