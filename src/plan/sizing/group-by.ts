import { mergeNodes, nodesText } from '../../facts/inventory/index.ts'
import type { Fraction, Resource, SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import { isLabelValue, type NodeSelectorRequirement } from '../../kube/index.ts'
import { parseInt64 } from '../../kube/quantity.ts'
import { type Basis, basisOf, doesReport } from './basis.ts'
import { finding } from './codes.ts'
import { CLASS, earlierClasses } from './earlier-groups.ts'
import type { Draft } from './explicit-groups.ts'
import { nodesOfGroup, ownValue } from './group.ts'
import type { Member, Without } from './membership.ts'
import { sanitize } from './names.ts'

/** Members with the same value of each label. */
export interface Labelled {
  readonly values: readonly string[]
  readonly members: readonly Member[]
}

/** Members by label values, sorted; and for each label the members that lack it and have every label before it. */
export function splitByLabels(
  members: readonly Member[],
  labels: readonly string[],
): { labelled: Labelled[]; missing: Member[][] } {
  const labelled = new Map<string, { values: string[]; members: Member[] }>()
  const missing = labels.map((): Member[] => [])
  for (const member of members) {
    const values = labels.map((label) => ownValue(member.shape.labels, label))
    const first = values.indexOf(undefined)
    if (first >= 0) {
      missing[first]?.push(member)
      continue
    }
    const key = JSON.stringify(values)
    const entry = labelled.get(key)
    if (entry === undefined) labelled.set(key, { values: values as string[], members: [member] })
    else entry.members.push(member)
  }
  const sorted = [...labelled].sort(([a], [b]) => (a < b ? -1 : 1))
  return { labelled: sorted.map(([, entry]) => entry), missing }
}

const EMPTY = 'empty'

/** A group for each label value, or each combination of values of several labels. An empty value has its own group. */
export function groupsByLabel(
  labelled: readonly Labelled[],
  settings: SizingSettings,
): { groups: Draft[]; findings: Finding[] } {
  return {
    groups: labelled.map((entry) => valueGroup(entry, settings)),
    findings: labelled.flatMap(({ values }) => illegalValues(values, settings)),
  }
}

/** `NameInvalid` for a value that the API server would not accept: it comes from an edited inventory. */
function illegalValues(values: readonly string[], { subject }: SizingSettings): Finding[] {
  const illegal = values.find((value) => !isLabelValue(value))
  return illegal === undefined ? [] : [finding('NameInvalid', `"${illegal}" is not a valid label value`, { subject })]
}

function valueGroup({ values, members }: Labelled, { groupLabels }: SizingSettings): Draft {
  const nodeSelector = Object.fromEntries(groupLabels.map((label, index) => [label, values[index] ?? '']))
  const text = values.map((value) => (value === '' ? EMPTY : value)).join('-')
  const namePart = sanitize(text)
  const value = values.length === 1 ? values[0] : text
  const aliases = [value || EMPTY, namePart]
  return {
    kind: 'value',
    id: `value:${values.join(',')}`,
    namePart,
    aliases,
    value,
    nodeSelector,
    requirements: [],
    members,
  }
}

/**
 * The default groups: nodes without the label, rendered with or without such nodes. For several labels there is one for
 * nodes without the first, one for nodes with the first and without the second, and so on, so that each needs one term.
 */
export function defaultGroups(missing: ReadonlyArray<readonly Member[]>, settings: SizingSettings): Draft[] {
  const { groupLabels, defaultNodeGroup } = settings
  if (defaultNodeGroup === '') return []
  return groupLabels.map((label, index): Draft => {
    const suffix = index === 0 ? '' : `-${index + 1}`
    const namePart = `${sanitize(defaultNodeGroup)}${suffix}`
    return {
      kind: 'default',
      id: `default${suffix}`,
      namePart,
      aliases: [`${defaultNodeGroup}${suffix}`, namePart],
      family: defaultNodeGroup,
      nodeSelector: {},
      requirements: [
        ...groupLabels.slice(0, index).map((key) => ({ key, operator: 'Exists' as const })),
        { key: label, operator: 'DoesNotExist' },
      ],
      members: missing[index] ?? [],
    }
  })
}

/** The nodes without an agent because the policy has no default group. */
export function withoutDefault(
  missing: ReadonlyArray<readonly Member[]>,
  { groupLabels, defaultNodeGroup }: SizingSettings,
): Without[] {
  const { nodes, nodeCount } = mergeNodes(missing.flat())
  if (defaultNodeGroup !== '' || nodeCount === 0) return []
  const reason = `the label ${groupLabels.join(' or ')} is missing and there is no default group`
  return [{ reason, mayStay: false, nodes: [...nodes].sort(), nodeCount }]
}

/** The integers from `from` to below `to`; an absent end is open. */
interface Range {
  readonly from?: bigint
  readonly to?: bigint
}

/**
 * A group for each range of the label's integers, with or without nodes: together they cover every int64 (DESIGN,
 * "Ranges"). A range without nodes that report is sized like the nearest smaller range that has some, else the nearest
 * larger one. `RangeNotInteger` for a value in no range.
 */
export function groupsByRange(
  labelled: readonly Labelled[],
  { groupLabels, subject }: SizingSettings,
  bounds: readonly bigint[],
): { groups: Draft[]; findings: Finding[] } {
  const [label = ''] = groupLabels
  const read = labelled.map((one) => ({ ...one, value: parseInt64(one.values[0] ?? '') }))
  const ranges = [undefined, ...bounds].map((from, index): Range => ({ from, to: bounds[index] }))
  const members = ranges.map((range) => read.flatMap((one) => (isIn(range, one.value) ? one.members : [])))
  const groups = ranges.map((range, index): Draft => {
    const name = rangeName(range)
    const inRange = members[index] ?? []
    const like = doesReport(inRange) ? undefined : nearestReporting(members, index)
    return {
      kind: 'range',
      id: `range:${name}`,
      namePart: name,
      aliases: [name],
      nodeSelector: {},
      requirements: requirementsOf(label, range),
      members: inRange,
      ...(like === undefined
        ? {}
        : { [inRange.length > 0 ? 'fallback' : 'sizedLike']: { of: 'group', members: like } }),
    }
  })
  const findings = read
    .filter(({ value }) => value === undefined)
    .map(({ values: [value], members: outside }) => {
      const nodes = mergeNodes(outside)
      const where = nodes.nodeCount > 0 ? nodesText(nodes) : 'a declared shape'
      const sentence = `${subject.metadata.name}: ${label} of ${where} is "${value}", which is not a 64-bit integer`
      return finding('RangeNotInteger', sentence, { subject, field: { path: 'spec.nodeGroupRanges.label' } })
    })
  return { groups, findings }
}

function isIn({ from, to }: Range, value: bigint | undefined): boolean {
  return value !== undefined && (from === undefined || value >= from) && (to === undefined || value < to)
}

/** A range as part of a name: `lt-8192`, `8192-32767`, `ge-131072`. */
function rangeName({ from, to }: Range): string {
  if (from === undefined) return `lt-${to}`
  return to === undefined ? `ge-${from}` : `${from}-${to - 1n}`
}

/** The lower bound first. `Gt` and `Lt` exclude their operands. */
function requirementsOf(key: string, { from, to }: Range): NodeSelectorRequirement[] {
  return [
    ...(from === undefined ? [] : [{ key, operator: 'Gt' as const, values: [String(from - 1n)] }]),
    ...(to === undefined ? [] : [{ key, operator: 'Lt' as const, values: [String(to)] }]),
  ]
}

function nearestReporting(members: ReadonlyArray<readonly Member[]>, index: number): readonly Member[] | undefined {
  const smaller = members.slice(0, index).reverse()
  return [...smaller, ...members.slice(index + 1)].find(doesReport)
}

/** What classes depend on besides node sizes. */
export interface ClassInput {
  readonly ratio: bigint
  /** The earlier output: a value stays in its class while its size is near that class. */
  readonly earlier: readonly Item[]
}

/** The classes, the label values in them, and the values without a class because no node reports. */
interface Classes {
  readonly groups: readonly Draft[]
  readonly known: readonly Labelled[]
  readonly unsized: readonly Labelled[]
  readonly findings: readonly Finding[]
}

/**
 * A group for all label values whose smallest allocatable amounts are in the same cell: one `In` with the values sorted
 * bytewise. The cell of a value depends on its nodes and on its earlier class (DESIGN, "Classes").
 */
export function groupsByClass(labelled: readonly Labelled[], settings: SizingSettings, input: ClassInput): Classes {
  const [label = ''] = settings.groupLabels
  const earlier = earlierClasses(input.earlier, label)
  const placed = labelled.map((entry) => ({ entry, name: classNameOf(entry, earlier, settings, input.ratio) }))
  const known = placed.flatMap(({ entry, name }) => (name === undefined ? [] : [entry]))
  const names = [...new Set(placed.flatMap(({ name }) => name ?? []))].sort()
  const groups = names.map((name): Draft => {
    const inClass = placed.filter((each) => each.name === name).map(({ entry }) => entry)
    const values = inClass.map(({ values: [value = ''] }) => value).sort()
    return {
      kind: 'class',
      id: `${CLASS}${name}`,
      namePart: name,
      aliases: [name],
      nodeSelector: {},
      requirements: [{ key: label, operator: 'In', values }],
      members: inClass.flatMap(({ members }) => members),
    }
  })
  return {
    groups,
    known,
    unsized: placed.flatMap(({ entry, name }) => (name === undefined ? [entry] : [])),
    findings: [
      ...labelled.flatMap(({ values }) => illegalValues(values, settings)),
      ...groups.flatMap((group) => changeFindings(group, earlier.get(group.id), settings)),
    ],
  }
}

/** The class name of a value; undefined where its size is unknown. */
function classNameOf(
  { values: [value = ''], members }: Labelled,
  earlier: ReadonlyMap<string, ReadonlySet<string>>,
  { hysteresis }: SizingSettings,
  ratio: bigint,
): string | undefined {
  const before = [...earlier].filter(([, values]) => values.has(value)).map(([id]) => id.slice(CLASS.length))
  const { value: basis } = basisOf({ id: `value:${value}`, members })
  if (basis === undefined) return before[0]
  const near = before.find((name) => {
    const cell = cellFromName(name, ratio)
    return cell !== undefined && isNear(basis, cell, ratio, hysteresis)
  })
  return near ?? cellName(cellOf(basis, ratio), ratio)
}

/** `ClassChanged` where the list of values changes: that changes the affinity and restarts every pod of the class. */
function changeFindings(group: Draft, before: ReadonlySet<string> | undefined, { subject }: SizingSettings): Finding[] {
  const values = group.requirements.flatMap((requirement) => requirement.values ?? [])
  const joined = values.filter((value) => !before?.has(value))
  const left = [...(before ?? [])].filter((value) => !values.includes(value)).sort()
  if (before === undefined || before.size === 0 || joined.length + left.length === 0) return []
  const changes = [
    ...(joined.length > 0 ? [`${listNames(joined)} joined`] : []),
    ...(left.length > 0 ? [`${listNames(left)} left`] : []),
  ]
  const nodes = plural(nodesOfGroup(group).nodeCount, 'node')
  const sentence = `${subject.metadata.name}: ${changes.join(', ')} ${group.id}; its pods on ${nodes} restart`
  return [finding('ClassChanged', sentence, { subject })]
}

/** Size cells: ranges of cpu and memory that make a class, in exact arithmetic (DESIGN, "Classes"). */

/** One core and one GiB, in nano units. */
const UNIT: Record<Resource, bigint> = { cpu: 1_000_000_000n, memory: 1024n ** 3n * 1_000_000_000n }
/** The units in names of cells: a whole, and the part of it that cells below one are named by. */
const NAMES: Record<Resource, { parts: bigint; part: string; whole: string }> = {
  cpu: { parts: 1000n, part: 'm', whole: 'cpu' },
  memory: { parts: 1024n, part: 'mi', whole: 'gi' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n
/** No node has 2 to this power cores or GiB. */
const HIGHEST = 64

/** The exponent k of each resource: its cell begins at 3/4 ratio^k cores or GiB. */
type Cell = Readonly<Record<Resource, number>>

/**
 * The cell [3/4 r^k, 3/4 r^(k+1)) of a basis, for each resource. The lowest cell that has a name takes all smaller
 * amounts.
 */
function cellOf(basis: Basis, ratio: bigint): Cell {
  const power = (resource: Resource) => classPower(resource, basis[resource].nanoValue(), ratio)
  return { cpu: power('cpu'), memory: power('memory') }
}

/** Returns the power of the ratio at which the class of an amount begins; the amount is in nano units. */
export function classPower(resource: Resource, nano: bigint, ratio: bigint): number {
  let k = 0
  while (isAtLeast(nano, resource, ratio, k + 1)) k++
  while (k > lowest(resource, ratio) && !isAtLeast(nano, resource, ratio, k)) k--
  return k
}

/** The name of a cell: `2cpu-8gi`; below one in millicores and Mi. */
function cellName(cell: Cell, ratio: bigint): string {
  return RESOURCES.map((resource) => powerText(resource, ratio, cell[resource])).join('-')
}

/** The cell with a name; undefined where no cell of this ratio has it. */
function cellFromName(name: string, ratio: bigint): Cell | undefined {
  const texts = name.split('-')
  const [cpu, memory] = RESOURCES.map((resource, index) => {
    for (let k = lowest(resource, ratio); k <= HIGHEST; k++)
      if (powerText(resource, ratio, k) === texts[index]) return k
    return undefined
  })
  return cpu === undefined || memory === undefined ? undefined : { cpu, memory }
}

/** Whether a basis is in a cell, or beyond its edge by less than a percentage of that edge. */
function isNear(basis: Basis, cell: Cell, ratio: bigint, { numerator, denominator }: Fraction): boolean {
  const whole = HUNDRED * denominator
  return RESOURCES.every((resource) => {
    const nano = basis[resource].nanoValue()
    const k = cell[resource]
    if (k > lowest(resource, ratio) && !isAtLeast(nano, resource, ratio, k)) {
      const { edge, scale } = edgeOf(resource, ratio, k)
      return (edge - nano * scale) * whole < edge * numerator
    }
    if (!isAtLeast(nano, resource, ratio, k + 1)) return true
    const { edge, scale } = edgeOf(resource, ratio, k + 1)
    return (nano * scale - edge) * whole < edge * numerator
  })
}

function powerText(resource: Resource, ratio: bigint, k: number): string {
  const { parts, part, whole } = NAMES[resource]
  return k >= 0 ? `${ratio ** BigInt(k)}${whole}` : `${parts / ratio ** BigInt(-k)}${part}`
}

function isAtLeast(nano: bigint, resource: Resource, ratio: bigint, k: number): boolean {
  const { edge, scale } = edgeOf(resource, ratio, k)
  return nano * scale >= edge
}

/** 3/4 r^k of the resource as edge / scale. */
function edgeOf(resource: Resource, ratio: bigint, k: number): { edge: bigint; scale: bigint } {
  const edge = 3n * UNIT[resource]
  return k >= 0 ? { edge: edge * ratio ** BigInt(k), scale: 4n } : { edge, scale: 4n * ratio ** BigInt(-k) }
}

/** The smallest exponent whose name is at least one millicore or one Mi. */
function lowest(resource: Resource, ratio: bigint): number {
  let k = 0
  while (ratio ** BigInt(1 - k) <= NAMES[resource].parts) k--
  return k
}
