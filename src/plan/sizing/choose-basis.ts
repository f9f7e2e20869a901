import { mergeNodes, nodesText } from '../../facts/inventory/index.ts'
import type { Fraction, Resource, SizingSettings } from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding/index.ts'
import { type Basis, basisOf, statisticOf } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n

/** Whether each resource of a basis is within a percentage of the remembered one. */
export function isNear(now: Basis, remembered: Basis, { numerator, denominator }: Fraction): boolean {
  return RESOURCES.every((resource) => {
    const old = remembered[resource].nanoValue()
    const difference = now[resource].nanoValue() - old
    const distance = difference < 0n ? -difference : difference
    return distance * HUNDRED * denominator <= numerator * old
  })
}

/** Whether two bases are equal amounts, in whatever format. */
export function isEqual(left: Basis, right: Basis): boolean {
  return RESOURCES.every((resource) => left[resource].compare(right[resource]) === 0)
}

/** Whether a policy has hysteresis. */
export function keepsNear({ hysteresis }: SizingSettings): boolean {
  return hysteresis.numerator > 0n
}

/** `NeedsEarlierOutput` where a policy has hysteresis and the run does not see the earlier output. */
export function hysteresisFindings(settings: SizingSettings, isSeen: boolean): Finding[] {
  if (isSeen || !keepsNear(settings)) return []
  const { subject } = settings
  const sentence = `${subject.metadata.name}: hysteresisPercent needs the earlier output, which is not in the input`
  return [finding('NeedsEarlierOutput', sentence, { subject, field: { path: 'spec.hysteresisPercent' } })]
}

/** Where the basis of a group comes from: its nodes, the earlier output, the nearest range, or the remainder. */
export type BasisSource = SizingSettings['basis'] | 'earlier' | 'range' | 'remainder'

export interface ChosenBasis {
  readonly basis: Basis
  readonly from: BasisSource
  /** The basis of the nodes now, where the earlier one is kept. */
  readonly now?: Basis
}

/**
 * The basis of a group. The remembered basis is kept while that of the nodes is within the policy's hysteresis, and
 * where no node reports. A group without either is sized by its fallback; without a fallback there is no value.
 */
export function chooseBasis(group: Group, remembered: Basis | undefined, settings: SizingSettings): Read<ChosenBasis> {
  if (group.isAbsent === true && remembered !== undefined)
    return { value: { basis: remembered, from: 'earlier' }, findings: [] }
  const { value: now, findings } = basisOf(group, settings.basis)
  if (now === undefined) return withoutReports(group, remembered, settings, findings)
  const from = statisticOf(group, settings.basis)
  const isKept = remembered !== undefined && isNear(now, remembered, settings.hysteresis) && !isEqual(now, remembered)
  return { value: isKept ? { basis: remembered, from: 'earlier', now } : { basis: now, from }, findings }
}

function withoutReports(
  group: Group,
  remembered: Basis | undefined,
  { basis: statistic }: SizingSettings,
  findings: readonly Finding[],
): Read<ChosenBasis> {
  if (remembered !== undefined) {
    const notice = group.sizedLike === undefined ? notSizedFindings(group, 'the group keeps its size') : []
    return { value: { basis: remembered, from: 'earlier' }, findings: notice }
  }
  const { fallback } = group
  const { value: basis } = fallback === undefined ? {} : basisOf({ ...group, sizedLike: fallback }, statistic)
  if (basis === undefined) return { findings }
  const from = fallback?.of === 'group' ? 'range' : 'remainder'
  const like = from === 'range' ? 'the nearest range' : 'the remainder'
  return { value: { basis, from }, findings: notSizedFindings(group, `the group is sized like ${like}`) }
}

/** `NodesNotSized` for a group none of whose nodes reports, with the consequence `what`. */
function notSizedFindings(group: Group, what: string): Finding[] {
  const nodes = mergeNodes(group.members)
  const silent = nodes.nodeCount === 0 ? 'its declared shapes' : nodesText(nodes)
  return [finding('NodesNotSized', `${nameOfGroup(group)}: ${silent} report no allocatable cpu and memory; ${what}`)]
}
