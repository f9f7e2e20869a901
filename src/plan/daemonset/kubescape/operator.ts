/** Checks of a policy that renders Kubescape's node agent against the operator and the other modes of its chart. */

import type { World } from '../../../core/index.ts'
import type { Finding } from '../../../krm/finding/index.ts'
import { describe } from '../../../krm/identity.ts'
import { scalarText } from '../../../krm/map.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { emptyValueFindings } from './empty-value.ts'
import { isIn, leftByOperator, madeByOperator, namespaceOf } from './left-behind.ts'
import {
  carriesOperatorMark,
  isAutoscalerOn,
  isMalwareDetected,
  isOperatorConfig,
  mayBeConfig,
  OPERATOR_MARK,
} from './operator-config.ts'
import { differsFromOperator } from './operator-differs.ts'

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
