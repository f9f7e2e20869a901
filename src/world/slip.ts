import { apiGroup } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { NODEFIT, nearest } from '../policy/index.ts'
import type { Schema } from './planner.ts'

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

/**
 * What is wrong with the apiVersion or kind of an object that is meant for nodefit; undefined for ours, and for those
 * of others.
 */
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

/**
 * What is wrong with the apiVersion of an object that is of a kind of others which a planner reads; undefined for those
 * of anybody else.
 */
export function slipOfOthers(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  schemas: readonly Schema[],
): Slip | undefined {
  const own = schemas.filter((schema) => schema.kind === kind)
  if (own.some((schema) => schema.apiVersion === apiVersion)) return undefined
  const meant = own.find((schema) => isNearlyIn(apiVersion, apiGroup(schema.apiVersion)))
  return meant && { path: 'apiVersion', currentValue: apiVersion, proposedValue: meant.apiVersion }
}

/**
 * Whether an apiVersion is of a group but for a slip: in another version, with few letters wrong, or without the
 * group’s first part.
 */
function isNearlyIn(apiVersion: string, right: string): boolean {
  const [group = ''] = apiVersion.split('/')
  const isTail = group.includes('.') && right.endsWith(`.${group}`)
  return apiVersion === '' || VERSION.test(apiVersion) || isTail || nearest(group, [right], SLIPS) !== undefined
}

/** What was meant, as a question behind what is said; empty where nobody can guess it. */
export function askedOf({ proposedValue }: Pick<Slip, 'proposedValue'>): string {
  return proposedValue === undefined ? '' : `: did you mean ${proposedValue}?`
}

/**
 * Whether an apiVersion is one of ours but for a slip: a version without any group, which only Kubernetes' own kinds
 * have, or a group that is nearly ours, with another domain, with none, or without its version.
 */
function isNearlyOurs(apiVersion: string): boolean {
  if (apiVersion === '' || VERSION.test(apiVersion)) return true
  const [group = ''] = apiVersion.split('/')
  const [first = '', ...domain] = group.split('.')
  const isNear = (name: string, own: string) => nearest(name, [own], SLIPS) !== undefined
  return isNear(group, OWN_GROUP) || (domain.length <= 1 && isNear(first, OWN_LABEL))
}
