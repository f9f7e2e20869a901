import type { Finding } from '../finding/index.ts'
import { SELECTED } from '../krm/annotation.ts'
import { apiGroup, describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { NODEFIT } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Schema } from './planner.ts'
import { askedOf, OWN_GROUP, slipOf, slipOfOthers } from './slip.ts'

/** The kinds of ours that no planner is needed for. */
export const UNPLANNED_KINDS = ['NodeInventory', 'RenderConfig', 'WorkloadSnapshot']
const OTHERS_MEND = 'Correct the apiVersion, or keep what is for somebody else in another package.'
const NOT_BUILT = ['PoolPolicy', 'NodeAction']

/**
 * What can be said of items by their kind alone: ones of ours that nobody knows, and lists of which a part is missing.
 */
export function kindFindings(items: readonly Item[], schemas: readonly Schema[]): Finding[] {
  const isOwn = ({ apiVersion }: Schema) => apiGroup(apiVersion) === OWN_GROUP
  const known = [...UNPLANNED_KINDS, ...schemas.filter(isOwn).map(kindOf)]
  const others = schemas.filter((schema) => !isOwn(schema))
  return items.flatMap(({ object: subject }) => {
    const { apiVersion, kind, metadata } = subject
    if (apiVersion === 'v1' && isPage(kind, metadata))
      return [finding('PartialList', `${kind} is one page of a longer list`, { subject })]
    const ownSlip = slipOf(subject, known)
    const field = ownSlip ?? slipOfOthers(subject, others)
    if (field === undefined) return []
    if (apiVersion === NODEFIT && NOT_BUILT.includes(kind))
      return [finding('NotBuilt', `${describe(subject)} is not implemented yet`, { subject })]
    const sentence = `${apiVersion} ${describe(subject)} is not known${askedOf(field)}`
    return [finding('UnknownKind', sentence, { subject, field, mend: ownSlip === undefined ? OTHERS_MEND : undefined })]
  })
}

/** A host that numbers the items it selected shows only a part of the package. */
export function selectionFindings(items: readonly Item[]): Finding[] {
  const selected = items.find(({ object }) => SELECTED.some((key) => object.metadata.annotations?.[key] !== undefined))
  if (selected === undefined) return []
  return [finding('SelectorsInUse', 'the function is given a selection of the package', { subject: selected.object })]
}

function isPage(kind: string, { continue: token, remainingItemCount }: Record<string, unknown>): boolean {
  return kind.endsWith('List') && Boolean(token || remainingItemCount)
}

function kindOf({ kind }: Schema): string {
  return kind
}
