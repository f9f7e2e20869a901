import type { Finding } from '../../../krm/finding/index.ts'
import { describe } from '../../../krm/identity.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { Container, PodSpec } from '../../../kube/index.ts'
import type { ContainerSize } from '../../sizing/index.ts'
import type { DaemonSet, GroupValues } from '../template.ts'
import { finding } from './codes.ts'
import { fields, fill, isPlaceholder } from './placeholder.ts'

const GOMEMLIMIT = 'GOMEMLIMIT'

/** The keys whose value is the group label in the template's labels. */
export interface GroupLabels {
  readonly daemonSet: readonly string[]
  readonly selector: readonly string[]
  readonly pod: readonly string[]
}

/**
 * Fills the placeholders of a group's DaemonSet: sets the group label under the template's keys, and replaces every
 * scalar that consists of one placeholder. Reports a placeholder that has no value, since the agent would receive the
 * braces as text.
 */
export function completeTemplate(
  daemonSet: DaemonSet,
  values: GroupValues,
  labels: GroupLabels,
  subject: KubernetesObject,
  at: string,
): { daemonSet: DaemonSet; findings: Finding[] } {
  const { metadata, spec } = daemonSet
  const add = (map: Record<string, string> | null | undefined, keys: readonly string[]) => ({
    ...Object.fromEntries(keys.map((key) => [key, values.name.label])),
    ...map,
  })
  const only = values.sizes.length === 1 ? values.sizes[0] : undefined
  const { template, selector } = spec
  const complete = (container: Container) => {
    const size = values.sizes.find((one) => one.container === container.name)
    return fill(withoutUnset(container), valuesOf(values, size, goMemLimitOf(container)))
  }
  const { containers, initContainers, ...pod } = template.spec ?? {}
  const rest = fill(
    {
      ...daemonSet,
      metadata: { ...metadata, labels: add(metadata.labels, labels.daemonSet) },
      spec: {
        ...spec,
        selector: { ...selector, matchLabels: add(selector.matchLabels, labels.selector) },
        template: {
          ...template,
          metadata: { ...template.metadata, labels: add(template.metadata?.labels, labels.pod) },
          spec: pod as PodSpec,
        },
      },
    },
    valuesOf(values, only),
  )
  const completed = { containers: containers?.map(complete), initContainers: initContainers?.map(complete) }
  const filled = {
    ...rest,
    spec: { ...rest.spec, template: { ...rest.spec.template, spec: { ...rest.spec.template.spec, ...completed } } },
  }
  const open = fields(filled, '')
  const findings = open.map(({ path, field }) =>
    finding('UnknownPlaceholder', `${describe(subject)}: ${at}: {{ .${field} }} has no value at ${path}`, {
      subject,
      field: { path: at, currentValue: `{{ .${field} }}` },
    }),
  )
  return { daemonSet: filled, findings }
}

/** Removes GOMEMLIMIT if it is still a placeholder: no memory limit was set from which to compute it. */
function withoutUnset(container: Container): Container {
  const { env } = container
  if (env === undefined || env === null) return container
  return {
    ...container,
    env: env.filter(({ name, value }) => name !== GOMEMLIMIT || !isPlaceholder(value, 'GoMemLimit')),
  }
}

function goMemLimitOf({ env }: Container): string | undefined {
  const value = env?.find(({ name }) => name === GOMEMLIMIT)?.value
  return isPlaceholder(value, 'GoMemLimit') ? undefined : value
}

function valuesOf(
  { name, groupLabel, seLinuxType }: GroupValues,
  size: ContainerSize | undefined,
  goMemLimit?: string,
): Map<string, string | undefined> {
  return new Map([
    ['Name', name.name],
    ['NodeGroupLabel', name.label],
    ['NodeGroupLabelKey', groupLabel],
    ['GoMemLimit', goMemLimit],
    ['SELinuxType', seLinuxType],
    ['Resources.Requests.CPU', size?.printed.get('requestCPU')],
    ['Resources.Requests.Memory', size?.printed.get('requestMemory')],
    ['Resources.Limits.CPU', size?.printed.get('limitCPU')],
    ['Resources.Limits.Memory', size?.printed.get('limitMemory')],
  ])
}
