import {
  type AnyPlanner,
  acrossOf,
  checksOf,
  factsOf,
  finding,
  judge,
  kustomizationsOf,
  plannedInTurn,
  readRequest,
  trustOfKeyring,
  WORLD_CODES,
  type World,
  worldsOf,
} from '../core/index.ts'
import { OBJECT_CODES, sha256 } from '../core/object/index.ts'
import { INVENTORY_CODES } from '../facts/inventory/index.ts'
import {
  CHANGE_CODES,
  itemsAfter,
  type Outcome,
  outcomeOf,
  staleFindings,
  summaries,
  withOutputMarks,
} from '../fate/index.ts'
import { POLICY_CODES } from '../kinds/index.ts'
import { type CodeDefinition, type Codes, type Finding, isError } from '../krm/finding.ts'
import type { Item, ResourceList } from '../krm/types.ts'
import { actionPlanner } from '../plan/action/index.ts'
import { daemonSetPlanner } from '../plan/daemonset/index.ts'
import { poolPlanner } from '../plan/pool/index.ts'
import { orderPlanner } from '../plan/reservation/index.ts'
import { packageFindings, planFindings, RULE_CODES } from './index.ts'
import type { PackagePlan, Plan, PlanOptions } from './plan.ts'

/** What every run can say, whatever it plans. */
const COMMON_CODES = {
  ...WORLD_CODES,
  ...POLICY_CODES,
  ...INVENTORY_CODES,
  ...OBJECT_CODES,
  ...RULE_CODES,
  ...CHANGE_CODES,
}

type Planners = ReadonlyArray<Pick<AnyPlanner, 'codes'>>
type CodesIn<Planner> = Planner extends { readonly codes: infer Table } ? keyof Table & string : never

/** Every code that a run with these planners can report; a closed union where the planners are known. */
export type CodeOf<All extends Planners> = keyof typeof COMMON_CODES | CodesIn<All[number]>

/** The same codes with what is fixed about each. */
export function codesOf<All extends Planners>(planners: All): Readonly<Record<CodeOf<All>, CodeDefinition>> {
  return Object.assign({}, COMMON_CODES, ...planners.map(({ codes }) => codes))
}

/** The planners in the order in which they plan: each sees what those before it planned. */
export const PLANNERS = [daemonSetPlanner, orderPlanner, actionPlanner, poolPlanner] as const

/** Plans a list: reads the request, plans each package, proves and compares. Throws nothing for user errors. */
export const plan = planOf(PLANNERS)

/** Returns a `plan` function with other planners. */
export function planOf(planners: readonly AnyPlanner[]): (list: ResourceList, options?: PlanOptions) => Plan {
  const codes = codesOf(planners)
  return (list, { earlier, keepsFiles = true, check = false, expect, cluster, allow, clock, flat, ...given } = {}) => {
    const { keyring } = given
    const trust = given.trust ?? (keyring === undefined ? undefined : trustOfKeyring(keyring, sha256))
    const request = readRequest(list.functionConfig, list.items, (item) =>
      planners.some((planner) => planner.claims(item)),
    )
    if (request.findings.some(isError))
      return { packages: [], findings: request.findings, items: list.items, failed: true }
    const kustomizations = kustomizationsOf(list.items)
    const { isPatch } = kustomizations
    const worlds = worldsOf({
      ...{ list, request, planners, codes, kustomizations, keepsFiles, expect, cluster, allow, clock, trust, flat },
      earlier: earlier?.items,
    })
    const made = worlds.map((world) => ({ world, ...planPackage(world, planners, { codes, check }) }))
    const across = acrossOf(planners, made)
    const packages = made.map(({ outcome: _, world, ...one }) => {
      return { ...one, findings: [...one.findings, ...judge(across(world), world.options)] }
    })
    const isNothing = packages.every((one) => one.planned.length + one.findings.length === 0)
    const findings = isNothing ? [nothingFinding(planners, list.items)] : packages.flatMap((one) => one.findings)
    if (findings.some(isError)) return { packages, findings: withoutInfos(findings), items: list.items, failed: true }
    const outcomes = made.flatMap(({ outcome }) => outcome ?? [])
    const items = itemsAfter(list.items, outcomes)
    // a patch is an object in part, which nothing but kustomize may take
    return { packages, findings, items: keepsFiles ? items : items.filter((item) => !isPatch(item)), failed: false }
  }
}

function planPackage(
  world: World,
  planners: readonly AnyPlanner[],
  { codes, check }: { readonly codes: Codes; readonly check: boolean },
): PackagePlan & { outcome?: Outcome } {
  const { path, options } = world
  const { planned, findings } = plannedInTurn(planners, world, (one) => withOutputMarks(one, world))
  const { fleets, findings: ofFacts } = factsOf(planned)
  const stands = !world.stops([...world.findings, ...ofFacts, ...findings])
  const possible = stands ? outcomeOf(planned, world, fleets, check || options.check) : undefined
  const checked = checksOf(planners, planned, world, possible?.items ?? world.items, stands)
  const outcome = world.stops(checked) ? undefined : possible
  const conflicts = planFindings({ planned, world, fleets })
  // where two subjects render for the same nodes, other findings would only follow from that
  const proved = outcome === undefined || world.stops(conflicts) ? [] : packageFindings({ ...outcome, world, fleets })
  const all = [
    ...(outcome === undefined ? [] : summaries(outcome.planned, world, codes)),
    ...world.findings,
    ...ofFacts,
    ...findings,
    ...checked,
    ...conflicts,
    ...proved,
    ...(outcome?.findings ?? []),
    ...(outcome !== undefined && (check || options.check) ? staleFindings(outcome) : []),
  ]
  const withChanges =
    outcome?.planned ?? planned.map((one) => ({ ...one, changes: [], stops: [], pods: [], unknownKeys: [] }))
  return { path, fleets, planned: withChanges, changes: outcome?.changes ?? [], findings: judge(all, options), outcome }
}

/** Reports that nothing was asked for, with what could be, and a planner's hint where the package holds its items. */
function nothingFinding(planners: readonly AnyPlanner[], items: readonly Item[]): Finding {
  const kinds = planners.map(({ asksFor }) => `no ${asksFor}`).join(' and ')
  const [mend] = planners.flatMap(({ mends }) => mends?.idle?.(items) ?? [])
  return finding('NoPolicy', `there is ${kinds} in scope`, { mend })
}

function withoutInfos(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity !== 'info')
}
