import { type Finding, listNames } from '../../finding/index.ts'
import { isLocalConfig } from '../../krm/annotation.ts'
import { isDeepEqual, memberOf } from '../../krm/map.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { isMadeByOperator } from './operator-config.ts'

const MOST_NAMES = 20

/** The DaemonSets among the items that the operator made, and that would be applied. */
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
 * What the operator made is in the package and would be applied beside what is rendered; it is never taken over there.
 * In the cluster it is updated in place where a group has its name and selector, and only the others stay behind: of no
 * such group, or with a selector that cannot change, as the operator's for an empty label value.
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

/** Whether a group has the name of an object: with the same selector, or with another, which is fixed. */
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

/** The namespace a policy renders to, where it or its template says one. */
export function namespaceOf({ settings, template }: PolicyPlan): string | undefined {
  return settings.subject.metadata.namespace ?? template?.daemonSet.metadata.namespace
}

/** Whether an object may be in the namespace; one that does not say its own may be in any. */
export function isIn({ metadata }: KubernetesObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace
}
