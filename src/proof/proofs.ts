import type { Outcome } from '../change/index.ts'
import type { Finding } from '../finding/index.ts'
import { isRenderConfig } from '../policy/index.ts'
import type { Planned, World } from '../world/index.ts'
import { autoscalerFindings } from './autoscaler/autoscaler.ts'
import { besideFindings } from './beside-template.ts'
import { coverageFindings } from './coverage.ts'
import { duplicateAgentFindings } from './duplicate-agents.ts'
import { fitFindings } from './fit/fit.ts'
import { guardFindings } from './guards.ts'
import { outputConflictFindings } from './output-conflicts.ts'
import { otherRunFindings, overlapFindings } from './overlap.ts'
import { deletionFindings, rolloutFindings } from './rollout.ts'
import { selectorFindings } from './selectors-meet.ts'
import { substitutionFindings } from './substitution.ts'

/** Reports what keeps a plan from being carried out: subjects that render the same objects, or for the same nodes. */
export function planFindings(planned: readonly Planned[], world: World): Finding[] {
  return [
    ...outputConflictFindings(planned, world),
    ...overlapFindings(planned, world),
    ...otherRunFindings(planned, world),
  ]
}

/** Reports what does not hold in a package after the change, whichever planner planned it. */
export function proofs(outcome: Outcome, world: World): Finding[] {
  const { planned, orphaned, changes, items } = outcome
  const { fleets } = world
  return [
    ...coverageFindings(planned, fleets, {
      plansAllSubjects: world.plansAllSubjects,
      accepted: world.options.holes,
      isConfigOfPackage: world.items.some(({ object }) => isRenderConfig(object)),
    }),
    ...besideFindings(planned),
    ...duplicateAgentFindings(planned, outcome),
    ...selectorFindings(planned, items),
    ...fitFindings(planned, items, world),
    ...substitutionFindings(planned, world),
    ...autoscalerFindings(planned, items, world),
    ...guardFindings(planned, orphaned, world),
    ...deletionFindings(changes, world),
    ...planned.flatMap(rolloutFindings),
  ]
}
