import { type Finding, finding } from './finding/index.ts'
import { groupFindings, guardsNotChecked } from './guards.ts'
import { pastOf } from './kept.ts'
import type { Item, ResourceList } from './krm/types.ts'
import { besideOperator } from './operator.ts'
import { overlaps, overlapsWithOthers, rivalClaims } from './overlap.ts'
import type { OrderPlan } from './plan-order.ts'
import { isError, isStopped, type PolicyPlan, planPolicy } from './plan-policy.ts'
import { checkTogether, doubledTickets, planOrders } from './plan-reservations.ts'
import { type RenderOptions, readSizingPolicy, type SizingSettings } from './policy/index.ts'
import { type Outcome, pruneScope } from './prune.ts'
import type { Rendering } from './rendering.ts'
import { readRequest, type Scope, scopesOf, selectorsInUse } from './scope/index.ts'
import { summaryOf, summaryOfOrder } from './summary.ts'

/** Everything a run decided; every command is a view of it. */
export interface Plan {
  readonly policies: readonly PolicyPlan[]
  readonly orders: readonly OrderPlan[]
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
  if (findings.some(isError))
    return { policies: [], orders: [], outcomes: [], findings, items: list.items, failed: true }
  const policies: PolicyPlan[] = []
  const orders: OrderPlan[] = []
  const outcomes: Outcome[] = []
  for (const scope of scopes) {
    const past = pastOf(options.earlier?.items ?? [], scope)
    const planned = planScope(scope, past, request.policy === undefined)
    const outcome = adjust(planned.findings, scope.options).some(isError)
      ? undefined
      : pruneScope(scope, renderingsOf(planned), request.policy === undefined)
    const summaries =
      outcome === undefined
        ? []
        : [
            ...planned.policies.flatMap((policy) => summaryOf(policy, outcome)),
            ...planned.orders.flatMap((order) => summaryOfOrder(order, outcome)),
          ]
    findings.push(...adjust([...summaries, ...planned.findings, ...(outcome?.findings ?? [])], scope.options))
    policies.push(...planned.policies)
    orders.push(...planned.orders)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  if (policies.length === 0 && orders.length === 0 && findings.length === 0)
    findings.push(finding('NoPolicy', 'there is no SizingPolicy and no Order in DaemonSet mode in scope'))
  const failed = findings.some(isError)
  if (failed)
    return {
      policies,
      orders,
      outcomes,
      findings: findings.filter(({ severity }) => severity !== 'info'),
      items: list.items,
      failed,
    }
  return { policies, orders, outcomes, findings, items: assemble(list.items, outcomes), failed }
}

function planScope(
  scope: Scope,
  past: readonly Item[],
  everyPolicy: boolean,
): { policies: PolicyPlan[]; orders: OrderPlan[]; findings: Finding[] } {
  const findings = [...scope.findings]
  const policies: PolicyPlan[] = []
  const sizing: SizingSettings[] = []
  for (const { subject } of scope.policies) {
    const read = readSizingPolicy(subject)
    findings.push(...read.findings)
    if (read.settings === undefined) continue
    if (read.settings.target.kind === 'Order') {
      sizing.push(read.settings)
      continue
    }
    const planned = planPolicy(read.settings, scope, past)
    findings.push(...planned.findings, ...guarded(planned, scope))
    policies.push(planned)
  }
  const reserved = planOrders(scope, past, sizing)
  findings.push(...reserved.findings)
  policies.push(...reserved.sized.map(({ policy }) => policy))
  findings.push(...reserved.sized.flatMap(({ policy }) => guarded(policy, scope)))
  const elsewhere = everyPolicy
    ? []
    : [
        ...overlapsWithOthers(policies, scope),
        ...doubledTickets([...reserved.orders, ...reserved.sized.flatMap((one) => one.orders)], scope),
      ]
  findings.push(
    ...rivalClaims(policies, scope),
    ...overlaps(policies),
    ...elsewhere,
    ...besideOperator(policies, scope),
  )
  if (!isStopped(findings, scope)) findings.push(...checkTogether(reserved.orders, reserved.sized, scope))
  findings.push(...guardsNotChecked(scope, past))
  return { policies, orders: reserved.orders, findings }
}

/** Guards are about a plan that stands: what is wrong with one that does not says more. */
function guarded(policy: PolicyPlan, scope: Scope): Finding[] {
  return isStopped(policy.findings, scope) ? [] : groupFindings(policy, scope.options.guards)
}

function renderingsOf({ policies, orders }: { policies: PolicyPlan[]; orders: OrderPlan[] }): Rendering[] {
  return [...policies, ...orders].map(({ rendering }) => rendering)
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
