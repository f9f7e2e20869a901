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
