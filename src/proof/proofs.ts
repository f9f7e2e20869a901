import type { Outcome } from '../change/index.ts'
import type { Finding } from '../finding/index.ts'
import type { Planned, World } from '../world/index.ts'
import { autoscalerFindings } from './autoscaler/autoscaler.ts'
import { besideFindings } from './beside/beside.ts'
import { coverageFindings } from './coverage/coverage.ts'
import { deletionFindings } from './deletion.ts'
import { duplicateAgentFindings } from './duplicate-agents.ts'
import { fitFindings } from './fit/fit.ts'
import { guardFindings } from './guards.ts'
import { otherRunFindings } from './others.ts'
import { outputConflictFindings } from './output-conflicts.ts'
import { overlapFindings } from './overlap.ts'
import { rolloutFindings } from './rollout.ts'
import { selectorFindings } from './selectors-meet.ts'
import { substitutionFindings } from './substitution.ts'

/**
 * What must hold of everything that was planned in a package, whatever planned it. Without an outcome the plan does not stand,
 * and only what may be the reason is looked at.
 */
export function proofs(planned: readonly Planned[], outcome: Outcome | undefined, world: World): Finding[] {
  const claims = [
    ...outputConflictFindings(planned, world),
    ...overlapFindings(planned, world),
    ...otherRunFindings(planned, world),
  ]
  // where two would render for the same nodes all else follows from that
  if (outcome === undefined || world.stops(claims)) return claims
  return [
    ...claims,
    ...coverageFindings(planned, world.fleets, world.plansAllSubjects),
    ...besideFindings(planned),
    ...duplicateAgentFindings(planned, outcome),
    ...selectorFindings(planned, outcome.items),
    ...fitFindings(planned, world),
    ...substitutionFindings(planned, world),
    ...autoscalerFindings(planned, world),
    ...guardFindings(planned, outcome.changes, world),
    ...deletionFindings(outcome.changes, world),
    ...rolloutFindings(planned, outcome.changes, world.fleets),
  ]
}
