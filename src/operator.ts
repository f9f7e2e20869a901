/** What Kubescape's operator, and its chart in other modes, do beside a policy that renders its node agent. */
import type { DaemonSet } from './daemonset/index.ts'
import { type Finding, finding, listNames } from './finding/index.ts'
import { isLocalConfig } from './krm/annotation.ts'
import { ownerOf } from './krm/ownership.ts'
import type { KubernetesObject } from './krm/types.ts'
import type { PolicyPlan } from './plan-policy.ts'
import type { SizingSettings } from './policy/index.ts'
import type { Scope } from './scope/index.ts'

const MANAGED_BY = { key: 'kubescape.io/managed-by', value: 'operator-autoscaler' }
const CONFIG_KEY = 'config.json'
const CONFIG_NAME = 'operator'
const SECTION = 'nodeAgentAutoscaler'
/** What the operator's configuration reader takes for true. */
const TRUE = new Set(['1', 't', 'true'])
const MOST_NAMES = 20

/** Everything about the operator, for every policy that renders; none for one that is disabled. */
export function besideOperator(policies: readonly PolicyPlan[], scope: Scope): Finding[] {
  return policies
    .filter(({ settings }) => settings.enabled)
    .flatMap((policy) => [
      ...secondMaster(policy, scope),
      ...leftByOperator(policy, scope),
      ...sameAgent(policy, scope),
    ])
}

/**
 * The operator's loop takes every DaemonSet with its label for its own: it overwrites them and deletes those it has no
 * group for (research: kubescape section 1.10). A loop that is on is an error, one that cannot be seen a warning.
 */
function secondMaster(policy: PolicyPlan, { items }: Scope): Finding[] {
  const { settings } = policy
  const isOurs = hasOperatorsLabel(settings)
  if (!isOurs && settings.target.kind !== 'ConfigMap') return []
  const { subject } = settings
  const name = subject.metadata.name
  const namespace = namespaceOf(policy)
  const configs = items
    .map(({ object }) => object)
    .filter((object) => isConfig(object) && isIn(object, namespace))
    .map((object) => ({ object, isOn: isAutoscalerOn(object) }))
  const on = configs.find(({ isOn }) => isOn === true)
  if (on !== undefined) {
    const { metadata } = on.object
    if (!isOurs) {
      const sentence = `${name}: ConfigMap ${metadata.name} has ${SECTION}.enabled: true`
      return [finding('OperatorBeside', sentence, { subject: on.object, field: { path: `data.${CONFIG_KEY}` } })]
    }
    const sentence = `${name}: ConfigMap ${metadata.name} has ${SECTION}.enabled: true, and what is rendered carries ${MANAGED_BY.key}=${MANAGED_BY.value}`
    return [finding('OperatorAutoscalerLive', sentence, { subject: on.object, field: { path: `data.${CONFIG_KEY}` } })]
  }
  if (!isOurs || configs.some(({ isOn }) => isOn === false)) return []
  const found = configs[0]?.object.metadata.name
  const why =
    found === undefined ? 'no configuration of the operator is in the package' : `ConfigMap ${found} is not JSON`
  const command = `kubectl -n ${namespace ?? 'kubescape'} get configmap ${CONFIG_NAME} -o jsonpath='{.data.config\\.json}'`
  return [finding('OperatorNotSeen', `${name}: ${why}; ${command} must not show ${SECTION}.enabled: true`, { subject })]
}

/** What the operator made is in the package and would be applied beside what is rendered; it is never taken over. */
function leftByOperator(policy: PolicyPlan, scope: Scope): Finding[] {
  const left = foreignDaemonSets(policy, scope).filter(isMadeByOperator)
  const [first] = left
  if (first === undefined) return []
  const namespace = first.metadata.namespace ?? 'kubescape'
  const names = left.map(({ metadata }) => metadata.name).sort()
  const sentence = `${policy.settings.subject.metadata.name}: the operator made ${listNames(names, MOST_NAMES)}, and they are in the package`
  const command = `kubectl -n ${namespace} delete daemonset ${names.join(' ')}`
  return [finding('OperatorLeftover', `${sentence}; ${command}`, { subject: first })]
}

/** Another DaemonSet with the same agent would put a second one on each node, and select the pods of ours. */
function sameAgent(policy: PolicyPlan, scope: Scope): Finding[] {
  const { target, baseName } = policy.settings
  const labels = policy.template?.daemonSet.spec.selector.matchLabels ?? {}
  if (target.kind !== 'ConfigMap') return []
  const isSame = (object: KubernetesObject) => object.metadata.name === baseName || carries(object, labels)
  const others = foreignDaemonSets(policy, scope).filter((object) => !isMadeByOperator(object) && isSame(object))
  return others.map((subject) => {
    const sentence = `${policy.settings.subject.metadata.name}: DaemonSet ${subject.metadata.name} runs the same agent beside the groups`
    return finding('AgentTwice', sentence, { subject })
  })
}

/** DaemonSets of the policy's namespace that are applied and not ours. */
function foreignDaemonSets(policy: PolicyPlan, { items }: Scope): KubernetesObject[] {
  const namespace = namespaceOf(policy)
  return items
    .filter((item) => item !== policy.template?.item)
    .map(({ object }) => object)
    .filter(
      (object) =>
        object.apiVersion === 'apps/v1' &&
        object.kind === 'DaemonSet' &&
        ownerOf(object) === undefined &&
        !isLocalConfig(object.metadata.annotations) &&
        isIn(object, namespace),
    )
}

function isMadeByOperator({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[MANAGED_BY.key] === MANAGED_BY.value
}

function carries(object: KubernetesObject, labels: Record<string, string>): boolean {
  const own = (object as DaemonSet).spec?.template?.metadata?.labels ?? {}
  const wanted = Object.entries(labels)
  return wanted.length > 0 && wanted.every(([key, value]) => own[key] === value)
}

function hasOperatorsLabel({ managedBy }: SizingSettings): boolean {
  return managedBy.key === MANAGED_BY.key && managedBy.value === MANAGED_BY.value
}

function namespaceOf({ settings, template }: PolicyPlan): string | undefined {
  return settings.subject.metadata.namespace ?? template?.daemonSet.metadata.namespace
}

/** Whether an object may be in the namespace; one that does not say its own may be in any. */
function isIn({ metadata }: KubernetesObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
}

/** The chart's other components keep a config.json, too: the operator's is known by its name, or by the section. */
function isConfig(object: KubernetesObject): boolean {
  if (object.apiVersion !== 'v1' || object.kind !== 'ConfigMap') return false
  const text = textOf(object)
  return text !== undefined && (object.metadata.name === CONFIG_NAME || member(parsed(text), SECTION) !== undefined)
}

/** Undefined where the text is not JSON. A configuration without the section has the operator's default, which is off. */
function isAutoscalerOn(object: KubernetesObject): boolean | undefined {
  const config = parsed(textOf(object) ?? '')
  if (config === undefined) return undefined
  const enabled = member(member(config, SECTION), 'enabled')
  return typeof enabled === 'number' ? enabled !== 0 : TRUE.has(String(enabled).toLowerCase())
}

function textOf({ data }: KubernetesObject): string | undefined {
  const text = (data as Record<string, unknown> | null | undefined)?.[CONFIG_KEY]
  return typeof text === 'string' ? text : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

/** A member by name; like the operator's reader it does not mind the case. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}
