import { indexBy, type Planned, type Rendered, type World } from '../core/index.ts'
import { type Fleet, nodeCountOf } from '../facts/inventory/index.ts'
import type { Outcome, PlannedChanges } from '../fate/index.ts'
import { isRenderConfig } from '../kinds/index.ts'
import type { Finding } from '../krm/finding.ts'
import { autoscalerFindings } from './autoscaler/autoscaler.ts'
import { belowEarlierFindings } from './below-earlier.ts'
import { besideFindings } from './beside-template.ts'
import { coverageFindings } from './coverage.ts'
import { duplicateAgentFindings } from './duplicate-agents.ts'
import { fitFindings } from './fit/fit.ts'
import { guardFindings, unguardedFindings } from './guards.ts'
import { outputConflictFindings } from './output-conflicts.ts'
import { otherRunFindings, overlapFindings } from './overlap.ts'
import { deletionFindings, rolloutFindings, surgeFindings } from './rollout.ts'
import { secretFindings } from './secrets.ts'
import { selectorFindings } from './selectors-meet.ts'
import { sizedElsewhereFindings } from './sized-elsewhere.ts'
import { substitutionFindings } from './substitution.ts'

/** Reports what keeps a plan from being carried out: subjects that render the same objects, or for the same nodes. */
export function planFindings(planned: readonly Planned[], world: World, fleets: readonly Fleet[]): Finding[] {
  return [
    ...outputConflictFindings(planned, world),
    ...overlapFindings(planned, fleets),
    ...otherRunFindings(planned, world, fleets),
  ]
}

/** Reports what does not hold in a package after the change, whichever planner planned it. */
export function proofs(outcome: Outcome, world: World, fleets: readonly Fleet[]): Finding[] {
  const { planned, orphaned, changes, items } = outcome
  return [
    ...coverageFindings(planned, fleets, {
      plansAllSubjects: world.plansAllSubjects,
      accepted: world.options.holes,
      isConfigOfPackage: world.items.some(({ object }) => isRenderConfig(object)),
    }),
    ...besideFindings(planned),
    ...planned.flatMap(belowEarlierFindings),
    ...duplicateAgentFindings(planned, outcome),
    ...selectorFindings(planned, items),
    ...sizedElsewhereFindings(planned, items),
    ...fitFindings(planned, items, { world, fleets, podsOf: countPods(planned) }),
    ...substitutionFindings(planned, world),
    ...autoscalerFindings(planned, items, world, fleets),
    ...guardFindings(planned, orphaned, world),
    ...deletionFindings(changes, world, fleets),
    ...unguardedFindings(items, world),
    ...secretFindings(planned, items),
    ...planned.flatMap(rolloutFindings),
    ...planned.flatMap(surgeFindings),
  ]
}

/** Returns a function that counts the pods of a rendered object that run. */
function countPods(planned: readonly PlannedChanges[]): (rendered: Rendered) => number {
  const running = planned.flatMap(({ pods }) => pods.filter(({ runsAfter }) => runsAfter))
  const byObject = indexBy(running, ({ after }) => after)
  return (rendered) => nodeCountOf(byObject.get(rendered) ?? [])
}
