/** Findings about groups: empty, impossible, tainted or uneven ones, and policy entries that name none. */
import { type Finding, listNames } from '../finding/index.ts'
import type { Resource, SizingSettings } from '../policy/index.ts'
import { indexBy } from '../world/index.ts'
import { type ReportingMember, reportingMembers } from './basis.ts'
import { growingLabels, HOSTNAME } from './choose-label.ts'
import { finding } from './codes.ts'
import { explicitId } from './explicit-groups.ts'
import { type Group, nameOfGroup, overrideTexts } from './group.ts'

const DEFAULT_RATIO = 2n

/**
 * `GroupSpread` where the largest node of a group is more than `classes.ratio` (2 without classes) times the smallest.
 * The label then says nothing about node size, as the instance type of k3s and of bare metal does not.
 */
export function spreadFindings(group: Group, settings: SizingSettings): Finding[] {
  const all = reportingMembers(group)
  if (group.sizedLike !== undefined || all.length === 0) return []
  const [cpu, memory] = [spreadOf('cpu', all), spreadOf('memory', all)]
  const ratio = settings.classRatio ?? DEFAULT_RATIO
  if (![cpu, memory].some(({ least, most }) => most.nanoValue() > ratio * least.nanoValue())) return []
  const sizes = `allocatable cpu ${cpu.least} to ${cpu.most}, memory ${memory.least} to ${memory.most}`
  const proposal = proposalFor(group, all, settings)
  const place = { field: { path: settings.groupLabelPath, ...proposal?.field } }
  return [finding('GroupSpread', `${nameOfGroup(group)}: ${sizes}${proposal?.words ?? ''}`, place)]
}

function spreadOf(resource: Resource, all: readonly ReportingMember[]) {
  const amounts = all.map(({ allocatable }) => allocatable[resource]).sort((a, b) => a.compare(b))
  const [least, most] = [amounts.at(0), amounts.at(-1)]
  if (least === undefined || most === undefined) throw new Error('a group without nodes has no spread')
  return { least, most }
}

/** Ranges of a label that grows with node size, else the host name with classes. */
function proposalFor(
  { kind }: Group,
  all: readonly ReportingMember[],
  { groupLabels }: SizingSettings,
): { words: string; field: { proposedValue: string } } | undefined {
  if (kind === 'explicit' || kind === 'range' || groupLabels.includes(HOSTNAME)) return undefined
  const [growing] = growingLabels(all)
  if (growing !== undefined) {
    const { label, bounds } = growing
    return {
      words: `; ${label} grows with node size: nodeGroupRanges: { label: ${label}, bounds: [${bounds.join(', ')}] }`,
      field: { proposedValue: label },
    }
  }
  const words = `; nodeGroupLabel: ${HOSTNAME} with classes: { ratio: ${DEFAULT_RATIO} } tells them apart (nodefit inventory --label ${HOSTNAME})`
  return { words, field: { proposedValue: HOSTNAME } }
}

/** `EmptyGroup` for each explicit group without nodes that is not reported as impossible. */
export function emptyGroupFindings(
  groups: readonly Group[],
  impossible: readonly Group[],
  { explicitGroups, subject }: SizingSettings,
): Finding[] {
  const reported = new Set([...groups.filter(({ members }) => members.length > 0), ...impossible].map(({ id }) => id))
  return explicitGroups.flatMap(({ name, nodeSelector }, index) => {
    if (reported.has(explicitId(name))) return []
    const field = { path: `spec.groups.${index}.nodeSelector`, currentValue: nodeSelector }
    return [finding('EmptyGroup', `${subject.metadata.name}: group ${name} has no nodes`, { subject, field })]
  })
}

/** `GroupImpossible` for a group that no node can match. */
export function impossibleFinding(group: Group, { subject }: SizingSettings): Finding {
  const sentence = `${subject.metadata.name}: no node can match ${nameOfGroup(group)}, so it is not rendered: template, policy and group contradict each other`
  return finding('GroupImpossible', sentence)
}

/** `OverrideUnused` for each entry of `overrides` and `names` that names no group. */
export function unusedEntryFindings(
  groups: ReadonlyArray<Pick<Group, 'aliases' | 'family'> & Partial<Pick<Group, 'id'>>>,
  { overrides, names, subject }: SizingSettings,
): Finding[] {
  const known = new Set(groups.flatMap(overrideTexts))
  const entries = [
    ...overrides.flatMap((override, index) =>
      override.groups.map((name) => ({ name, path: `spec.overrides.${index}.groups` })),
    ),
    ...Object.keys(names).map((name) => ({ name, path: `spec.names.${name}` })),
  ]
  return entries
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => {
      // messages and annotations tell groups by their identity, which is no key
      const [meant] = groups.find(({ id }) => id === name)?.aliases ?? []
      const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
      const sentence = `${subject.metadata.name}: ${path} names ${name}, but there is no such group${hint}`
      return finding('OverrideUnused', sentence, { field: { path, currentValue: name, proposedValue: meant } })
    })
}

/**
 * `GroupTainted` for groups whose nodes all have a NoSchedule taint that the pods do not tolerate: one finding per list
 * of taints.
 */
export function taintedFindings(groups: readonly Group[], { subject }: SizingSettings): Finding[] {
  const closed = groups.flatMap((group) => {
    const real = group.members.filter(({ declared }) => !declared)
    if (real.length === 0 || real.some(({ mayStart }) => mayStart)) return []
    return [{ id: group.id, taints: [...new Set(real.flatMap(({ closedBy }) => closedBy ?? []))].sort().join(', ') }]
  })
  return [...indexBy(closed, ({ taints }) => taints)].map(([taints, tainted]) => {
    const which = `${tainted.length === 1 ? 'group' : 'groups'} ${listNames(tainted.map(({ id }) => id))}`
    return finding(
      'GroupTainted',
      `${subject.metadata.name}: no node of ${which} accepts new pods: they do not tolerate ${taints}`,
    )
  })
}
