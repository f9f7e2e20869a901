import type { World } from '../../../core/index.ts'
import { decimal, type SizingSettings } from '../../../kinds/index.ts'
import { type Finding, listNames } from '../../../krm/finding.ts'
import { describe, isLocalConfig } from '../../../krm/identity.ts'
import { isDeepEqual, memberOf, scalarText } from '../../../krm/map.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { KubeError, parseDuration, Quantity } from '../../../kube/index.ts'
import { plainName, sanitize } from '../../sizing/index.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import {
  carriesOperatorMark,
  isAutoscalerOn,
  isMadeByOperator,
  isMalwareDetected,
  isOperatorConfig,
  mayBeConfig,
  OPERATOR_MARK,
  type OperatorValues,
  operatorValues,
} from './operator-config.ts'

/** Checks of a policy that renders Kubescape's node agent against the operator and the other modes of its chart. */

/** A configuration of the operator; isOn is undefined if its text is not JSON. */
interface Config {
  readonly object: KubernetesObject
  readonly isOn?: boolean
}

/**
 * Returns the findings about the operator for each policy, in the given order; none for a policy that is disabled or
 * suspended. Throws `KrmError` if a configuration of the chart contains YAML that is refused.
 */
export function besideOperator(policies: readonly PolicyPlan[], world: World): Finding[][] {
  const { items } = world
  const configs = items
    .filter(({ object }) => isOperatorConfig(object))
    .map(({ object }) => ({ object, isOn: isAutoscalerOn(object) }))
  const unread = items.filter(mayBeConfig)
  const made = madeByOperator(items)
  return policies.map((policy) => {
    const { settings, planned } = policy
    if (!settings.enabled || settings.suspended) return []
    refuseUnread(policy, unread)
    const inNamespace = configs.filter(({ object }) => isIn(object, namespaceOf(policy)))
    return [
      ...secondMaster(policy, inNamespace),
      ...(settings.target.kind === 'ConfigMap'
        ? inNamespace.flatMap(({ object }) => differsFromOperator(settings, object))
        : []),
      ...scannerMissing(policy, items),
      ...emptyValueFindings(policy),
      // what remains in the cluster is known only if objects are rendered
      ...(planned.objects.length === 0 && world.stops(planned.findings) ? [] : leftByOperator(policy, made)),
    ]
  })
}

/** Whether a policy depends on the chart's configurations: it uses the operator's label or the chart's template. */
function isBesideOperator({ settings }: PolicyPlan): boolean {
  return carriesOperatorMark(settings) || settings.target.kind === 'ConfigMap'
}

/**
 * Throws if a configuration in the policy's namespace could not be read: its values are unknown, so they must not count
 * as unset.
 */
function refuseUnread(policy: PolicyPlan, unread: readonly Item[]): void {
  if (!isBesideOperator(policy)) return
  const found = unread.find(({ object }) => isIn(object, namespaceOf(policy)))
  if (found?.opaque !== undefined) throw found.opaque
}

/**
 * Reports an operator whose loop is, or may be, enabled. The loop treats every DaemonSet with its label as its own: it
 * overwrites them, and deletes those for which it has no group (research: kubescape section 1.10). A policy with that
 * label gets an error if the loop is enabled, and a warning if the package does not show it; any other policy gets a
 * warning if the loop is enabled.
 */
function secondMaster(policy: PolicyPlan, configs: readonly Config[]): Finding[] {
  const { settings } = policy
  if (!isBesideOperator(policy)) return []
  const isOurs = carriesOperatorMark(settings)
  const { subject } = settings
  const name = subject.metadata.name
  const on = configs.find(({ isOn }) => isOn === true)
  if (on !== undefined) {
    const place = { subject: on.object, field: { path: 'data.config.json' } }
    const sentence = `${name}: ConfigMap ${on.object.metadata.name} has nodeAgentAutoscaler.enabled: true`
    const { key, value } = OPERATOR_MARK
    return isOurs
      ? [finding('OperatorAutoscalerLive', `${sentence}, and the rendered DaemonSets carry ${key}=${value}`, place)]
      : [finding('OperatorBeside', sentence, place)]
  }
  if (!isOurs || configs.some(({ isOn }) => isOn === false)) return []
  const found = configs[0]?.object.metadata.name
  const why =
    found === undefined
      ? 'the package has no configuration of the operator'
      : `data.config.json of ConfigMap ${found} is not JSON`
  const command = `kubectl -n ${namespaceOf(policy) ?? 'kubescape'} get configmap operator -o jsonpath='{.data.config\\.json}'`
  const sentence = `${name}: ${why}; ${command} must not show nodeAgentAutoscaler.enabled: true`
  const mend = 'Write it as the chart prints it; or check with the command, and set this code to off.'
  return [finding('OperatorNotSeen', sentence, found === undefined ? { subject } : { subject, mend })]
}

/**
 * Reports a template that mounts ClamAV's socket without a ClamAV container. The chart renders it so in autoscaler
 * mode, whatever its values (research: kubescape H39). It is a fault only if the agent's configuration in the package
 * enables malware detection.
 */
function scannerMissing(policy: PolicyPlan, items: readonly Item[]): Finding[] {
  const { template } = policy
  const subject = template?.item.object
  if (template === undefined || subject?.kind !== 'ConfigMap') return []
  const config = items.find(({ object }) => isMalwareDetected(object) === true && isIn(object, namespaceOf(policy)))
  if (config === undefined) return []
  const { containers = [], initContainers } = template.daemonSet.spec.template.spec ?? {}
  const all = [...containers, ...(initContainers ?? [])]
  const mounts = all.flatMap(({ volumeMounts }) => volumeMounts ?? [])
  const isMounted = mounts.some((mount) => /^\/clamav(\/|$)/.test(scalarText(mount?.mountPath)))
  if (!isMounted || all.some(({ name }) => scalarText(name).includes('clamav'))) return []
  const { name } = config.object.metadata
  const sentence = `${describe(subject)} mounts /clamav but has no ClamAV container, and ConfigMap ${name} has malwareDetectionEnabled: true`
  return [finding('ScannerMissing', sentence, { subject })]
}

/**
 * Reports a new default group under the name by which the operator runs the nodes with an empty label value (research:
 * kubescape N4): its DaemonSet cannot be updated to the default group's selector. Where another value has that name
 * too, the operator adds hashes, and NameCollision is reported.
 */
function emptyValueFindings({ settings, template, groups }: PolicyPlan): Finding[] {
  if (template === undefined || settings.target.kind !== 'ConfigMap') return []
  const empty = groups.find(
    ({ group: { kind, value, members } }) => kind === 'value' && value === '' && members.length > 0,
  )
  const operators = plainName(template.naming, sanitize(''))
  const met = groups.find(({ group, name }) => group.kind === 'default' && name.name === operators)
  if (empty === undefined || met === undefined || met.before !== undefined) return []
  const { subject, groupLabels, defaultNodeGroup } = settings
  const namespace = namespaceOf({ settings, template }) ?? 'kubescape'
  const sentence = `${subject.metadata.name}: nodes have an empty ${groupLabels.join(', ')}: the operator runs them as ${operators} of ${namespace}, and the default group has that name`
  const field = { path: 'spec.defaultNodeGroup', currentValue: defaultNodeGroup, proposedValue: 'unlabelled' }
  return [finding('OperatorNameTaken', sentence, { subject, field })]
}

/**
 * A value of the operator and the policy's value for it: undefined if the policy does not set it, null if it disables
 * it.
 */
export interface DifferingValue {
  readonly path: string
  readonly theirs: unknown
  readonly ours: unknown
}

/**
 * Reports each value of the operator's configuration that differs in a policy for its template. Only values in the
 * configuration are compared: the chart renders its defaults into it, and those may differ from the defaults of a
 * policy.
 */
function differsFromOperator(settings: SizingSettings, config: KubernetesObject): Finding[] {
  const { subject } = settings
  return differingFromPolicy(settings, config).map(({ path, theirs, ours }) => {
    const sentence = `${subject.metadata.name}: spec.${path} is ${valueWord(ours)}, but ${valueWord(theirs)} in ConfigMap ${config.metadata.name}`
    const field = { path: `spec.${path}`, currentValue: ours, proposedValue: theirs }
    return finding('OperatorConfigDiffers', sentence, { subject, field })
  })
}

/** Returns the values of the operator's configuration that differ in a policy. */
export function differingFromPolicy(settings: SizingSettings, config: KubernetesObject): DifferingValue[] {
  const { ruleText, groupLabels, rangeBounds, goMemLimit } = settings
  return differingValues(operatorValues(config) ?? {}, {
    ...ruleText,
    nodeGroupLabel: `${rangeBounds === undefined ? '' : 'ranges of '}${groupLabels.join(', ')}`,
    defaultNodeGroup: settings.defaultNodeGroup,
    goMemLimitPercentage: goMemLimit && Number(goMemLimit.numerator) / Number(goMemLimit.denominator),
    seLinuxType: settings.seLinuxType,
    bottlerocketAutoDetect: settings.bottlerocketAutoDetect,
    reconcileInterval: memberOf(memberOf(settings.subject, 'spec'), 'reconcileInterval'),
  })
}

/** Returns the values of one configuration that differ in another, without those that only one of them has. */
export function differingInBoth(theirs: KubernetesObject, ours: KubernetesObject): DifferingValue[] {
  const differing = differingValues(operatorValues(theirs) ?? {}, operatorValues(ours) ?? {})
  return differing.filter((value) => value.ours !== undefined)
}

function differingValues(theirs: OperatorValues, ours: object): DifferingValue[] {
  const { resourcePercentages, minResources, maxResources, ...values } = theirs
  const blocks = { resourcePercentages, minResources, maxResources }
  const all = [
    // a render has no clock, so a policy without an interval does not differ in it
    ...Object.entries(values)
      .filter(([path]) => path !== 'reconcileInterval' || memberOf(ours, path) !== undefined)
      .map(([path, value]) => ({ path, theirs: value, ours: memberOf(ours, path) })),
    ...Object.entries(blocks).flatMap(([block, values]) =>
      Object.entries(values ?? {}).map(([name, value]) => {
        return { path: `${block}.${name}`, theirs: value, ours: memberOf(memberOf(ours, block), name) }
      }),
    ),
  ]
  return all.filter((value) => !isSameValue(value))
}

/** How values are compared, by their path or its first part; others as texts. */
const SAME: Record<string, (one: string, other: string) => boolean> = {
  goMemLimitPercentage: isSameNumber,
  reconcileInterval: isSameDuration,
  resourcePercentages: isSameNumber,
  minResources: isSameQuantity,
  maxResources: isSameQuantity,
}

function isSameValue({ path, theirs, ours }: DifferingValue): boolean {
  if (ours === undefined || ours === null) return false
  const isSame = SAME[path.split('.')[0] ?? ''] ?? isSameText
  try {
    return isSame(scalarText(theirs), scalarText(ours))
  } catch (error) {
    // the operator cannot read such a value either
    if (error instanceof KubeError || error instanceof RangeError) return false
    throw error
  }
}

function isSameText(one: string, other: string): boolean {
  return one === other
}

function isSameNumber(one: string, other: string): boolean {
  const [first, second] = [decimal(Number(one)), decimal(Number(other))]
  return first.numerator * second.denominator === second.numerator * first.denominator
}

function isSameQuantity(one: string, other: string): boolean {
  return Quantity.parse(one).compare(Quantity.parse(other)) === 0
}

function isSameDuration(one: string, other: string): boolean {
  return parseDuration(one) === parseDuration(other)
}

/** Formats a value for a sentence. */
export function valueWord(value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return value === '' ? 'empty' : scalarText(value)
}

const MOST_NAMES = 20

/**
 * Returns the DaemonSets that the operator created, that nodefit does not own, and that are not local configuration.
 */
function madeByOperator(items: readonly Item[]): Item[] {
  return items.filter(
    ({ object }) =>
      object.apiVersion === 'apps/v1' &&
      object.kind === 'DaemonSet' &&
      ownerOf(object) === undefined &&
      !isLocalConfig(object.metadata.annotations) &&
      isMadeByOperator(object),
  )
}

/**
 * Reports DaemonSets of the package that the operator created, since they would be applied next to the rendered ones;
 * nodefit does not take them over. In the cluster, a DaemonSet with the name and selector of a group is updated in
 * place. The others remain: those whose name no group has, and those with another selector, which cannot change (the
 * operator's selector for an empty label value is an example).
 */
function leftByOperator(policy: PolicyPlan, made: readonly Item[]): Finding[] {
  const namespace = namespaceOf(policy)
  const left = made.filter((item) => item !== policy.template?.item && isIn(item.object, namespace))
  const objects = left.map(({ object }) => object).sort((one, other) => (objectName(one) < objectName(other) ? -1 : 1))
  const inPlace = objects.filter((object) => rivalOf(object, policy) === 'same')
  const behind = objects.filter((object) => !inPlace.includes(object))
  return [...behindFindings(policy, behind), ...inPlaceFindings(policy, inPlace)]
}

function behindFindings(policy: PolicyPlan, behind: readonly KubernetesObject[]): Finding[] {
  const [first] = behind
  if (first === undefined) return []
  const fixed = behind.filter((object) => rivalOf(object, policy) === 'fixed')
  const why = fixed.length === 0 ? '' : ` (${listed(fixed)}: the selector differs and cannot change)`
  const names = behind.map(objectName).join(' ')
  const command = `kubectl -n ${first.metadata.namespace ?? 'kubescape'} delete daemonset ${names}`
  const sentence = `${objectName(policy.settings.subject)}: the operator created ${listed(behind)}, which no group replaces${why}`
  return [finding('OperatorLeftover', `${sentence}; run ${command}`, { subject: first })]
}

function inPlaceFindings(policy: PolicyPlan, inPlace: readonly KubernetesObject[]): Finding[] {
  const [first] = inPlace
  if (first === undefined) return []
  const sentence = `${objectName(policy.settings.subject)}: the operator created ${listed(inPlace)}, which groups with the same name and selector update in place: leave them in the cluster`
  return [finding('OperatorLeftover', sentence, { subject: first })]
}

/**
 * Returns `same` if a group has the name and selector of an object, `fixed` if only its name, else `none`; the selector
 * of a DaemonSet cannot change.
 */
function rivalOf(object: KubernetesObject, { planned }: PolicyPlan): 'same' | 'fixed' | 'none' {
  const rival = planned.objects.find((one) => one.object.metadata.name === object.metadata.name)?.object
  if (rival === undefined) return 'none'
  return isDeepEqual(memberOf(rival.spec, 'selector'), memberOf(object.spec, 'selector')) ? 'same' : 'fixed'
}

function listed(objects: readonly KubernetesObject[]): string {
  return listNames(objects.map(objectName), MOST_NAMES)
}

function objectName({ metadata }: { metadata: { name: string } }): string {
  return metadata.name
}

/** Returns the namespace that a policy renders to; undefined if neither the policy nor its template sets one. */
export function namespaceOf({ settings, template }: Pick<PolicyPlan, 'settings' | 'template'>): string | undefined {
  return settings.subject.metadata.namespace ?? template?.daemonSet.metadata.namespace
}

/** Whether an object may be in the namespace; true if either of them is not set. */
export function isIn({ metadata }: KubernetesObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
}
