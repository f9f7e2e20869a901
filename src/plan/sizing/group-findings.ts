/** Findings about groups: empty, impossible or tainted ones, and policy entries that name none. */

import { indexBy, once } from '../../core/index.ts'
import { isReadablePodSpec, lastingTaint, podSpecOf, servedNodes } from '../../core/object/index.ts'
import type { LiveNode } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import { daemonTolerations } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { explicitId } from './explicit-groups.ts'
import { type Group, nameOfGroup, overrideTexts } from './group.ts'
import type { Member } from './membership.ts'

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
 * of taints. A warning where pods run there as far as the input shows, since they are not replaced once they stop;
 * otherwise nothing is lost.
 */
export function taintedFindings(
  groups: readonly Group[],
  { subject }: SizingSettings,
  runsOn: (member: Member) => boolean,
): Finding[] {
  const closed = groups.flatMap((group) => {
    const real = group.members.filter(({ declared }) => !declared)
    if (real.length === 0 || real.some(({ mayStart }) => mayStart)) return []
    const taints = [...new Set(real.flatMap(({ closedBy }) => closedBy ?? []))].sort().join(', ')
    return [{ id: group.id, taints, hasRun: real.some(runsOn) }]
  })
  return [...indexBy(closed, ({ taints, hasRun }) => `${hasRun} ${taints}`).values()].map((tainted) => {
    const [{ taints = '', hasRun = false } = {}] = tainted
    const which = `${tainted.length === 1 ? 'group' : 'groups'} ${listNames(tainted.map(({ id }) => id))}`
    const sentence = `${subject.metadata.name}: no node of ${which} accepts new pods: they do not tolerate ${taints}`
    const found = finding('GroupTainted', hasRun ? `${sentence}; a pod ran there until now` : sentence)
    return hasRun ? { ...found, severity: 'warning' as const } : found
  })
}

/**
 * Returns whether the input shows that a pod of the agent runs on nodes: a WorkloadSnapshot has it, or an earlier
 * object could start it there.
 */
export function runsBefore(
  earlier: readonly Item[],
  { target, subject }: SizingSettings,
  live: readonly LiveNode[] = [],
): (member: Member) => boolean {
  const template = { name: target.name, namespace: subject.metadata.namespace }
  const agents = indexBy([template, ...earlier.map(({ object }) => object.metadata)], ({ name }) => name)
  const isAgent = (pod: LiveNode['daemonPods'][number]) =>
    agents.get(pod.name)?.some(({ namespace }) => !namespace || !pod.namespace || namespace === pod.namespace) === true
  const running = once(() => {
    const nodes = live.filter(({ daemonPods }) => daemonPods.some(isAgent))
    return new Set(nodes.map(({ name }) => name))
  })
  const pods = earlier.map(({ object }) => podSpecOf(object)).filter(isReadablePodSpec)
  return ({ shape, nodes }) =>
    nodes.some((node) => running().has(node)) ||
    pods.some(
      (pod) =>
        lastingTaint(shape, daemonTolerations(pod), 'NoSchedule') === undefined && servedNodes(pod, shape).length > 0,
    )
}
