import { isLocalConfig } from '../../../krm/annotation.ts'
import { type Finding, listNames } from '../../../krm/finding/index.ts'
import { isDeepEqual, memberOf } from '../../../krm/map.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { isMadeByOperator } from './operator-config.ts'

const MOST_NAMES = 20

/**
 * Returns the DaemonSets that the operator created, that nodefit does not own, and that are not local configuration.
 */
export function madeByOperator(items: readonly Item[]): Item[] {
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
export function leftByOperator(policy: PolicyPlan, made: readonly Item[]): Finding[] {
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
