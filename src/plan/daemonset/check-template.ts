import { type TextProblem, textProblem, valueProblem } from '../../core/object/index.ts'
import type { Finding, Subject } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isMap, scalarText } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  type Affinity,
  type Container,
  type LabelSelector,
  matchesLabels,
  type Toleration,
  unlessMalformed,
} from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { DaemonSet } from './template.ts'

/**
 * Returns what keeps an object from serving as a template; empty if every field that is read later is valid. `at` is
 * the path of the DaemonSet within the subject; empty if the subject is the DaemonSet.
 */
export function checkTemplate(object: KubernetesObject, subject: Subject, at = ''): Finding[] {
  const place = at === '' ? '' : `${at}: `
  const invalid = (path: string, wanted: string) => [
    finding('TemplateInvalid', `${describe(subject as KubernetesObject)}: ${place}${path} is not ${wanted}`, {
      subject,
      field: { path: at === '' ? path : at },
    }),
  ]
  const wrongText = (wrong: TextProblem) => {
    const field = { path: at === '' ? wrong.path : at, currentValue: wrong.value }
    const sentence = `${describe(subject as KubernetesObject)}: ${place}${wrong.path} ${wrong.sentence}`
    return [finding('TemplateInvalid', sentence, { subject, field })]
  }
  const notText = (path: string, map: unknown) => {
    const wrong = valueProblem(path, map)
    return wrong === undefined ? invalid(path, 'a map of strings') : wrongText(wrong)
  }
  const spec = object.spec as DaemonSet['spec'] | undefined
  if (!isMap(spec)) return invalid('spec', 'a map')
  const pod = spec.template?.spec
  if (!isMap(pod)) return invalid('spec.template.spec', 'a map')
  if (!Array.isArray(pod.containers) || pod.containers.length === 0)
    return invalid('spec.template.spec.containers', 'a non-empty list of containers')
  if (!pod.containers.every((container: Container) => isMap(container) && typeof container.name === 'string')) {
    return invalid('spec.template.spec.containers', 'a list of containers with names')
  }
  if (!isMap(spec.selector) || !Object.values(spec.selector).some(hasMembers))
    return invalid('spec.selector', 'a label selector')
  if (!isListOfMaps(spec.selector.matchExpressions))
    return invalid('spec.selector.matchExpressions', 'a list of requirements')
  if (!isTextMap(spec.selector.matchLabels)) return notText('spec.selector.matchLabels', spec.selector.matchLabels)
  const labels = spec.template.metadata?.labels
  if (!isMap(labels) || !isTextMap(labels)) return notText('spec.template.metadata.labels', labels)
  if (!selects(spec.selector, labels))
    return invalid('spec.selector', 'a selector that matches the pod labels of the template')
  const wrong = textProblem(object)
  if (wrong !== undefined) return wrongText(wrong)
  if (!isTextMap(pod.nodeSelector)) return notText('spec.template.spec.nodeSelector', pod.nodeSelector)
  if (!isListOfMaps(pod.tolerations) || !(pod.tolerations ?? []).every(isTextToleration))
    return invalid('spec.template.spec.tolerations', 'a list of tolerations')
  if (!isListOfMaps(pod.initContainers)) return invalid('spec.template.spec.initContainers', 'a list of containers')
  if (![...pod.containers, ...(pod.initContainers ?? [])].every(({ env }) => isListOfMaps(env)))
    return invalid('env of a container', 'a list of variables')
  const twofold = twofoldVariable([...pod.containers, ...(pod.initContainers ?? [])])
  if (twofold !== undefined) return invalid(twofold, 'either value or valueFrom: it has both')
  if (![...pod.containers, ...(pod.initContainers ?? [])].every(isSizable))
    return invalid('resources or securityContext of a container', 'a map of maps')
  if ((pod.affinity ?? undefined) !== undefined && (!isMap(pod.affinity) || !isAffinity(pod.affinity)))
    return invalid('spec.template.spec.affinity', 'an affinity')
  const required = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required !== undefined && required !== null && !isListOfTerms(required.nodeSelectorTerms)) {
    return invalid(
      'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution',
      'a node selector',
    )
  }
  const strategy = strategyProblem(spec.updateStrategy)
  if (strategy !== undefined) {
    const path = `spec.updateStrategy${strategy.path}`
    const field = { path: at === '' ? path : at, currentValue: strategy.value }
    const sentence = `${describe(subject as KubernetesObject)}: ${place}${path} ${strategy.problem}`
    return [finding('TemplateInvalid', sentence, { subject, field })]
  }
  if (isMap(pod.resources) && Object.keys(pod.resources).length > 0) {
    const field = { path: at === '' ? 'spec.template.spec.resources' : at, currentValue: pod.resources }
    const sentence = `${describe(subject as KubernetesObject)}: ${place}spec.template.spec.resources is set, and would hold the containers together, whatever size each of them gets`
    return [finding('PodLevelResources', sentence, { subject, field })]
  }
  return []
}

interface StrategyProblem {
  readonly path: string
  readonly value: unknown
  /** In words that follow the path. */
  readonly problem: string
}

const TYPES: readonly unknown[] = ['RollingUpdate', 'OnDelete']

/**
 * Returns why the API server refuses an update strategy (`ValidateDaemonSetUpdateStrategy`), with its defaults filled
 * in: RollingUpdate, maxUnavailable 1 and maxSurge 0.
 */
function strategyProblem(strategy: unknown): StrategyProblem | undefined {
  if (strategy === undefined || strategy === null) return undefined
  if (!isMap(strategy)) return { path: '', value: strategy, problem: 'is not a map' }
  const { type = 'RollingUpdate', rollingUpdate } = strategy
  if (!TYPES.includes(type)) return { path: '.type', value: type, problem: `must be ${TYPES.join(' or ')}` }
  if (type === 'OnDelete' || rollingUpdate === undefined || rollingUpdate === null) return undefined
  if (!isMap(rollingUpdate)) return { path: '.rollingUpdate', value: rollingUpdate, problem: 'is not a map' }
  const { maxUnavailable = 1, maxSurge = 0 } = rollingUpdate
  for (const [name, value] of Object.entries({ maxUnavailable, maxSurge }))
    if (partOf(value) === undefined)
      return {
        path: `.rollingUpdate.${name}`,
        value,
        problem: 'must be a number of 0 or more, or a percentage up to 100%',
      }
  const [unavailable, surge] = [partOf(maxUnavailable), partOf(maxSurge)]
  if (unavailable === 0 && surge === 0)
    return { path: '.rollingUpdate.maxUnavailable', value: maxUnavailable, problem: 'cannot be 0 when maxSurge is 0' }
  if (unavailable !== 0 && surge !== 0) {
    const problem = `may not be set when maxUnavailable is non-zero, which is ${String(maxUnavailable)}${rollingUpdate.maxUnavailable === undefined ? ' by default: set it to 0' : ''}`
    return { path: '.rollingUpdate.maxSurge', value: maxSurge, problem }
  }
  return undefined
}

/** A count, or a percentage as the number in it; undefined for what the API server refuses. */
function partOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const percentage = typeof value === 'string' ? /^([0-9]+)%$/.exec(value)?.[1] : undefined
  return percentage !== undefined && Number(percentage) <= 100 ? Number(percentage) : undefined
}

/** Whether a part of a selector has requirements; the API server rejects a DaemonSet that selects everything. */
function hasMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function selects(selector: LabelSelector, labels: Record<string, unknown>): boolean {
  return unlessMalformed(() => matchesLabels(selector, labels as Record<string, string>)) ?? false
}

function isListOfTerms(terms: unknown): boolean {
  if (!Array.isArray(terms) || !isListOfMaps(terms)) return false
  return terms.every(
    ({ matchExpressions, matchFields }) => isListOfRequirements(matchExpressions) && isListOfRequirements(matchFields),
  )
}

function isListOfRequirements(list: unknown): boolean {
  if (!isListOfMaps(list)) return false
  return ((list ?? []) as Array<Record<string, unknown>>).every(({ key, operator, values }) => {
    const isText =
      values === undefined ||
      values === null ||
      (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return typeof key === 'string' && typeof operator === 'string' && isText
  })
}

/** Whether the key, operator, value and effect of a toleration are strings or not set. */
function isTextToleration({ key, operator, value, effect }: Toleration): boolean {
  return [key, operator, value, effect].every((field: unknown) => typeof (field ?? '') === 'string')
}

/** Whether sizes can be set in a container: resources and securityContext are maps or not set. */
function isSizable({ resources, securityContext }: Container): boolean {
  const places: unknown[] = [resources, resources?.requests, resources?.limits]
  return [...places, securityContext, securityContext?.seLinuxOptions].every((place) => isMap(place ?? {}))
}

/** Returns the path of a variable with value and valueFrom, which the API server refuses; undefined without one. */
function twofoldVariable(containers: readonly Container[]): string | undefined {
  return containers
    .flatMap(({ name: container, env }) =>
      (env ?? []).flatMap(({ name, value, valueFrom }) =>
        (value ?? '') !== '' && (valueFrom ?? undefined) !== undefined
          ? [`env ${scalarText(name)} of container ${container}`]
          : [],
      ),
    )
    .at(0)
}

/** Whether the terms about other pods and the node preferences are lists; their entries are not checked. */
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
