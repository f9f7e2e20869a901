import type { GroupLine } from '../../core/index.ts'
import { mergeNodes, nodesText } from '../../facts/inventory/index.ts'
import type { Fraction, Resource, SizingSettings } from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding.ts'
import { Quantity, readQuantity } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import type { Member } from './membership.ts'

/** The basis of a group: the allocatable cpu and memory that percentages are taken of. */

/** The amounts that percentages are taken of. */
export type Basis = Readonly<Record<Resource, Quantity>>

/** What `basisOf` reads of a group. */
type SizedBy = Pick<Group, 'id' | 'members' | 'sizedLike'>

/** A member that reports allocatable amounts. */
export interface ReportingMember {
  readonly member: Member
  readonly allocatable: Basis
}

/** Allocatable cpu and memory of a member's shape; undefined unless both are reported and above zero. */
export function allocatableOf({ shape }: Member): Basis | undefined {
  const { cpu, memory } = shape.allocatable
  if (cpu === undefined || memory === undefined) return undefined
  // an inventory with amounts that are no quantities is refused when it is read
  const basis = { cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }
  return basis.cpu.nanoValue() > 0n && basis.memory.nanoValue() > 0n ? basis : undefined
}

/** Whether any member reports allocatable amounts. */
export function doesReport(members: readonly Member[]): boolean {
  return members.some((member) => allocatableOf(member) !== undefined)
}

/**
 * The smallest or median allocatable amount of each resource over the nodes that report: nodes where a pod may start,
 * else all nodes, else declared shapes. A group that is sized by the whole policy gets the smallest. `NodesNotSized`
 * for nodes that report nothing; `NoAllocatable`, without a value, where none reports.
 */
export function basisOf(group: SizedBy, statistic: SizingSettings['basis'] = 'smallest'): Read<Basis> {
  const name = nameOfGroup(group)
  const reporting = reportingMembers(group)
  const { members } = group.sizedLike ?? group
  const silent = mergeNodes(members.filter((member) => !member.declared && allocatableOf(member) === undefined))
  const silentText = silent.nodeCount === 0 ? 'its declared shapes' : nodesText(silent)
  const sentence = `${name}: ${silentText} report no allocatable cpu and memory`
  if (reporting.length === 0) return { findings: [finding('NoAllocatable', sentence)] }
  const pick = statisticOf(group, statistic) === 'median' ? median : smallest
  const basis = { cpu: pick(reporting, 'cpu'), memory: pick(reporting, 'memory') }
  const isSilent = group.sizedLike === undefined && silent.nodeCount > 0
  const findings: Finding[] = isSilent ? [finding('NodesNotSized', sentence)] : []
  return { value: basis, findings }
}

/** The statistic that sizes a group: that of the policy, but the smallest where the whole policy sizes it. */
export function statisticOf({ sizedLike }: SizedBy, asked: SizingSettings['basis']): SizingSettings['basis'] {
  return sizedLike?.of === 'policy' ? 'smallest' : asked
}

/** The members that size a group, each with its allocatable amounts. */
export function reportingMembers(group: SizedBy): ReportingMember[] {
  const { members, of } = group.sizedLike ?? { members: group.members, of: 'group' }
  const reporting = members.flatMap((member) => {
    const allocatable = allocatableOf(member)
    return allocatable === undefined ? [] : [{ member, allocatable }]
  })
  const real = reporting.filter(({ member }) => !member.declared)
  const starting = (all: typeof reporting) => all.filter(({ member }) => member.mayStart)
  const tiers =
    of === 'policy' ? [starting(reporting), reporting] : [starting(real), real, starting(reporting), reporting]
  return tiers.find((tier) => tier.length > 0) ?? []
}

/**
 * The smallest allocatable amounts of the nodes that size a group, as they are written; those of what it is sized like
 * where none of its own reports. What none of them says is absent.
 */
export function smallestNode(group: Pick<Group, 'id' | 'members' | 'sizedLike' | 'fallback'>): SmallestNode {
  const own = reportingMembers(group)
  const { fallback } = group
  const reporting = own.length > 0 || fallback === undefined ? own : reportingMembers({ ...group, sizedLike: fallback })
  const texts = (['cpu', 'memory', 'pods'] as const).flatMap((resource) => {
    const [first, ...others] = reporting.flatMap(({ member }) => {
      const written = member.shape.allocatable[resource]
      // the pods of a Node may be no quantity
      const amount = readQuantity(written)
      return amount === undefined ? [] : [{ text: String(written), amount }]
    })
    if (first === undefined) return []
    return [[resource, others.reduce((least, one) => (one.amount.compare(least.amount) < 0 ? one : least), first).text]]
  })
  return Object.fromEntries(texts)
}

/** Allocatable amounts as an inventory writes them. */
type SmallestNode = GroupLine['node']

function smallest(all: readonly ReportingMember[], resource: Resource): Quantity {
  const amounts = all.map(({ allocatable }) => allocatable[resource])
  return amounts.reduce((least, amount) => (amount.compare(least) < 0 ? amount : least))
}

/** The amount of the middle node, of two middle nodes the lower. A declared shape counts as one node. */
function median(all: readonly ReportingMember[], resource: Resource): Quantity {
  const sorted = [...all].sort((left, right) => left.allocatable[resource].compare(right.allocatable[resource]))
  const weights = sorted.map(({ member }) => Math.max(1, member.nodeCount))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let passed = 0
  const middle = sorted.find((_, index) => {
    passed += weights[index] ?? 0
    return passed * 2 >= total
  })
  return middle?.allocatable[resource] ?? smallest(all, resource)
}

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n

/** Whether each resource of a basis is within a percentage of the remembered one. */
function isNear(now: Basis, remembered: Basis, { numerator, denominator }: Fraction): boolean {
  return RESOURCES.every((resource) => {
    const old = remembered[resource].nanoValue()
    const difference = now[resource].nanoValue() - old
    const distance = difference < 0n ? -difference : difference
    return distance * HUNDRED * denominator <= numerator * old
  })
}

/** Whether two bases are equal amounts, in whatever format. */
function isEqual(left: Basis, right: Basis): boolean {
  return RESOURCES.every((resource) => left[resource].compare(right[resource]) === 0)
}

/** Whether a policy has hysteresis. */
function keepsNear({ hysteresis }: SizingSettings): boolean {
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
type BasisSource = SizingSettings['basis'] | 'earlier' | 'range' | 'remainder'

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
