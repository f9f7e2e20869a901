/** What is checked of a policy while it is planned; each check gives findings and decides nothing. */
import type { Template } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import type { Fleet } from './inventory/index.ts'
import { KubeError, matchesNodeSelector } from './kube/index.ts'
import type { SizingSettings } from './policy/index.ts'
import type { Scope } from './scope/index.ts'
import {
  type ContainerSize,
  type Group,
  type Placement,
  placementKeys,
  requiredTerms,
  selectorConflicts,
} from './sizing/index.ts'

/** A container that gets nothing of a resource: a request of 0 reserves nothing, and a limit of 0 is none. */
export function nothing(group: Group, sizes: readonly ContainerSize[], { subject }: SizingSettings): Finding[] {
  return sizes.flatMap(({ container, amounts }) =>
    [...amounts]
      .filter(([, steps]) => steps === 0n)
      .map(([name]) =>
        finding('SizeZero', `group ${group.id}: ${name} of ${container} is less than one step`, { subject }),
      ),
  )
}

/** A requirement that Kubernetes could not evaluate must not pass for one that matches nothing. */
export function malformed(placement: Placement, { subject }: SizingSettings): Finding[] {
  try {
    for (const term of requiredTerms(placement.affinity) ?? [])
      matchesNodeSelector({ name: 'any', labels: {} }, { nodeSelectorTerms: [term] })
    return []
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return [
      finding(
        'InvalidField',
        `${subject.metadata.name}: required node affinity of policy or template: ${error.message}`,
        { subject, field: { path: 'spec.affinity' } },
      ),
    ]
  }
}

export function disagreement({ cluster, subject }: SizingSettings, { options }: Scope): Finding[] {
  if (cluster === undefined || options.cluster === undefined || cluster === options.cluster) return []
  const field = { path: 'spec.cluster', currentValue: cluster, proposedValue: options.cluster }
  return [
    finding('WrongCluster', `${subject.metadata.name} is for cluster ${cluster}, the run is for ${options.cluster}`, {
      subject,
      field,
    }),
  ]
}

export function copiedInstance({ daemonSet, item }: Template): Finding[] {
  const instance = daemonSet.metadata.labels?.['app.kubernetes.io/instance']
  if (instance === undefined) return []
  const field = { path: 'metadata.labels', currentValue: instance }
  return [
    finding('InstanceLabelCopied', `${daemonSet.metadata.name} has the label app.kubernetes.io/instance=${instance}`, {
      subject: item.object,
      field,
    }),
  ]
}

export function conflicts({ daemonSet }: Template, settings: SizingSettings): Finding[] {
  return selectorConflicts(daemonSet.spec.template.spec ?? {}, settings).map(({ key, template, policy }) =>
    finding('GroupLabelConflict', `nodeSelector ${key} is ${template} in the template and ${policy} in the policy`, {
      subject: settings.subject,
      field: { path: `spec.nodeSelector.${key}`, currentValue: policy, proposedValue: template },
    }),
  )
}

export function notExported(fleet: Fleet, placement: Placement, settings: SizingSettings): Finding[] {
  const { subject, groupLabels, explicitGroups } = settings
  const keys = new Set([
    ...groupLabels,
    ...explicitGroups.flatMap(({ nodeSelector }) => Object.keys(nodeSelector)),
    ...placementKeys(placement),
  ])
  return [...keys]
    .filter((key) => !fleet.knows(key))
    .sort()
    .map((key) =>
      finding(
        'LabelNotExported',
        `${subject.metadata.name} refers to the label ${key}, which the inventory of ${fleet.cluster} did not export (nodefit inventory --label ${key})`,
        { subject },
      ),
    )
}

export function unusedEntries(groups: readonly Group[], { overrides, names, subject }: SizingSettings): Finding[] {
  const known = new Set(groups.flatMap(({ aliases }) => aliases))
  const entries = [
    ...overrides.flatMap((override, index) =>
      override.groups.map((name) => ({ name, path: `spec.overrides.${index}.groups` })),
    ),
    ...Object.keys(names).map((name) => ({ name, path: `spec.names.${name}` })),
  ]
  return entries
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) =>
      finding('OverrideUnused', `${subject.metadata.name}: ${path} is for ${name}, which is no group`, {
        subject,
        field: { path, currentValue: name },
      }),
    )
}

export function tainted(groups: readonly Group[], { subject }: SizingSettings): Finding[] {
  return groups.flatMap(({ id, members }) => {
    const real = members.filter(({ declared }) => !declared)
    if (id === 'remainder' || real.length === 0 || real.some(({ mayStart }) => mayStart)) return []
    return [finding('GroupTainted', `${subject.metadata.name}: no node of group ${id} takes new pods`, { subject })]
  })
}
