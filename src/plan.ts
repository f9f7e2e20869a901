import { itemsAfter, type Outcome, outcomeOf, staleFindings, summaries } from './change/index.ts'
import { codesOf } from './codes.ts'
import { daemonSetPlanner } from './daemonset/index.ts'
import { type Finding, isError } from './finding/index.ts'
import { judge } from './judge.ts'
import type { Item, ResourceList } from './krm/types.ts'
import { proofs } from './proof/index.ts'
import { isOrder, orderPlanner } from './reservation/index.ts'
import type { PackagePlan, Plan, PlanOptions } from './types.ts'
import { type AnyPlanner, finding, leavingOf, plannedInTurn, readRequest, type World, worldsOf } from './world/index.ts'

/** What nodefit plans, in turn: each planner sees what those before it planned. */
export const PLANNERS = [daemonSetPlanner, orderPlanner] as const

/** The whole way: read what is asked for, plan each package, prove, change. Throws nothing for user errors. */
export const plan = planOf(PLANNERS)

/** The same with other planners. */
export function planOf(planners: readonly AnyPlanner[]): (list: ResourceList, options?: PlanOptions) => Plan {
  const codes = codesOf(planners)
  return (list, { earlier, keepsFiles = true, check = false } = {}) => {
    const request = readRequest(list.functionConfig, list.items, (item) =>
      planners.some((planner) => planner.claims(item)),
    )
    if (request.findings.some(isError))
      return { packages: [], findings: request.findings, items: list.items, failed: true }
    const worlds = worldsOf({ list, request, planners, codes, earlier: earlier?.items, keepsFiles })
    const made = worlds.map((world) => planPackage(world, planners, check))
    const packages = made.map(({ outcome: _, ...one }) => one)
    const isNothing = packages.every((one) => one.planned.length + one.findings.length === 0)
    const findings = isNothing ? [nothingFinding(list.items)] : packages.flatMap((one) => one.findings)
    if (findings.some(isError)) return { packages, findings: withoutInfos(findings), items: list.items, failed: true }
    const outcomes = made.flatMap(({ outcome }) => outcome ?? [])
    return { packages, findings, items: itemsAfter(list.items, outcomes), failed: false }
  }
}

const NO_POLICY = 'there is no SizingPolicy and no Order in DaemonSet mode in scope'
const PLAIN_ORDER = 'korder makes the Tickets of a plain Order; for one on each eligible node set daemonSet: true.'

/** Who has a plain Order need not want a policy. */
function nothingFinding(items: readonly Item[]): Finding {
  const hasOrder = items.some(({ object }) => isOrder(object))
  return finding('NoPolicy', NO_POLICY, { mend: hasOrder ? PLAIN_ORDER : undefined })
}

function planPackage(
  world: World,
  planners: readonly AnyPlanner[],
  isChecked: boolean,
): PackagePlan & { outcome?: Outcome } {
  const { planned, findings: said } = plannedInTurn(planners, world)
  const isStopped = world.stops([...world.findings, ...said])
  const outcome = isStopped ? undefined : outcomeOf(planned, world, leavingOf(planners))
  const changes = outcome?.changes ?? []
  const proved = proofs(planned, outcome, world)
  const summed = outcome === undefined ? [] : summaries(planned, changes, world.fleets)
  const stale = outcome !== undefined && (isChecked || world.options.check) ? staleFindings(outcome) : []
  const all = [...summed, ...world.findings, ...said, ...proved, ...(outcome?.findings ?? []), ...stale]
  const { path, fleets, options } = world
  return { path, fleets, planned, changes, findings: judge(all, options), outcome }
}

function withoutInfos(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity !== 'info')
}
