import { type Finding, finding } from './finding/index.ts'
import type { Item, ResourceList } from './krm/types.ts'
import { besideOperator } from './operator.ts'
import { overlaps, overlapsWithOthers, rivalClaims } from './overlap.ts'
import { isError, type PolicyPlan, planPolicy } from './plan-policy.ts'
import { type RenderOptions, readSizingPolicy } from './policy/index.ts'
import { type Outcome, pruneScope } from './prune.ts'
import { readRequest, type Scope, scopesOf, selectorsInUse } from './scope/index.ts'
import { summaryOf } from './summary.ts'

/** Everything a run decided; every command is a view of it. */
export interface Plan {
  readonly policies: readonly PolicyPlan[]
  readonly outcomes: readonly Outcome[]
  readonly findings: readonly Finding[]
  /** The items that leave: as they came where the run failed. */
  readonly items: readonly Item[]
  readonly failed: boolean
}

/** Options of `plan` and `render`. */
export interface PlanOptions {
  /** What was rendered before, where it is not in the input itself. */
  readonly earlier?: ResourceList
}

/** The whole way: read what is asked for, plan each policy in its package, prove, prune. Throws nothing for user errors. */
export function plan(list: ResourceList, options: PlanOptions = {}): Plan {
  const request = readRequest(list.functionConfig)
  const scopes = scopesOf(list.items, request)
  const hidden = selectorsInUse(list.items)
  const findings = adjust([...request.findings, ...hidden], scopes[0]?.options)
  if (findings.some(isError)) return { policies: [], outcomes: [], findings, items: list.items, failed: true }
  const policies: PolicyPlan[] = []
  const outcomes: Outcome[] = []
  for (const scope of scopes) {
    const planned = planScope(scope, options.earlier?.items ?? [], request.policy === undefined)
    const outcome = adjust(planned.findings, scope.options).some(isError)
      ? undefined
      : pruneScope(scope, planned.policies, request.policy === undefined)
    const summaries = outcome === undefined ? [] : planned.policies.flatMap((policy) => summaryOf(policy, outcome))
    findings.push(...adjust([...summaries, ...planned.findings, ...(outcome?.findings ?? [])], scope.options))
    policies.push(...planned.policies)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  if (policies.length === 0 && findings.length === 0)
    findings.push(finding('NoPolicy', 'there is no SizingPolicy in scope'))
  const failed = findings.some(isError)
  if (failed)
    return {
      policies,
      outcomes,
      findings: findings.filter(({ severity }) => severity !== 'info'),
      items: list.items,
      failed,
    }
  return { policies, outcomes, findings, items: assemble(list.items, outcomes), failed }
}

function planScope(
  scope: Scope,
  past: readonly Item[],
  everyPolicy: boolean,
): { policies: PolicyPlan[]; findings: Finding[] } {
  const findings = [...scope.findings]
  const policies: PolicyPlan[] = []
  for (const { subject } of scope.policies) {
    const read = readSizingPolicy(subject)
    findings.push(...read.findings)
    if (read.settings === undefined) continue
    const planned = planPolicy(read.settings, scope, past)
    findings.push(...planned.findings)
    policies.push(planned)
  }
  const elsewhere = everyPolicy ? [] : overlapsWithOthers(policies, scope)
  findings.push(
    ...rivalClaims(policies, scope),
    ...overlaps(policies),
    ...elsewhere,
    ...besideOperator(policies, scope),
  )
  return { policies, findings }
}

/** Applies the options of a run: what is allowed only warns, other severities are as asked for, off is left out; failOn raises warnings. */
function adjust(findings: readonly Finding[], options: RenderOptions | undefined): Finding[] {
  return findings.flatMap((one) => {
    if (isError(one)) return options?.allow.has(one.code) ? [{ ...one, severity: 'warning' as const }] : [one]
    const severity = options?.severity.get(one.code) ?? one.severity
    if (severity === 'off') return []
    return [{ ...one, severity: severity === 'warning' && options?.failOn === 'warning' ? 'error' : severity }]
  })
}

/** The input's items in their order, changed or left out as the outcomes say, and new ones behind them. */
function assemble(items: readonly Item[], outcomes: readonly Outcome[]): Item[] {
  const removed = new Set(outcomes.flatMap((outcome) => outcome.removed))
  const replaced = new Map(outcomes.flatMap((outcome) => [...outcome.replaced]))
  const kept = items.filter((item) => !removed.has(item)).map((item) => replaced.get(item) ?? item)
  return [...kept, ...outcomes.flatMap((outcome) => outcome.added)]
}
