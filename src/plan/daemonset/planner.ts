import { indexBy, once, type Planner, type World } from '../../core/index.ts'
import {
  isSizingPolicy,
  NODEFIT,
  NODEFIT_GROUP,
  readSizingPolicy,
  type SizingSettings,
  targetKindOf,
} from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { identityOf } from '../../krm/identity.ts'
import { ABSENT_SINCE, CHANGED, NODES, ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { type PodSpec, type Region, regionOfPod, unlessMalformed } from '../../kube/index.ts'
import { nameKeyAmong, namesText, plainName, SIZING_CODES, sanitize, USAGE_CODES } from '../sizing/index.ts'
import { DAEMONSET_CODES, finding, ROLLOUT_CODES } from './codes.ts'
import { KUBESCAPE_CODES } from './kubescape/codes.ts'
import { driftOf } from './kubescape/drift.ts'
import { besideOperator } from './kubescape/operator.ts'
import { type PolicyPlan, type PolicySource, planPolicy, sourceOf } from './plan-policy.ts'
import { carriesSelector } from './selector.ts'
import type { DaemonSet } from './template.ts'

/** Sizes DaemonSets: one per node group, from a static DaemonSet or from the template of Kubescape's chart. */
export const daemonSetPlanner = {
  codes: { ...SIZING_CODES, ...USAGE_CODES, ...DAEMONSET_CODES, ...ROLLOUT_CODES, ...KUBESCAPE_CODES },
  schemas: [{ apiVersion: NODEFIT, kind: 'SizingPolicy' }],
  summary: () => 'PolicySummary',
  asksFor: 'SizingPolicy',
  volatile: [NODES, CHANGED, ABSENT_SINCE],
  leaves: () => 'removed',
  claims: ({ object }) => isSizingPolicy(object) && targetKindOf(object) !== 'Order',
  isInput: ({ object }) => isSizingPolicy(object),
  read: (subject) => {
    const { settings, findings } = readSizingPolicy(subject.object)
    return settings === undefined ? { findings } : { value: { subject, settings }, findings }
  },
  plan: (policies, world) => {
    const plans = planInTurn(policies, world)
    const beside = besideOperator(plans, world)
    return plans.map((one, index) => ({
      ...one.planned,
      findings: [...one.planned.findings, ...(beside[index] ?? [])],
      drift: driftOf(one, world),
    }))
  },
} as const satisfies Planner<Policy>

/** A policy with its item. */
export interface Policy {
  readonly subject: Item
  readonly settings: SizingSettings
}

interface Found extends Policy {
  readonly source: PolicySource
}

/**
 * Plans policies one after another. Policies that render from the same template do not use each other's names and group
 * labels: a policy with earlier output keeps its own, and a new one gets a hash. If all of them are new, none gets a
 * hash, and NameCollision reports equal names: a hash would rename groups as soon as another policy is added, if the
 * earlier output is not in the input.
 */
function planInTurn(policies: readonly Policy[], world: World): PolicyPlan[] {
  const found = policies.map((policy): Found => ({ ...policy, source: sourceOf(policy.settings, world) }))
  const knownOf = indexBy(found.filter(isKnown), ({ source }) => source.template?.item)
  const rivalsOf = ({ source: { template }, ...one }: Found) =>
    (template && knownOf.get(template.item)?.filter(({ subject }) => subject !== one.subject)) ?? []
  const plans = new Map<Found, PolicyPlan>()
  for (const one of [...found.filter(isKnown), ...found.filter((other) => !isKnown(other))]) {
    const rivals = rivalsOf(one)
    const now = rivals.flatMap((rival) => plans.get(rival)?.planned.objects ?? [])
    const before = [...rivals.flatMap(({ source }) => source.earlier), ...ofOtherRuns(one, world)]
    const taken = [...before, ...now].map(({ object }) => object)
    const isAdopted = one.source.earlier.length > 0 || before.length > 0
    plans.set(one, planPolicy(one, world, { ...one.source, taken, isAdopted }))
  }
  const ofItem = new Map<Item, PlansBefore>()
  return found.flatMap((one) => {
    const plan = plans.get(one)
    const item = one.source.template?.item
    if (plan === undefined || item === undefined) return plan ?? []
    const before = ofItem.get(item) ?? noPlans()
    ofItem.set(item, before)
    const findings = collisionFindings(plan, before)
    addPlan(before, plan)
    return [withFindings(plan, findings)]
  })
}

/** Whether the input contains earlier output of a policy. */
function isKnown({ source }: Found): boolean {
  return source.earlier.length > 0
}

/**
 * Returns the DaemonSets that runs for other policies rendered from the same template; empty if this run plans all
 * policies.
 */
function ofOtherRuns({ source: { template, earlier } }: Found, world: World): Item[] {
  if (world.plansAllSubjects || template === undefined) return []
  const ofPolicy = new Set(earlier)
  const { namespace } = template.daemonSet.metadata
  return world.items.filter(
    (item) =>
      ownerOf(item.object) !== undefined &&
      !ofPolicy.has(item) &&
      item.object.kind === 'DaemonSet' &&
      (namespace === undefined || item.object.metadata.namespace === namespace) &&
      carriesSelector(item.object, template.daemonSet),
  )
}

function withFindings(plan: PolicyPlan, findings: PolicyPlan['planned']['findings']): PolicyPlan {
  return { ...plan, planned: { ...plan.planned, findings: [...plan.planned.findings, ...findings] } }
}

const LABEL_BASE = 50

interface Known {
  readonly index: number
  region(): Region
}

/** The plans of one template so far, in order. */
interface PlansBefore {
  readonly plans: PolicyPlan[]
  /** By identity and then by placement: the first plan with such an object. */
  readonly byIdentity: Map<string, Map<string, Known>>
  readonly names: Set<string>
  readonly nodeGroupKeys: Set<string>
}

function noPlans(): PlansBefore {
  return { plans: [], byIdentity: new Map(), names: new Set(), nodeGroupKeys: new Set() }
}

/** Adds a plan to those before. */
function addPlan({ plans, byIdentity, names, nodeGroupKeys }: PlansBefore, plan: PolicyPlan): void {
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
function collisionFindings(plan: PolicyPlan, before: PlansBefore): Finding[] {
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
