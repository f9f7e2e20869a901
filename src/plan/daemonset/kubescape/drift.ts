import { judge, type Planned, type World } from '../../../core/index.ts'
import { podLabels } from '../../../core/object/index.ts'
import type { SizingSettings } from '../../../kinds/index.ts'
import { difference } from '../../../krm/difference.ts'
import { type Finding, listNames } from '../../../krm/finding.ts'
import { memberOf, scalarText } from '../../../krm/map.ts'
import { CONFIG_DIGEST, ownerName, ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import type { DaemonSet } from '../template.ts'
import { finding } from './codes.ts'
import { type DifferingValue, differingFromPolicy, differingInBoth, isIn, namespaceOf, valueWord } from './operator.ts'
import {
  autoscalerSection,
  carriesOperatorMark,
  configDigest,
  isAutoscalerOn,
  isMadeByOperator,
  isMalwareDetected,
  isOperatorConfig,
} from './operator-config.ts'
import { readTemplateText, TemplateTextError } from './template-text.ts'

/** What the cluster has of the chart. */
interface Live {
  readonly operator?: KubernetesObject
  readonly agent?: KubernetesObject
  readonly template?: KubernetesObject
  readonly daemonSets: readonly KubernetesObject[]
}

/**
 * Returns what compares the objects of a cluster with a policy for the chart's template; undefined for any other
 * policy, and for one that is disabled or suspended. It holds no more of the world than it needs.
 */
export function driftOf(policy: PolicyPlan, { items, options }: World): Planned['drift'] {
  const { settings, planned } = policy
  const template = policy.template?.item.object
  if (template?.kind !== 'ConfigMap' || !settings.enabled || settings.suspended) return undefined
  const namespace = namespaceOf(policy)
  const objects = items.map(({ object }) => object).filter((object) => isIn(object, namespace))
  const expected = {
    settings,
    template,
    configs: objects.filter((object) => isOperatorConfig(object) || isAgentConfig(object)),
    groups: planned.objects.map(({ object }) => object),
  }
  return (live) => {
    const inNamespace = live.filter((object) => isIn(object, namespace))
    return judge(driftFindings(expected, liveOf(expected, inNamespace), namespace), options)
  }
}

function liveOf({ template }: Expected, objects: readonly KubernetesObject[]): Live {
  const operators = objects.filter(isOperatorConfig)
  return {
    // one whose loop is on before any other
    operator: operators.find(isAutoscalerOn) ?? operators.find(autoscalerSection) ?? operators[0],
    agent: objects.find(isAgentConfig),
    template: objects.find(({ kind, metadata }) => kind === template.kind && metadata.name === template.metadata.name),
    daemonSets: objects.filter(({ apiVersion, kind }) => apiVersion === 'apps/v1' && kind === 'DaemonSet'),
  }
}

function driftFindings(expected: Expected, live: Live, namespace: string | undefined): Finding[] {
  const { operator, agent, template, daemonSets } = live
  const version = versionDrift(expected, operator ?? agent ?? template)
  // another version has other templates and settings
  const isSameVersion = version.length === 0
  return [
    ...loopDrift(expected, operator),
    ...version,
    ...(isSameVersion && template !== undefined ? templateDrift(expected, template) : []),
    ...valueDrift(expected, live, isSameVersion),
    ...agentDrift(expected, daemonSets),
    ...notShown(expected, live, namespace),
  ]
}

function loopDrift({ settings }: Expected, operator: KubernetesObject | undefined): Finding[] {
  if (operator === undefined || isAutoscalerOn(operator) !== true) return []
  const what = carriesOperatorMark(settings)
    ? 'its loop overwrites the groups'
    : 'its loop creates DaemonSets of the same agent'
  const sentence = `${policyName(settings)}: ConfigMap ${operator.metadata.name} of the cluster has nodeAgentAutoscaler.enabled: true: ${what}`
  return [finding('LiveLoopOn', sentence, { subject: settings.subject })]
}

const CHART = 'helm.sh/chart'

function versionDrift({ settings, template, groups }: Expected, object: KubernetesObject | undefined): Finding[] {
  const theirs = object?.metadata.labels?.[CHART]
  const [group] = groups
  const ours = (group && podLabels(group)[CHART]) ?? template.metadata.labels?.[CHART]
  if (theirs === undefined || ours === undefined || theirs === ours) return []
  const sentence = `${policyName(settings)}: the cluster has ${theirs} (${object?.kind} ${object?.metadata.name}), and the groups are rendered from ${ours}`
  return [finding('LiveVersionDiffers', sentence, { subject: settings.subject })]
}

const MOST_PATHS = 5

function templateDrift({ settings, template }: Expected, object: KubernetesObject): Finding[] {
  const key = settings.target.key ?? ''
  const [ours, theirs] = [template, object].map(({ data }) => templateIn(memberOf(data, key)))
  const paths = difference(ours, theirs).map(({ path }) => path)
  if (paths.length === 0) return []
  const sentence = `${policyName(settings)}: the template in ConfigMap ${object.metadata.name} of the cluster differs at ${listNames(paths, MOST_PATHS)}`
  return [finding('LiveTemplateDiffers', sentence, { subject: template })]
}

/** A template as a group of a label value has it; a text that cannot be read as it is. */
function templateIn(text: unknown): unknown {
  try {
    return readTemplateText(scalarText(text)).valued
  } catch (error) {
    if (error instanceof TemplateTextError) return text
    throw error
  }
}

/** Compares the settings of operator and agent; the agent's only where its template is of the same version. */
function valueDrift(expected: Expected, { operator, agent }: Live, isSameVersion: boolean): Finding[] {
  const { subject } = expected.settings
  const differing = [
    ...(operator === undefined ? [] : operatorDrift(expected, operator)),
    ...(isSameVersion && agent !== undefined ? settingsDrift(expected, agent) : []),
  ]
  if (differing.length === 0) return []
  return [finding('LiveValueDiffers', `${policyName(expected.settings)}: ${differing.join('; ')}`, { subject })]
}

/** Compares with the operator's ConfigMap in the package, else with the policy. */
function operatorDrift({ settings, configs }: Expected, operator: KubernetesObject): string[] {
  const kept = configs.find(isOperatorConfig)
  const differing = kept === undefined ? differingFromPolicy(settings, operator) : differingInBoth(operator, kept)
  const where = kept === undefined ? 'the policy' : 'the package'
  return differing.map(
    ({ path, theirs, ours }: DifferingValue) =>
      `${path} is ${valueWord(theirs)} in ConfigMap ${operator.metadata.name} of the cluster, and ${valueWord(ours)} in ${where}`,
  )
}

/** Compares the agent's settings with those of the time when the template was printed. */
function settingsDrift({ configs }: Expected, agent: KubernetesObject): string[] {
  const digest = configs.find(isAgentConfig)?.metadata.annotations?.[CONFIG_DIGEST]
  if (digest === undefined || digest === configDigest(agent)) return []
  return [
    `ConfigMap ${agent.metadata.name} of the cluster has other settings than when the template of the package was printed`,
  ]
}

function notShown({ settings, groups, configs }: Expected, live: Live, namespace = 'kubescape'): Finding[] {
  const { operator, agent, daemonSets } = live
  const missing = [
    ...(operator === undefined ? ['the operator’s ConfigMap'] : []),
    ...(agent === undefined && configs.some(isAgentConfig) ? ['the node agent’s ConfigMap'] : []),
    ...(daemonSets.length === 0 && groups.length > 0 ? ['DaemonSets'] : []),
  ]
  if (missing.length === 0) return []
  const sentence = `${policyName(settings)}: what was given of the cluster does not have ${missing.join(', ')}`
  const mend = `Export them too: kubectl -n ${namespace} get configmaps,daemonsets -o json.`
  return [finding('LiveNotShown', sentence, { subject: settings.subject, mend })]
}

function isAgentConfig(object: KubernetesObject): boolean {
  return isMalwareDetected(object) !== undefined
}

function policyName({ subject }: SizingSettings): string {
  return subject.metadata.name
}

/** What a policy reads of the chart, and renders from it. */
interface Expected {
  readonly settings: SizingSettings
  /** The ConfigMap with the template. */
  readonly template: KubernetesObject
  /** The configurations of operator and agent in the package. */
  readonly configs: readonly KubernetesObject[]
  /** The rendered DaemonSets. */
  readonly groups: readonly KubernetesObject[]
}

const MOST_NAMES = 10

/** Compares the DaemonSets of a cluster with the groups of a policy; reports nothing without any. */
function agentDrift(expected: Expected, daemonSets: readonly KubernetesObject[]): Finding[] {
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
