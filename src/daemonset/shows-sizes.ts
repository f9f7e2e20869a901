import { isMap, type Mapping } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { hasSizes } from '../object/index.ts'
import type { ContainerSize, DerivedEnv } from '../sizing/index.ts'

/**
 * Whether a DaemonSet that was rendered before, whatever a user made of it, has these sizes and what is derived of
 * them.
 */
export function showsSizes(
  { spec }: KubernetesObject,
  sizes: readonly ContainerSize[],
  env: readonly DerivedEnv[],
): boolean {
  const { template } = (spec ?? {}) as { template?: unknown }
  const pod = isMap(template) && isMap(template.spec) ? template.spec : {}
  const containers = [...mapsIn(pod.containers), ...mapsIn(pod.initContainers)]
  return sizes.every(({ container, printed }) => {
    const found = containers.find(({ name }) => name === container)
    const variables = new Map(mapsIn(found?.env).map(({ name, value }) => [name, value]))
    const derived = env.filter((one) => one.container === container)
    return (
      found !== undefined &&
      hasSizes(found.resources, printed) &&
      derived.every(({ name, value }) => variables.get(name) === value)
    )
  })
}

function mapsIn(list: unknown): Mapping[] {
  return Array.isArray(list) ? list.filter(isMap) : []
}
