import { scalarText } from './map.ts'
import type { KubernetesObject } from './types.ts'

/** Who rendered an object: kind and name of the policy. It survives a change of namespace and of file. */
export const OWNER = 'nodefit.dev/owner'

/** Which group an object was rendered for, as the group's identity. */
export const GROUP = 'nodefit.dev/group'

/** Of which amounts of its group's nodes an object's sizes were taken. */
export const BASIS = 'nodefit.dev/basis'

/** What an object's pod template was when it was rendered, whatever a later function made of it. */
export const RENDERED = 'nodefit.dev/rendered'

/** When an object's pod template changed last, by the time of the run. */
export const CHANGED = 'nodefit.dev/changed'

/** Which one node an object is for, in full. */
export const NODE = 'nodefit.dev/node'

/** On a template: "true" where nodefit made it local configuration, "existing" where its user had. */
export const TEMPLATE = 'nodefit.dev/template'

/** On a template: who else applies it, where the marks that said so were taken off; read, and never copied. */
export const OWNED_BY = 'nodefit.dev/owned-by'

/** The owner that objects of a policy carry. */
export function ownerName(kind: string, name: string): string {
  return `${kind}/${name}`
}

/** Who owns an object; undefined for what is not ours. A user may have written anything there. */
export function ownerOf(object: KubernetesObject): string | undefined {
  const owner: unknown = object.metadata.annotations?.[OWNER]
  return owner === undefined || owner === null ? undefined : scalarText(owner)
}

/** How many nodes a group had when that was last written: guards count from it. */
const NODES = 'nodefit.dev/nodes'
/** Of which cluster the nodes were. */
const CLUSTER = 'nodefit.dev/cluster'

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
