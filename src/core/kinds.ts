import { NODEFIT, nearest, TEST_KIND, versionsOf } from '../kinds/index.ts'
import { SELECTED } from '../krm/annotation.ts'
import type { Finding } from '../krm/finding/index.ts'
import { apiGroup, describe } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'
import type { Schema } from './planner.ts'

/** The kinds of nodefit that need no planner. */
export const UNPLANNED_KINDS = ['NodeInventory', 'RenderConfig', 'WorkloadSnapshot', TEST_KIND]
const OTHERS_MEND = 'Correct the apiVersion, or move an object that is not for nodefit to another package.'

/** Reports what the kinds of items alone show: unknown kinds of nodefit, and lists of which a part is missing. */
export function kindFindings(items: readonly Item[], schemas: readonly Schema[]): Finding[] {
  const isOwn = ({ apiVersion }: Schema) => apiGroup(apiVersion) === OWN_GROUP
  const known = [...UNPLANNED_KINDS, ...schemas.filter(isOwn).map(schemaKind)]
  const others = schemas.filter((schema) => !isOwn(schema))
  return items.flatMap(({ object: subject }) => {
    const { apiVersion, kind, metadata } = subject
    if (apiVersion === 'v1' && isPage(kind, metadata))
      return [finding('PartialList', `${kind} is one page of a longer list`, { subject })]
    const ownSlip = slipOf(subject, known)
    const field = ownSlip ?? slipOfOthers(subject, others)
    if (field === undefined) return []
    const sentence = `${apiVersion} ${describe(subject)} is unknown${askedOf(field)}`
    return [finding('UnknownKind', sentence, { subject, field, mend: ownSlip === undefined ? OTHERS_MEND : undefined })]
  })
}

/** Reports a selection: a host that numbers the selected items shows only a part of the package. */
export function selectionFindings(items: readonly Item[]): Finding[] {
  const selected = items.find(({ object }) => SELECTED.some((key) => object.metadata.annotations?.[key] !== undefined))
  if (selected === undefined) return []
  return [
    finding('SelectorsInUse', 'the function receives only a selection of the package', { subject: selected.object }),
  ]
}

function isPage(kind: string, { continue: token, remainingItemCount }: Record<string, unknown>): boolean {
  return kind.endsWith('List') && Boolean(token || remainingItemCount)
}

function schemaKind({ kind }: Schema): string {
  return kind
}

/** The API group of nodefit's resources. */
export const OWN_GROUP = apiGroup(NODEFIT)
const [OWN_LABEL = ''] = OWN_GROUP.split('.')
const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/

/** How many letters of a group may be wrong; few, since other groups may have kinds of these names. */
const SLIPS = 2

/** A misspelt apiVersion or kind, and the proposed one, where it can be guessed. */
export interface Slip {
  readonly path: 'apiVersion' | 'kind'
  readonly currentValue: string
  readonly proposedValue?: string
}

/**
 * Returns what is wrong with the apiVersion or kind of an object that is meant for nodefit; undefined for valid ones,
 * and for objects of other groups.
 */
export function slipOf(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  kinds: readonly string[],
): Slip | undefined {
  const isKnown = kinds.includes(kind)
  if (apiGroup(apiVersion) !== OWN_GROUP && !(isKnown && isNearlyOurs(apiVersion))) return undefined
  if (isKnown) {
    const isRead = versionsOf(kind).includes(apiVersion)
    return isRead ? undefined : { path: 'apiVersion', currentValue: apiVersion, proposedValue: NODEFIT }
  }
  return { path: 'kind', currentValue: kind, proposedValue: nearest(kind, kinds) }
}

/**
 * Returns what is wrong with the apiVersion of an object whose kind a planner reads from another API; undefined for a
 * valid apiVersion, and for one that is not almost right.
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
 * Whether an apiVersion is almost of a group: in another version, with few letters wrong, or without the group's first
 * part.
 */
function isNearlyIn(apiVersion: string, right: string): boolean {
  const [group = ''] = apiVersion.split('/')
  const isTail = group.includes('.') && right.endsWith(`.${group}`)
  return apiVersion === '' || VERSION.test(apiVersion) || isTail || nearest(group, [right], SLIPS) !== undefined
}

/** Formats the proposed value as a question at the end of a message; empty where there is none. */
export function askedOf({ proposedValue }: Pick<Slip, 'proposedValue'>): string {
  return proposedValue === undefined ? '' : `: did you mean ${proposedValue}?`
}

/**
 * Whether an apiVersion is almost one of nodefit: a version without any group, which only Kubernetes' own kinds have,
 * or a group that is misspelt, with another domain, with none, or without its version.
 */
function isNearlyOurs(apiVersion: string): boolean {
  if (apiVersion === '' || VERSION.test(apiVersion)) return true
  const [group = ''] = apiVersion.split('/')
  const [first = '', ...domain] = group.split('.')
  const isNear = (name: string, own: string) => nearest(name, [own], SLIPS) !== undefined
  return isNear(group, OWN_GROUP) || (domain.length <= 1 && isNear(first, OWN_LABEL))
}
