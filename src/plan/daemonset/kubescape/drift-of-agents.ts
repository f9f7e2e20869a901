import { podLabels } from '../../../core/object/index.ts'
import type { SizingSettings } from '../../../kinds/index.ts'
import { difference } from '../../../krm/difference.ts'
import { type Finding, listNames } from '../../../krm/finding/index.ts'
import { ownerName, ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { DaemonSet } from '../template.ts'
import { finding } from './codes.ts'
import { isMadeByOperator } from './operator-config.ts'

/** What a policy reads of the chart, and renders from it. */
export interface Expected {
  readonly settings: SizingSettings
  /** The ConfigMap with the template. */
  readonly template: KubernetesObject
  /** The configurations of operator and agent in the package. */
  readonly configs: readonly KubernetesObject[]
  /** The rendered DaemonSets. */
  readonly groups: readonly KubernetesObject[]
}

const MOST_NAMES = 10
const MOST_PATHS = 5

/** Compares the DaemonSets of a cluster with the groups of a policy; reports nothing without any. */
export function agentDrift(expected: Expected, daemonSets: readonly KubernetesObject[]): Finding[] {
  if (daemonSets.length === 0) return []
  const { settings, groups } = expected
  const { subject } = settings
  const name = subject.metadata.name
  const byName = new Map(daemonSets.map((object) => [object.metadata.name, object]))
  const missing = groups.filter((group) => !byName.has(group.metadata.name))
  const differing = groups.flatMap((group) => {
    const paths = differingPaths(group, byName.get(group.metadata.name) ?? group)
    return paths.length === 0 ? [] : [{ group, paths }]
  })
  const beside = besideGroups(expected, daemonSets)
  const [first] = differing
  const differences = [
    ...(missing.length === 0 ? [] : [`the cluster does not have ${namesOf(missing)}`]),
    ...(first === undefined
      ? []
      : [
          `the cluster has ${namesOf(differing.map(({ group }) => group))} with other fields: ${first.group.metadata.name} at ${listNames(first.paths, MOST_PATHS)}`,
        ]),
  ]
  return [
    ...(differences.length === 0
      ? []
      : [finding('LiveGroupDiffers', `${name}: ${differences.join('; ')}`, { subject })]),
    ...(beside.length === 0
      ? []
      : [finding('LiveAgentBeside', `${name}: beside the groups the cluster has ${namesOf(beside)}`, { subject })]),
  ]
}

/**
 * Returns the paths of a group's spec that a live object has otherwise. What the API server adds by default does not
 * count; an entry more in a list does.
 */
function differingPaths(group: KubernetesObject, live: KubernetesObject): string[] {
  return difference(group.spec, live.spec, 'spec')
    .filter(({ path, before }) => before !== undefined || /\.\d+$/.test(path))
    .map(({ path }) => path)
}

/** Returns the DaemonSets of the same agent that are none of the groups. */
function besideGroups({ settings, groups }: Expected, daemonSets: readonly KubernetesObject[]): KubernetesObject[] {
  const names = new Set(groups.map(({ metadata }) => metadata.name))
  const [group] = groups as readonly DaemonSet[]
  const labels = Object.entries(group?.spec.selector.matchLabels ?? {}).filter(([key]) => key !== settings.nodeGroupKey)
  const isOfAgent = (object: KubernetesObject) =>
    labels.length > 0 && labels.every(([key, value]) => podLabels(object)[key] === value)
  const { kind, metadata } = settings.subject
  const owners = [undefined, ownerName(kind, metadata.name)]
  return daemonSets.filter(
    (object) =>
      !names.has(object.metadata.name) &&
      owners.includes(ownerOf(object)) &&
      (isMadeByOperator(object) || isOfAgent(object) || ownerOf(object) !== undefined),
  )
}

function namesOf(objects: readonly KubernetesObject[]): string {
  return listNames(objects.map(({ metadata }) => metadata.name).sort(), MOST_NAMES)
}
