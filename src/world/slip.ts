import { apiGroup } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { NODEFIT, nearest } from '../policy/index.ts'

/** The API group of our resources. */
export const OWN_GROUP = apiGroup(NODEFIT)
const [OWN_LABEL = ''] = OWN_GROUP.split('.')
const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/

/** How many letters of a group may be wrong: other groups may well have kinds of these names. */
const SLIPS = 2

/** What was written instead of an apiVersion or a kind of ours, and what was meant, where anybody can guess that. */
export interface Slip {
  readonly path: 'apiVersion' | 'kind'
  readonly currentValue: string
  readonly proposedValue?: string
}

/** What is wrong with the apiVersion or kind of an object that is meant for nodefit; undefined for ours, and for those of others. */
export function slipOf(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  kinds: readonly string[],
): Slip | undefined {
  const isKnown = kinds.includes(kind)
  if (apiGroup(apiVersion) !== OWN_GROUP && !(isKnown && isNearlyOurs(apiVersion))) return undefined
  if (isKnown)
    return apiVersion === NODEFIT ? undefined : { path: 'apiVersion', currentValue: apiVersion, proposedValue: NODEFIT }
  return { path: 'kind', currentValue: kind, proposedValue: nearest(kind, kinds) }
}

/** What was meant, as a question behind what is said; empty where nobody can guess it. */
export function askedOf({ proposedValue }: Pick<Slip, 'proposedValue'>): string {
  return proposedValue === undefined ? '' : `: did you mean ${proposedValue}?`
}

/**
 * Whether an apiVersion is one of ours but for a slip: a version without any group, which only Kubernetes' own kinds have, or a
 * group that is nearly ours, with another domain, with none, or without its version.
 */
function isNearlyOurs(apiVersion: string): boolean {
  if (apiVersion === '' || VERSION.test(apiVersion)) return true
  const [group = ''] = apiVersion.split('/')
  const [first = '', ...domain] = group.split('.')
  const isNear = (name: string, own: string) => nearest(name, [own], SLIPS) !== undefined
  return isNear(group, OWN_GROUP) || (domain.length <= 1 && isNear(first, OWN_LABEL))
}
