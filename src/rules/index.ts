import type { CodeDefinition, Finding } from '../krm/finding.ts'
import { autoscaler } from './autoscaler/autoscaler.ts'
import { belowEarlier } from './below-earlier.ts'
import { besideTemplate } from './beside-template.ts'
import { coverage } from './coverage.ts'
import { deletion } from './deletion.ts'
import { duplicateAgents } from './duplicate-agents.ts'
import { fit } from './fit/fit.ts'
import { guards } from './guards.ts'
import { outputConflicts } from './output-conflicts.ts'
import { overlap } from './overlap.ts'
import { rollout } from './rollout.ts'
import type { PlanReview, Review, Rule } from './rule.ts'
import { secrets } from './secrets.ts'
import { selectorsMeet } from './selectors-meet.ts'
import { sizedElsewhere } from './sized-elsewhere.ts'
import { substitution } from './substitution.ts'

export { type Lot, lotsIn, roomIn } from './fit/other-pods.ts'

/** What keeps a plan from being carried out: subjects that render the same objects, or for the same nodes. */
const OF_PLANS = [outputConflicts, overlap] as const satisfies readonly Rule<PlanReview>[]

/** What must hold in a package after the change, in the order in which it is reported. */
const OF_PACKAGES = [
  coverage,
  besideTemplate,
  belowEarlier,
  duplicateAgents,
  selectorsMeet,
  sizedElsewhere,
  fit,
  substitution,
  autoscaler,
  guards,
  deletion,
  secrets,
  rollout,
] as const satisfies readonly Rule[]

type All = (typeof OF_PLANS)[number] | (typeof OF_PACKAGES)[number]
type CodesIn<One> = One extends { readonly codes: infer Table } ? keyof Table & string : never

/** The codes of all rules. */
export const RULE_CODES: Readonly<Record<CodesIn<All>, CodeDefinition>> = Object.assign(
  {},
  ...[...OF_PACKAGES, ...OF_PLANS].map(({ codes }) => codes),
)

/** Reports what keeps a plan from being carried out. */
export function planFindings(review: PlanReview): Finding[] {
  return OF_PLANS.flatMap(({ check }) => check(review))
}

/** Reports what does not hold in a package after the change. */
export function packageFindings(review: Review): Finding[] {
  return OF_PACKAGES.flatMap(({ check }) => check(review))
}
