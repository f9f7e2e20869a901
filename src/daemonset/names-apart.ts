import type { Finding } from '../finding/index.ts'
import { identityOf } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { KubeError, type Region, regionOfPod } from '../kube/index.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'
import { meaningAmong, plainName, sanitize } from '../sizing/index.ts'
import { finding } from './codes.ts'
import type { PolicyPlan } from './plan-policy.ts'
import type { DaemonSet } from './template.ts'

const LABEL_BASE = 50

/** What was planned of one template so far, in order, and its objects by what they are called. */
export interface PlansBefore {
  readonly plans: PolicyPlan[]
  readonly byIdentity: Map<string, Array<{ readonly index: number; readonly object: KubernetesObject }>>
}

/** Takes note of a plan. */
export function addPlan({ plans, byIdentity }: PlansBefore, plan: PolicyPlan): void {
  const index = plans.push(plan) - 1
  for (const { object } of plan.planned.objects) {
    const identity = identityOf(object)
    const known = byIdentity.get(identity)
    if (known === undefined) byIdentity.set(identity, [{ index, object }])
    else known.push({ index, object })
  }
}

/**
 * The groups of a policy that come to names of others that render from the same template, with what to write to tell them apart:
 * names for these groups, and a label of its own, since with one label the selectors would meet as well. Policies on the same nodes
 * are to be kept from each other, not told apart: that is said elsewhere.
 */
export function collisionFindings(plan: PolicyPlan, { plans: rivals, byIdentity }: PlansBefore): Finding[] {
  const { settings, template, planned, groups } = plan
  const first = planned.objects.flatMap(({ object }) =>
    (byIdentity.get(identityOf(object)) ?? []).flatMap((one) => (meet(object, one.object) ? [] : [one.index])),
  )
  const rival = rivals[Math.min(...first)]
  if (template === undefined || rival === undefined) return []
  const { name } = settings.subject.metadata
  const taken = new Set(rivals.flatMap((one) => one.planned.objects.map(({ object }) => object.metadata.name)))
  const meaning = meaningAmong(groups.map(({ group }) => group))
  const names = groups
    .filter((one) => taken.has(one.name.name))
    .map(({ group }) => {
      const [key = group.namePart] = meaning(group, group.aliases)
      return [key, plainName(template.naming, `${sanitize(name)}-${group.namePart}`)] as const
    })
  const label = `${NODEFIT_GROUP}${sanitize(name).slice(0, LABEL_BASE)}-node-group`
  const isLabelShared = rivals.some((one) => one.settings.nodeGroupKey === settings.nodeGroupKey)
  const written = names.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')
  const beside = isLabelShared ? ` and spec.labels.nodeGroup: ${label}` : ''
  const who = rival.settings.subject.metadata.name
  const sentence = `${name}: ${names.length === 1 ? 'a group comes' : `${names.length} groups come`} to names of ${who}, which renders from the same template; in ${name} write spec.names: { ${written} }${beside}`
  const proposedValue = { ...settings.names, ...Object.fromEntries(names) }
  const field = { path: 'spec.names', currentValue: settings.names, proposedValue }
  return [finding('NameCollision', sentence, { subject: settings.subject, field })]
}

/** Whether a node could be of both; of what cannot be read that is said elsewhere. */
function meet(one: KubernetesObject, other: KubernetesObject): boolean {
  try {
    return regionOf(one).meets(regionOf(other))
  } catch (error) {
    if (error instanceof KubeError) return true
    throw error
  }
}

function regionOf(object: KubernetesObject): Region {
  return regionOfPod((object as DaemonSet).spec.template.spec ?? {})
}
