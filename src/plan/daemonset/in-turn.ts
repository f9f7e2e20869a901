import { indexBy, type World } from '../../core/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { addPlan, collisionFindings, noPlans, type PlansBefore } from './names-apart.ts'
import { type PolicyPlan, type PolicySource, planPolicy, sourceOf } from './plan-policy.ts'
import { carriesSelector } from './selector.ts'

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
export function planInTurn(policies: readonly Policy[], world: World): PolicyPlan[] {
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
