import type { Finding, Read } from '../finding/index.ts'
import { mergeNodes, nodesText } from '../inventory/index.ts'
import type { Fraction, Resource, SizingSettings } from '../policy/index.ts'
import { type Basis, basisOf, statisticOf } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n

/** Whether each resource of a basis is within so many percent of the one that is remembered. */
export function isNear(now: Basis, remembered: Basis, { numerator, denominator }: Fraction): boolean {
  return RESOURCES.every((resource) => {
    const old = remembered[resource].nanoValue()
    const difference = now[resource].nanoValue() - old
    const distance = difference < 0n ? -difference : difference
    return distance * HUNDRED * denominator <= numerator * old
  })
}

/** Whether two bases are the same amounts, however they are written. */
export function isEqual(one: Basis, other: Basis): boolean {
  return RESOURCES.every((resource) => one[resource].compare(other[resource]) === 0)
}

/** Whether a policy keeps a basis that is near. */
export function keepsNear({ hysteresis }: SizingSettings): boolean {
  return hysteresis.numerator > 0n
}

/** A basis can only be kept where the earlier output shows it. */
export function hysteresisFindings(settings: SizingSettings, isSeen: boolean): Finding[] {
  if (isSeen || !keepsNear(settings)) return []
  const { subject } = settings
  const sentence = `${subject.metadata.name}: hysteresisPercent needs the earlier output, which is not in the input`
  return [finding('NeedsEarlierOutput', sentence, { subject, field: { path: 'spec.hysteresisPercent' } })]
}

/** What a group is sized by: amounts of its own nodes, those remembered from before, or what the nearest range or a remainder is sized by. */
export type BasisSource = SizingSettings['basis'] | 'earlier' | 'range' | 'remainder'

export interface ChosenBasis {
  readonly basis: Basis
  readonly from: BasisSource
  /** What the nodes have now, where what is remembered is kept beside it. */
  readonly now?: Basis
}

/**
 * The basis of a group. The remembered one is kept while that of the nodes is within the policy's hysteresis of it, and where
 * no node reports; a group of such nodes that has none is sized by what it has otherwise, unless there is nothing.
 */
export function chooseBasis(group: Group, remembered: Basis | undefined, settings: SizingSettings): Read<ChosenBasis> {
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
    const said = group.sizedLike === undefined ? notSized(group, 'the group keeps its size') : []
    return { value: { basis: remembered, from: 'earlier' }, findings: said }
  }
  const { otherwise } = group
  const { value: basis } = otherwise === undefined ? {} : basisOf({ ...group, sizedLike: otherwise }, statistic)
  if (basis === undefined) return { findings }
  const from = otherwise?.of === 'group' ? 'range' : 'remainder'
  const like = from === 'range' ? 'the nearest range' : 'the remainder'
  return { value: { basis, from }, findings: notSized(group, `the group is sized like ${like}`) }
}

/** That no node of a group reports what it could be sized by, and what becomes of it. */
function notSized(group: Group, what: string): Finding[] {
  const nodes = mergeNodes(group.members)
  const who = nodes.nodeCount === 0 ? 'its declared shapes' : nodesText(nodes)
  return [finding('NodesNotSized', `${nameOfGroup(group)}: ${who} report no allocatable cpu and memory; ${what}`)]
}
