import type { KubernetesObject } from '../krm/types.ts'

/** How many nodes a group had when that was last written: guards count from it. */
export const NODES = 'nodefit.dev/nodes'
/** Of which cluster the nodes were. */
export const CLUSTER = 'nodefit.dev/cluster'

/** What a rendered object remembers for the next run, outside its pod template. */
export interface Remembered {
  /** Undefined where each node has an object of its own. */
  readonly nodes?: number
  /** Undefined where the nodes do not say. */
  readonly cluster?: string
}

/**
 * The annotations by which an object remembers its nodes. The count is that of the earlier object as long as it is near: a
 * node that comes and goes changes no file.
 */
export function rememberedAnnotations(
  { nodes, cluster }: Remembered,
  before: KubernetesObject | undefined,
): Record<string, string> {
  const known = before === undefined ? undefined : rememberedNodes(before)
  const count = known !== undefined && nodes !== undefined && isNear(known, nodes) ? known : nodes
  return {
    ...(cluster === undefined ? {} : { [CLUSTER]: cluster }),
    ...(count === undefined ? {} : { [NODES]: String(count) }),
  }
}

/** The count that an object remembers; undefined where it has none, or a user wrote something else. */
export function rememberedNodes({ metadata }: KubernetesObject): number | undefined {
  const text: unknown = metadata.annotations?.[NODES]
  return typeof text === 'string' && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined
}

/** The cluster that an object remembers. */
export function rememberedCluster({ metadata }: KubernetesObject): string | undefined {
  const text: unknown = metadata.annotations?.[CLUSTER]
  return typeof text === 'string' ? text : undefined
}

/** Less than a quarter apart; below four every node counts. */
function isNear(known: number, now: number): boolean {
  const difference = Math.abs(known - now)
  return difference === 0 || (known >= 4 && now >= 4 && difference * 4 < known)
}
