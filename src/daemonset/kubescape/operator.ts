/** What Kubescape's operator, and its chart in other modes, do beside a policy that renders its node agent. */
import { type Finding, listNames } from '../../finding/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import { ownerOf } from '../../krm/ownership.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { World } from '../../world/index.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { isAutoscalerOn, isOperatorConfig } from './operator-config.ts'
import { carriesOperatorMark, isMadeByOperator, OPERATOR_MARK } from './operator-mark.ts'

const MOST_NAMES = 20

/** What stands in a package beside the policies, looked for once. */
interface Beside {
  /** The configurations of the operator, and whether its autoscaler is on in them. */
  readonly configs: ReadonlyArray<{ object: KubernetesObject; isOn?: boolean }>
  /** DaemonSets that the operator made, and that are applied. */
  readonly madeByOperator: readonly Item[]
}

/** Everything about the operator, for each policy in turn; nothing for one that is disabled or suspended. */
export function besideOperator(policies: readonly PolicyPlan[], { items }: World): Finding[][] {
  const configs = items.filter(({ object }) => isOperatorConfig(object))
  const beside = {
    configs: configs.map(({ object }) => ({ object, isOn: isAutoscalerOn(object) })),
    madeByOperator: items.filter((item) => isForeignDaemonSet(item) && isMadeByOperator(item.object)),
  }
  return policies.map((policy) =>
    policy.settings.enabled && !policy.settings.suspended
      ? [...secondMaster(policy, beside), ...leftByOperator(policy, beside)]
      : [],
  )
}

/**
 * The operator's loop takes every DaemonSet with its label for its own: it overwrites them and deletes those it has no
 * group for (research: kubescape section 1.10). A loop that is on is an error, one that cannot be seen a warning.
 */
function secondMaster(policy: PolicyPlan, { configs: all }: Beside): Finding[] {
  const { settings } = policy
  const isOurs = carriesOperatorMark(settings)
  if (!isOurs && settings.target.kind !== 'ConfigMap') return []
  const { subject } = settings
  const name = subject.metadata.name
  const namespace = namespaceOf(policy)
  const configs = all.filter(({ object }) => isIn(object, namespace))
  const on = configs.find(({ isOn }) => isOn === true)
  if (on !== undefined) {
    const place = { subject: on.object, field: { path: 'data.config.json' } }
    const sentence = `${name}: ConfigMap ${on.object.metadata.name} has nodeAgentAutoscaler.enabled: true`
    const { key, value } = OPERATOR_MARK
    return isOurs
      ? [finding('OperatorAutoscalerLive', `${sentence}, and what is rendered carries ${key}=${value}`, place)]
      : [finding('OperatorBeside', sentence, place)]
  }
  if (!isOurs || configs.some(({ isOn }) => isOn === false)) return []
  const found = configs[0]?.object.metadata.name
  const why =
    found === undefined ? 'no configuration of the operator is in the package' : `ConfigMap ${found} is not JSON`
  const command = `kubectl -n ${namespace ?? 'kubescape'} get configmap operator -o jsonpath='{.data.config\\.json}'`
  const sentence = `${name}: ${why}; ${command} must not show nodeAgentAutoscaler.enabled: true`
  return [finding('OperatorNotSeen', sentence, { subject })]
}

/** What the operator made is in the package and would be applied beside what is rendered; it is never taken over. */
function leftByOperator(policy: PolicyPlan, { madeByOperator }: Beside): Finding[] {
  const left = besides(policy, madeByOperator)
  const [first] = left
  if (first === undefined) return []
  const namespace = first.metadata.namespace ?? 'kubescape'
  const names = left.map(({ metadata }) => metadata.name).sort()
  const sentence = `${policy.settings.subject.metadata.name}: the operator made ${listNames(names, MOST_NAMES)}, and they are in the package`
  const command = `kubectl -n ${namespace} delete daemonset ${names.join(' ')}`
  return [finding('OperatorLeftover', `${sentence}; ${command}`, { subject: first })]
}

/** The objects that may be in the policy's namespace, without its own template. */
function besides(policy: PolicyPlan, items: readonly Item[]): KubernetesObject[] {
  const namespace = namespaceOf(policy)
  return items
    .filter((item) => item !== policy.template?.item && isIn(item.object, namespace))
    .map(({ object }) => object)
}

function isForeignDaemonSet({ object }: Item): boolean {
  const { apiVersion, kind, metadata } = object
  return (
    apiVersion === 'apps/v1' &&
    kind === 'DaemonSet' &&
    ownerOf(object) === undefined &&
    !isLocalConfig(metadata.annotations)
  )
}

function namespaceOf({ settings, template }: PolicyPlan): string | undefined {
  return settings.subject.metadata.namespace ?? template?.daemonSet.metadata.namespace
}

/** Whether an object may be in the namespace; one that does not say its own may be in any. */
function isIn({ metadata }: KubernetesObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
}
