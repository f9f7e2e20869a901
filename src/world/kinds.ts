import type { Finding } from '../finding/index.ts'
import { SELECTED } from '../krm/annotation.ts'
import { apiGroup, describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { NODEFIT, nearest } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Schema } from './planner.ts'

/** The kinds of ours that no planner is needed for. */
export const UNPLANNED_KINDS = ['NodeInventory', 'RenderConfig', 'WorkloadSnapshot']
const NOT_BUILT = ['PoolPolicy', 'NodeAction']
const GROUP = apiGroup(NODEFIT)

/** What can be said of items by their kind alone: ones of ours that nobody knows, and lists of which a part is missing. */
export function kindFindings(items: readonly Item[], schemas: readonly Schema[]): Finding[] {
  const known = new Set([
    ...UNPLANNED_KINDS,
    ...schemas.filter(({ apiVersion }) => apiGroup(apiVersion) === GROUP).map(kindOf),
  ])
  return items.flatMap(({ object: subject }) => {
    const { apiVersion, kind, metadata } = subject
    if (apiVersion === 'v1' && isPage(kind, metadata))
      return [finding('PartialList', `${kind} is one page of a longer list`, { subject })]
    const group = apiGroup(apiVersion)
    if (group !== GROUP && !isMistyped(group, kind, known)) return []
    if (apiVersion === NODEFIT && known.has(kind)) return []
    if (apiVersion === NODEFIT && NOT_BUILT.includes(kind))
      return [finding('NotBuilt', `${describe(subject)} is not built yet`, { subject })]
    const [path, currentValue, proposedValue] = known.has(kind)
      ? ['apiVersion', apiVersion, NODEFIT]
      : ['kind', kind, nearest(kind, [...known])]
    const guess = proposedValue === undefined ? '' : `: did you mean ${proposedValue}?`
    const field = { path, currentValue, proposedValue }
    return [finding('UnknownKind', `${apiVersion} ${describe(subject)} is not known${guess}`, { subject, field })]
  })
}

/** A host that numbers the items it selected shows only a part of the package. */
export function selectionFindings(items: readonly Item[]): Finding[] {
  const selected = items.find(({ object }) => SELECTED.some((key) => object.metadata.annotations?.[key] !== undefined))
  if (selected === undefined) return []
  return [finding('SelectorsInUse', 'the function is given a selection of the package', { subject: selected.object })]
}

/** A kind of ours in a group that is nearly ours; other groups may well have kinds of these names. */
function isMistyped(group: string, kind: string, known: ReadonlySet<string>): boolean {
  return known.has(kind) && nearest(group, [GROUP]) !== undefined
}

function isPage(kind: string, { continue: token, remainingItemCount }: Record<string, unknown>): boolean {
  return kind.endsWith('List') && Boolean(token || remainingItemCount)
}

function kindOf({ kind }: Schema): string {
  return kind
}
