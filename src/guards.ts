/** What a run may take away of what was rendered before. */
import { type Finding, finding } from './finding/index.ts'
import { isSame } from './krm/equality.ts'
import { pathOf } from './krm/identity.ts'
import { GROUP } from './krm/ownership.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import type { PolicyPlan } from './plan-policy.ts'
import type { Guards } from './policy/index.ts'
import type { OrderSettings } from './reservation/index.ts'
import type { Scope } from './scope/index.ts'
import { sizeOfGroup } from './sizing/index.ts'

/** Whether what was rendered before can be in the input: on hosts that keep files it is, else only where it is given. */
export function seesEarlier({ items }: Scope, past: readonly Item[]): boolean {
  return past.length > 0 || items.some((item) => pathOf(item) !== undefined)
}

/** Says it where the guards had nothing to be held against. */
export function guardsNotChecked(scope: Scope, past: readonly Item[]): Finding[] {
  const [source] = [...scope.policies, ...scope.orders]
  if (source === undefined || seesEarlier(scope, past)) return []
  return [finding('GuardsNotChecked', 'the input holds no earlier output', { subject: source.subject })]
}

/** The nodes with a Ticket of an Order may not fall by more than the guard allows. */
export function shrinkFindings(
  { name, subject }: Pick<OrderSettings, 'name' | 'subject'>,
  before: number,
  now: number,
  { maxShrinkPercent }: Guards,
): Finding[] {
  if (before === 0 || (before - now) * 100 <= maxShrinkPercent * before) return []
  const sentence = `${name}: ${before} nodes had a Ticket, ${now} would have one; maxShrinkPercent is ${maxShrinkPercent}`
  return [finding('GuardTripped', sentence, { subject, field: { path: 'spec.guards.maxShrinkPercent' } })]
}

/** The groups of a policy may not go, nor its pods restart, in greater number than the guards allow. */
export function groupFindings(policy: PolicyPlan, guards: Guards): Finding[] {
  const { settings, groups, earlier } = policy
  if (!settings.enabled || groups.length === 0) return []
  const { subject } = settings
  const before = earlier
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.annotations?.[GROUP] !== undefined)
  const names = new Set(groups.map(({ name }) => name.name))
  const gone = before.filter(({ metadata }) => !names.has(metadata.name)).length
  const findings: Finding[] = []
  if (gone > guards.maxGroupsRemoved(before.length))
    findings.push(
      finding('GuardTripped', `${subject.metadata.name}: ${gone} of ${before.length} groups would be removed`, {
        subject,
        field: { path: 'spec.guards.maxGroupsRemoved' },
      }),
    )
  const own = new Map(before.map((object) => [object.metadata.name, object]))
  const restarted = groups
    .filter(({ name, object }) => own.has(name.name) && !isSame(podOf(own.get(name.name)), podOf(object)))
    .reduce((sum, { group }) => sum + (group.id === 'remainder' ? 0 : sizeOfGroup(group)), 0)
  if (restarted > guards.maxPodsRestarted)
    findings.push(
      finding('GuardTripped', `${subject.metadata.name}: ${restarted} pods would be restarted`, {
        subject,
        field: { path: 'spec.guards.maxPodsRestarted' },
      }),
    )
  return findings
}

function podOf(object: KubernetesObject | undefined): unknown {
  return (object?.spec as { template?: unknown } | undefined)?.template
}
