import type { SizingSettings } from '../../../kinds/index.ts'
import type { Finding } from '../../../krm/finding.ts'
import { describe } from '../../../krm/identity.ts'
import { isDeepEqual, isMap, scalarText } from '../../../krm/map.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { Container, PodSpec } from '../../../kube/index.ts'
import type { ContainerSize } from '../../sizing/index.ts'
import { checkTemplate } from '../check-template.ts'
import type { DaemonSet, GroupValues, TemplateReader } from '../template.ts'
import { finding } from './codes.ts'
import {
  actionsOnFields,
  aroundName,
  fields,
  fill,
  groupKeys,
  isPlaceholder,
  placeholdersInText,
  unknownFields,
} from './placeholder.ts'
import { readTemplateText, TemplateTextError } from './template-text.ts'

type Json = Record<string, unknown>

/**
 * Reads the DaemonSet template from the ConfigMap of Kubescape's chart (research: kubescape section 1.8). Removes the
 * placeholders for name, label, node selector and affinity, which each group sets itself; placeholders in containers
 * stay until the sizes of the group are known.
 */
export const readConfigMap: TemplateReader = (item, settings) => {
  const subject = item.object
  const key = settings.target.key ?? ''
  const at = `data.${key}`
  const who = describe(subject)
  const invalid = (sentence: string) => ({
    findings: [finding('TemplateInvalid', `${who}: ${at}: ${sentence}`, { subject, field: { path: at } })],
  })
  const text = (subject.data as Json | undefined)?.[key]
  if (typeof text !== 'string') {
    const keys = Object.keys((subject.data as Json | null | undefined) ?? {})
    return invalid(`the key is missing or not a string (keys are ${keys.join(', ') || 'none'})`)
  }
  try {
    const { valued, unlabelled } = readTemplateText(text)
    if (!isObject(valued) || !isObject(unlabelled)) return invalid('failed to parse template: it is not a DaemonSet')
    const unknown = unknownFields(valued)
    if (unknown.length > 0) return { findings: unknown.map((one) => unknownFinding(one, subject, at)) }
    const actions = actionsOnFields({ ...valued, metadata: { ...valued.metadata, name: undefined } })
    if (actions.length > 0) return { findings: actions.map((one) => actionFinding(one, subject, at)) }
    const around = aroundName(valued.metadata.name)
    if (around === undefined)
      return invalid(`failed to parse template: metadata.name is "${valued.metadata.name}" and lacks {{ .Name }}`)
    if (!isDeepEqual(withoutPlacement(valued), withoutPlacement(unlabelled)))
      return invalid(
        'failed to parse template: a condition is outside affinity and the nodeSelector entry of the group',
      )
    return read(item, settings, valued, around, at)
  } catch (error) {
    if (error instanceof TemplateTextError) return invalid(error.message)
    throw error
  }
}

function read(
  item: Parameters<TemplateReader>[0],
  settings: SizingSettings,
  object: KubernetesObject,
  { before, after }: { before: string; after: string },
  at: string,
): ReturnType<TemplateReader> {
  const problems = checkShape(object, item.object, at)
  if (problems.length > 0) return { findings: problems }
  const { daemonSet, labels } = takeOut(object as DaemonSet)
  const target = `${before}${settings.baseName}`
  const namespace = item.object.metadata.namespace ?? daemonSet.metadata.namespace
  const metadata = { ...daemonSet.metadata, name: `${target}${after}`, ...(namespace ? { namespace } : {}) }
  const named = { ...daemonSet, metadata }
  const findings = checkTemplate(named, item.object, at)
  if (findings.length > 0) return { findings }
  const open = named.spec.template.spec?.containers?.filter(({ resources }) => hasOpenSizes(resources)) ?? []
  return {
    value: {
      item,
      daemonSet: named,
      naming: { target, suffix: after },
      container: open.length === 1 ? open[0]?.name : undefined,
      givesWay: ({ value }) => isPlaceholder(value, 'GoMemLimit'),
      complete: (wanted, values) => completeTemplate(wanted, values, labels, item.object, at),
    },
    findings: templateAdvice(object as DaemonSet, item.object, settings, at),
  }
}

/** Returns a finding unless the object is a DaemonSet with the maps that the later steps read. */
function checkShape(object: KubernetesObject, subject: KubernetesObject, at: string): Finding[] {
  if (object.apiVersion === 'apps/v1' && object.kind === 'DaemonSet' && isMap(object.spec)) {
    const spec = object.spec as { selector?: unknown; template?: { metadata?: unknown; spec?: unknown } }
    if (isMap(spec.selector) && isMap(spec.template) && isMap(spec.template.metadata) && isMap(spec.template.spec))
      return []
  }
  const sentence = `${describe(subject)}: ${at}: failed to parse template: it is not a DaemonSet of apps/v1 with selector and pod template`
  return [finding('TemplateInvalid', sentence, { subject, field: { path: at } })]
}

/**
 * Removes the group label and the node selector of the group from a template; `labels` are the keys of the removed
 * group label.
 */
function takeOut(object: DaemonSet): { daemonSet: DaemonSet; labels: GroupLabels } {
  const { metadata, spec } = object
  const { template, selector } = spec
  const pod = template.spec ?? {}
  const labels = {
    daemonSet: groupKeys(metadata.labels),
    selector: groupKeys(selector.matchLabels),
    pod: groupKeys(template.metadata?.labels),
  }
  return {
    labels,
    daemonSet: {
      ...object,
      metadata: { ...metadata, labels: without(metadata.labels, labels.daemonSet) },
      spec: {
        ...spec,
        selector: { ...selector, matchLabels: without(selector.matchLabels, labels.selector) },
        template: {
          ...template,
          metadata: { ...template.metadata, labels: without(template.metadata?.labels, labels.pod) },
          spec: { ...pod, nodeSelector: without(pod.nodeSelector, groupKeys(pod.nodeSelector)) },
        },
      },
    } as DaemonSet,
  }
}

function without<T extends Record<string, string> | null | undefined>(map: T, keys: readonly string[]): T {
  if (!isMap(map)) return map
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))) as T
}

/**
 * Returns the template without affinity and the group's nodeSelector entry, the two places that may differ between the
 * group of a label value and the default group.
 */
function withoutPlacement(object: KubernetesObject): unknown {
  const spec = object.spec as { template?: { spec?: Json } } | undefined
  const nodeSelector = spec?.template?.spec?.nodeSelector as Record<string, string> | undefined
  const kept = without(nodeSelector, groupKeys(nodeSelector)) ?? {}
  const pod = { ...spec?.template?.spec, affinity: undefined, nodeSelector: kept }
  return { ...object, spec: { ...spec, template: { ...spec?.template, spec: pod } } }
}

function hasOpenSizes(resources: unknown): boolean {
  const { requests, limits } = (resources ?? {}) as { requests?: unknown; limits?: unknown }
  return [requests, limits].some(
    (side) => isMap(side) && Object.values(side).some((value) => /\{\{/.test(scalarText(value))),
  )
}

function unknownFinding({ path, field }: { path: string; field: string }, subject: KubernetesObject, at: string) {
  return finding(
    'UnknownPlaceholder',
    `${describe(subject)}: ${at}: ${path} is {{ .${field} }}, an unknown placeholder`,
    {
      subject,
      field: { path: at, currentValue: `{{ .${field} }}` },
    },
  )
}

function actionFinding({ path, action }: { path: string; action: string }, subject: KubernetesObject, at: string) {
  return finding(
    'UnknownPlaceholder',
    `${describe(subject)}: ${at}: ${path} has ${action}, which nodefit does not evaluate`,
    {
      subject,
      field: { path: at, currentValue: action },
    },
  )
}

function isObject(value: unknown): value is KubernetesObject {
  return isMap(value) && isMap(value.metadata)
}

const GOMEMLIMIT = 'GOMEMLIMIT'

/** The keys whose value is the group label in the template's labels. */
interface GroupLabels {
  readonly daemonSet: readonly string[]
  readonly selector: readonly string[]
  readonly pod: readonly string[]
}

/**
 * Fills the placeholders of a group's DaemonSet: sets the group label under the template's keys, and replaces every
 * scalar that consists of one placeholder. Reports a placeholder that has no value, since the agent would receive the
 * braces as text.
 */
function completeTemplate(
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

/**
 * Reports what is valid in a template of the chart, but probably not intended: a different group label, and
 * placeholders within longer texts.
 */
function templateAdvice(object: DaemonSet, subject: KubernetesObject, settings: SizingSettings, at: string): Finding[] {
  const { nodeSelector } = object.spec.template.spec ?? {}
  const other = groupKeys(nodeSelector).find((key) => !key.includes('{{') && !settings.groupLabels.includes(key))
  const place = { subject, field: { path: at } }
  const differs =
    other === undefined
      ? []
      : [
          finding(
            'GroupLabelDiffers',
            `${describe(subject)} groups by ${other}, the policy by ${settings.groupLabels.join(', ')}`,
            place,
          ),
        ]
  const { name: _, ...metadata } = object.metadata
  const inText = placeholdersInText({ ...object, metadata })
  return [
    ...differs,
    ...inText.map(({ path, field }) =>
      finding(
        'PlaceholderInText',
        `${describe(subject)}: ${at}: ${path} has {{ .${field} }} within a longer text`,
        place,
      ),
    ),
  ]
}
