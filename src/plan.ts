import { type Change, type Outcome, outcomeOf, staleFindings, summaries } from './change/index.ts'
import { codesOf } from './codes.ts'
import { daemonSetPlanner } from './daemonset/index.ts'
import { type Finding, isError } from './finding/index.ts'
import type { Fleet } from './inventory/index.ts'
import { judge } from './judge.ts'
import type { Item, ResourceList } from './krm/types.ts'
import { proofs } from './proof/index.ts'
import { isOrder, orderPlanner } from './reservation/index.ts'
import {
  type AnyPlanner,
  earliest,
  finding,
  leavingOf,
  type Planned,
  readRequest,
  type World,
  worldsOf,
} from './world/index.ts'

/** What nodefit plans, in turn: each planner sees what those before it planned. */
export const PLANNERS = [daemonSetPlanner, orderPlanner] as const

/** Everything a run decided; every command is a view of it. */
export interface Plan {
  readonly packages: readonly PackagePlan[]
  /** What is said, with the severities that the run asks for; without infos where it failed. */
  readonly findings: readonly Finding[]
  /** The items that leave: as they came where the run failed. */
  readonly items: readonly Item[]
  readonly failed: boolean
}

/** What was decided in one package. */
export interface PackagePlan {
  readonly path: string
  readonly fleets: readonly Fleet[]
  /** Each subject with its objects and its account. */
  readonly planned: readonly Planned[]
  /**
   * What becomes of each object that is rendered or was before. Empty where what was planned does not stand; where only a proof, a
   * change itself or another package stops the run, what it would have come to.
   */
  readonly changes: readonly Change[]
  readonly findings: readonly Finding[]
}

/** Options of `plan` and `render`. */
export interface PlanOptions {
  /** What was rendered before, where it is not in the input itself; an empty list says that nothing was. */
  readonly earlier?: ResourceList
  /** Whether the paths in the list are those of a host that keeps its files in place, as kpt's are; by default they are. */
  readonly keepsFiles?: boolean
  /** Whether the list has to be what is rendered from it; an error names each object that is not. */
  readonly check?: boolean
}

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
    return { packages, findings, items: brought(list.items, made), failed: false }
  }
}

/**
 * The next instant at which a plan's input, with its output as the earlier one, renders something else though nothing but the time is
 * another; undefined where there is none, and for a plan that failed.
 */
export function untilOf({ packages, failed }: Pick<Plan, 'packages' | 'failed'>): Date | undefined {
  return failed ? undefined : earliest(packages.flatMap(({ planned }) => planned.map(({ until }) => until)))
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
  const planned: Planned[] = []
  const read: Finding[] = []
  for (const planner of planners) {
    const subjects = world.subjects.filter((subject) => planner.claims(subject)).map((one) => planner.read(one, world))
    read.push(...subjects.flatMap(({ findings }) => findings))
    planned.push(
      ...planner.plan(
        subjects.flatMap(({ value }) => (value === undefined ? [] : [value])),
        world,
        [...planned],
      ),
    )
  }
  const found = [...read, ...planned.flatMap(({ findings }) => findings)]
  const said = [...found, ...checkFindings(planners, planned, world, !world.stops([...world.findings, ...found]))]
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

/** What the planners have to say of a package that this run is about. */
function checkFindings(
  planners: readonly AnyPlanner[],
  planned: readonly Planned[],
  world: World,
  stands: boolean,
): Finding[] {
  if (!world.isWhole && world.subjects.length === 0) return []
  return planners.flatMap((planner) => planner.check?.(planned, world, stands) ?? [])
}

/** The input's items in their order, changed or left out as the outcomes say, and new ones behind them. */
function brought(items: readonly Item[], made: ReadonlyArray<{ outcome?: Outcome }>): Item[] {
  const outcomes = made.flatMap(({ outcome }) => outcome ?? [])
  const replaced = new Map(outcomes.flatMap((outcome) => [...outcome.replaced]))
  const kept = items.flatMap((item) => (replaced.has(item) ? (replaced.get(item) ?? []) : [item]))
  return [...kept, ...outcomes.flatMap(({ added }) => added)]
}

function withoutInfos(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity !== 'info')
}
