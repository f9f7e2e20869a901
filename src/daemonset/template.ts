import { type Finding, finding, type Subject } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import {
  type Affinity,
  type Container,
  KubeError,
  type LabelSelector,
  matchesLabels,
  type PodTemplateSpec,
} from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'

/** A DaemonSet as far as it is read here. */
export interface DaemonSet extends KubernetesObject {
  spec: {
    selector: LabelSelector
    template: PodTemplateSpec
    [field: string]: unknown
  }
}

/** What DaemonSets are rendered from. */
export interface Template {
  readonly item: Item
  readonly daemonSet: DaemonSet
}

/** Finds the target of a policy among the items of its scope: by kind, name and the policy's namespace; never our own output. */
export function findTemplate(
  items: readonly Item[],
  settings: SizingSettings,
): { template?: Template; findings: Finding[] } {
  const { target, subject } = settings
  const { namespace } = subject.metadata
  const place = { subject, field: { path: 'spec.targetRef', currentValue: target } }
  const named = items.filter(({ object }) => isTarget(object, target))
  const found = namespace === undefined ? named : named.filter(({ object }) => object.metadata.namespace === namespace)
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  const [item] = found
  if (item === undefined) {
    const elsewhere =
      named.length > 0 ? `; there is one in namespace ${named[0]?.object.metadata.namespace ?? '(none)'}` : ''
    return {
      findings: [
        finding(
          'TargetMissing',
          `${subject.metadata.name}: there is no ${target.kind} ${target.name}${where}${elsewhere}`,
          place,
        ),
      ],
    }
  }
  if (found.length > 1) {
    return {
      findings: [
        finding(
          'TargetNotUnique',
          `${subject.metadata.name}: there are ${found.length} objects ${target.kind} ${target.name}${where}`,
          place,
        ),
      ],
    }
  }
  const problems = checkTemplate(item.object)
  return problems.length > 0
    ? { findings: problems }
    : { template: { item, daemonSet: item.object as DaemonSet }, findings: [] }
}

function isTarget(object: KubernetesObject, target: SizingSettings['target']): boolean {
  const isNamed =
    object.kind === target.kind && object.apiVersion === target.apiVersion && object.metadata.name === target.name
  return isNamed && ownerOf(object) === undefined
}

function checkTemplate(object: KubernetesObject): Finding[] {
  const invalid = (path: string, wanted: string) => [
    finding('TemplateInvalid', `${describe(object)}: ${path} is not ${wanted}`, {
      subject: object as Subject,
      field: { path },
    }),
  ]
  const spec = object.spec as DaemonSet['spec'] | undefined
  if (!isMap(spec)) return invalid('spec', 'a map')
  const pod = spec.template?.spec
  if (!isMap(pod)) return invalid('spec.template.spec', 'a map')
  if (!Array.isArray(pod.containers) || pod.containers.length === 0)
    return invalid('spec.template.spec.containers', 'a list with containers')
  if (!pod.containers.every((container: Container) => isMap(container) && typeof container.name === 'string')) {
    return invalid('spec.template.spec.containers', 'a list of containers with names')
  }
  if (!isMap(spec.selector) || Object.keys(spec.selector).length === 0)
    return invalid('spec.selector', 'a label selector')
  if (!isTextMap(spec.selector.matchLabels)) return invalid('spec.selector.matchLabels', 'a map of text')
  const labels = spec.template.metadata?.labels
  if (!isMap(labels) || !isTextMap(labels)) return invalid('spec.template.metadata.labels', 'a map of text')
  if (!selects(spec.selector, labels)) return invalid('spec.selector', 'one that selects the labels of its own pods')
  if (!isTextMap(pod.nodeSelector)) return invalid('spec.template.spec.nodeSelector', 'a map of text')
  if (!isListOfMaps(pod.tolerations)) return invalid('spec.template.spec.tolerations', 'a list of tolerations')
  if (!isListOfMaps(pod.initContainers)) return invalid('spec.template.spec.initContainers', 'a list of containers')
  if (![...pod.containers, ...(pod.initContainers ?? [])].every(({ env }) => isListOfMaps(env)))
    return invalid('env of a container', 'a list of variables')
  if ((pod.affinity ?? undefined) !== undefined && (!isMap(pod.affinity) || !isAffinity(pod.affinity)))
    return invalid('spec.template.spec.affinity', 'an affinity')
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required !== undefined && required !== null && !isListOfTerms(required.nodeSelectorTerms)) {
    return invalid(
      'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution',
      'a node selector',
    )
  }
  if (isMap(pod.resources) && Object.keys(pod.resources).length > 0) {
    const field = { path: 'spec.template.spec.resources', currentValue: pod.resources }
    return [
      finding('PodLevelResources', `${describe(object)} sets resources for the whole pod`, {
        subject: object as Subject,
        field,
      }),
    ]
  }
  return []
}

function selects(selector: LabelSelector, labels: Record<string, unknown>): boolean {
  try {
    return matchesLabels(selector, labels as Record<string, string>)
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}

function isListOfTerms(terms: unknown): boolean {
  if (!Array.isArray(terms) || !isListOfMaps(terms)) return false
  return terms.every(
    ({ matchExpressions, matchFields }) => isListOfRequirements(matchExpressions) && isListOfRequirements(matchFields),
  )
}

function isListOfRequirements(list: unknown): boolean {
  if (!isListOfMaps(list)) return false
  return ((list ?? []) as Array<Record<string, unknown>>).every(({ key, values }) => {
    const isText =
      values === undefined ||
      values === null ||
      (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return typeof key === 'string' && isText
  })
}

/** Rules about other pods, and preferences: lists, whatever is in them. */
function isAffinity(affinity: Affinity | null | undefined): boolean {
  const sides = [affinity?.podAffinity, affinity?.podAntiAffinity].map((side) => side ?? {})
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  return (
    sides.every((side) => isMap(side) && Object.values(side).every((list) => list === null || Array.isArray(list))) &&
    isListOfMaps(preferred)
  )
}

function isListOfMaps(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isMap))
}

function isTextMap(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isMap(value) && Object.values(value).every((member) => typeof member === 'string'))
  )
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
