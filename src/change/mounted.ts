import { memberOf } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'

/** What describes others, or is mounted itself, mounts nothing. */
const MOUNTS_NOTHING = ['CustomResourceDefinition', 'ConfigMap']

interface Volume {
  configMap?: { name?: unknown } | null
  projected?: { sources?: Array<{ configMap?: { name?: unknown } | null } | null> | null } | null
}

/**
 * Whether a workload mounts a ConfigMap, so that its pods would not start without it; one without a namespace may be in
 * any.
 */
export function isMounted({ object }: Item, items: readonly Item[]): boolean {
  if (object.kind !== 'ConfigMap' || object.apiVersion !== 'v1') return false
  const { name, namespace } = object.metadata
  return items.some(
    ({ object: workload, opaque }) =>
      isSameNamespace(workload.metadata.namespace, namespace) &&
      // what nobody can look into may mount it
      ((opaque !== undefined && !MOUNTS_NOTHING.includes(workload.kind)) ||
        volumesOf(workload).some((volume) => mounts(volume, name))),
  )
}

function isSameNamespace(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other
}

function mounts({ configMap, projected }: Volume, name: string): boolean {
  const sources = Array.isArray(projected?.sources) ? projected.sources : []
  return configMap?.name === name || sources.some((source) => source?.configMap?.name === name)
}

/** The volumes of a Pod, of any workload with a pod template, or of a CronJob. */
function volumesOf({ spec }: KubernetesObject): Volume[] {
  const places = [['volumes'], ['template', 'spec', 'volumes'], ['jobTemplate', 'spec', 'template', 'spec', 'volumes']]
  const lists = places.map((path) => path.reduce<unknown>(memberOf, spec)).filter(Array.isArray)
  return lists.flat().filter((volume) => typeof volume === 'object' && volume !== null)
}
