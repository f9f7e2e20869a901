import { mergeNodes, nodesText } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import type { NodeSelectorRequirement } from '../../kube/index.ts'
import { parseInt64 } from '../../kube/int64.ts'
import { doesReport } from './basis.ts'
import { finding } from './codes.ts'
import type { Draft } from './explicit-groups.ts'
import type { Labelled } from './group-by-label.ts'
import type { Member } from './membership.ts'

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
