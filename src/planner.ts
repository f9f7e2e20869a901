/** The entry `nodefit/planner`: what a planner of your own needs, and a run with it (docs/reference/library.md). */
import type { Planned } from './core/planned.ts'
import type { AnyPlanner as Any } from './core/planner.ts'
import { renderOf as renderWithAny } from './face/render.ts'
import type { ResourceList } from './krm/types.ts'
import type { Plan as AnyPlan, PlanOptions } from './rules/plan.ts'
import { PLANNERS as ALL, planOf as planWithAny } from './rules/run.ts'

/** The planners of nodefit, in the order in which they plan: each sees what those before it planned. */
export const PLANNERS: readonly Any[] = ALL

/** Returns a `plan` with these planners. A run of your own has those of nodefit before it: `[...PLANNERS, mine]`. */
export function planOf(planners: readonly Any[]): (list: ResourceList, options?: PlanOptions) => AnyPlan {
  return planWithAny(planners)
}

/** Returns a `render` with these planners, for `runFunction` of `nodefit/krm`. */
export function renderOf(planners: readonly Any[]): (list: ResourceList, options?: PlanOptions) => ResourceList {
  return renderWithAny(planners)
}

/** What one subject comes to, before it is compared with what is there. */
export type SubjectPlan = Planned

export type { Kustomization, Kustomizations, Patch } from './core/kustomizations.ts'
export { emptyPlanned, type LeaveReason, type Leaving } from './core/planned.ts'
export type { AnyPlanner, PlannedPackage, Planner, Schema } from './core/planner.ts'
export type { PlannerRegistry, World } from './core/world.ts'
export { mergeNodes } from './facts/inventory/fleet.ts'
export type { Live, LivePart, LiveTicket, UsageRow } from './facts/inventory/live.ts'
export type { DaemonPod, LiveNode } from './facts/inventory/live-nodes.ts'
export type { PendingPod, PendingPods } from './facts/inventory/pending.ts'
export type { LiveClaim, LiveMachine, LivePool, SnapshotClaims } from './facts/inventory/pools.ts'
export type { WorkloadSnapshot } from './kinds/generated/types.ts'
export type {
  AcceptedHole,
  AutoscalerOptions,
  Guards,
  KorderOptions,
  RenderOptions,
  TicketRollout,
} from './kinds/render-options.ts'
export type { Rollout } from './kinds/settings.ts'
export { type Codes, codesAbout, findingOf } from './krm/finding.ts'
export { ownerName } from './krm/remembered.ts'
