import { once } from '../../core/index.ts'
import { NODEFIT_GROUP } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { identityOf } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type PodSpec, type Region, regionOfPod, unlessMalformed } from '../../kube/index.ts'
import { nameKeyAmong, namesText, plainName, sanitize } from '../sizing/index.ts'
import { finding } from './codes.ts'
import type { PolicyPlan } from './plan-policy.ts'
import type { DaemonSet } from './template.ts'

const LABEL_BASE = 50

interface Known {
  readonly index: number
  region(): Region
}

/** The plans of one template so far, in order. */
export interface PlansBefore {
  readonly plans: PolicyPlan[]
  /** By identity and then by placement: the first plan with such an object. */
  readonly byIdentity: Map<string, Map<string, Known>>
  readonly names: Set<string>
  readonly nodeGroupKeys: Set<string>
}

export function noPlans(): PlansBefore {
  return { plans: [], byIdentity: new Map(), names: new Set(), nodeGroupKeys: new Set() }
}

/** Adds a plan to those before. */
export function addPlan({ plans, byIdentity, names, nodeGroupKeys }: PlansBefore, plan: PolicyPlan): void {
  const index = plans.push(plan) - 1
  nodeGroupKeys.add(plan.settings.nodeGroupKey)
  for (const { object } of plan.planned.objects) {
    names.add(object.metadata.name)
    const identity = identityOf(object)
    const known = byIdentity.get(identity) ?? new Map<string, Known>()
    byIdentity.set(identity, known)
    const place = placeText(object)
    if (!known.has(place)) known.set(place, { index, region: once(() => regionOf(object)) })
  }
}

/**
 * Reports groups of a policy that have the names of another policy's groups, rendered from the same template. Proposes
 * spec.names for them, and a node group label if both policies use the same one, since the selectors would overlap too.
 * Does not report policies on the same nodes: another check does.
 */
export function collisionFindings(plan: PolicyPlan, before: PlansBefore): Finding[] {
  const { settings, template, planned, groups } = plan
  const first = planned.objects.flatMap(({ object }) => firstApart(object, before) ?? [])
  const rival = before.plans[Math.min(...first)]
  if (template === undefined || rival === undefined) return []
  const { name } = settings.subject.metadata
  const keyOf = nameKeyAmong(groups.map(({ group }) => group))
  const same = groups.filter((one) => before.names.has(one.name.name))
  const names = same.flatMap(({ group }) => {
    const key = keyOf(group)
    return key === undefined ? [] : [[key, plainName(template.naming, `${sanitize(name)}-${group.namePart}`)] as const]
  })
  // beside a label value of its name the default group has no key
  const isDefaultUnnamed = same.some(({ group }) => group.kind === 'default' && keyOf(group) === undefined)
  const defaultName = `${sanitize(name)}-${settings.defaultNodeGroup}`
  const label = `${NODEFIT_GROUP}${sanitize(name).slice(0, LABEL_BASE)}-node-group`
  const isLabelShared = before.nodeGroupKeys.has(settings.nodeGroupKey)
  const lines = [
    ...(names.length > 0 ? [namesText(names)] : []),
    ...(isDefaultUnnamed ? [`spec.defaultNodeGroup: ${defaultName}`] : []),
    ...(isLabelShared ? [`spec.labels.nodeGroup: ${label}`] : []),
  ].join(' and ')
  const who = rival.settings.subject.metadata.name
  const sentence = `${name}: ${same.length === 1 ? 'a group has the name' : `${same.length} groups have the names`} of groups of ${who}, which renders from the same template; in ${name} set ${lines}`
  const field =
    isDefaultUnnamed && names.length === 0
      ? { path: 'spec.defaultNodeGroup', currentValue: settings.defaultNodeGroup, proposedValue: defaultName }
      : {
          path: 'spec.names',
          currentValue: settings.names,
          proposedValue: { ...settings.names, ...Object.fromEntries(names) },
        }
  return [finding('NameCollision', sentence, { subject: settings.subject, field })]
}

/**
 * Returns the index of the first plan with an object of the same name on nodes that exclude those of this object;
 * undefined if there is none.
 */
function firstApart(object: KubernetesObject, { byIdentity }: PlansBefore): number | undefined {
  const region = once(() => regionOf(object))
  const known = byIdentity.get(identityOf(object))?.values() ?? []
  for (const one of known) if (!meet(region, one.region)) return one.index
  return undefined
}

/** Whether both regions may share a node; true if one cannot be read, which another check reports. */
function meet(one: () => Region, other: () => Region): boolean {
  return unlessMalformed(() => one().meets(other())) ?? true
}

function regionOf(object: KubernetesObject): Region {
  return regionOfPod(podOf(object))
}

/** Returns, as text, all fields that an object's region depends on. */
function placeText(object: KubernetesObject): string {
  const { nodeName, nodeSelector, affinity } = podOf(object)
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const place = [nodeName, nodeSelector, required]
  return JSON.stringify(place, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

function podOf(object: KubernetesObject): PodSpec {
  return (object as DaemonSet).spec.template.spec ?? {}
}
