import { earliest } from '../core/index.ts'
import { totalsOf } from '../fate/index.ts'
import type { Finding } from '../krm/finding.ts'
import type { identityOf } from '../krm/identity.ts'
import type { Plan } from '../rules/plan.ts'
import type { ObjectDiff } from './diff.ts'
import { AMOUNTS, type GroupRow, groupRows, NO_AMOUNT } from './group-rows.ts'
import { type OverviewRow, overviewRows } from './overview.ts'

/**
 * Returns what a run decided as JSON for programs: each subject with its groups, amounts before and after, pods that
 * restart and totals, and all findings. Amounts are written as Kubernetes does; an unknown or missing one is left out.
 */
export function planJson(plan: Plan, objects?: readonly ObjectDiff[]): object {
  const { packages, findings, failed } = plan
  return {
    failed,
    overview: overviewRows(plan).map(({ totals, ...row }) => ({ ...row, totals: totalsJson(totals) })),
    packages: packages.map(({ path, planned }) => ({
      path,
      subjects: planned.map((one) => ({
        ...identity(one.subject.object),
        groups: groupRows(one).map(groupJson),
        totals: totalsJson(totalsOf(one)),
      })),
    })),
    findings: findings.map(findingJson),
    ...(objects === undefined ? {} : { objects }),
  }
}

function groupJson({ name, kind, nodeCount, mayStay, restart, containers }: GroupRow): object {
  return {
    name,
    change: kind,
    nodes: nodeCount,
    ...(mayStay === undefined || mayStay === 0 ? {} : { nodesWherePodsMayStay: mayStay }),
    ...(restart === undefined
      ? {}
      : { podsRestarted: restart.pods, nodesMoved: restart.moved, nodesWithoutAgent: restart.lost }),
    containers: containers.map((container) => ({
      name: container.name,
      amounts: Object.fromEntries(
        AMOUNTS.map((amount, index) => {
          const { exact, isBeforeKnown } = container.amounts[index] ?? NO_AMOUNT
          const { before, after } = exact
          return [amount, { ...(isBeforeKnown ? { before: before ?? null } : {}), after: after ?? null }]
        }),
      ),
    })),
  }
}

function totalsJson(totals: OverviewRow['totals']): object | undefined {
  if (totals === undefined) return undefined
  const sum = (one: typeof totals.after) => ({ pods: one.pods, cpu: one.cpu.toString(), memory: one.memory.toString() })
  return { ...(totals.before === undefined ? {} : { before: sum(totals.before) }), after: sum(totals.after) }
}

function findingJson({ code, severity, subject, field, sentence, message, lines }: Finding): object {
  return { code, severity, ...(subject === undefined ? {} : identity(subject)), field, sentence, message, lines }
}

type Identified = Parameters<typeof identityOf>[0]

function identity({ kind, metadata }: Pick<Identified, 'kind' | 'metadata'>): object {
  return { kind, namespace: metadata.namespace, name: metadata.name }
}

/**
 * Returns the next time at which the plan's input, with its output as the earlier one, renders something else although
 * only the time differs; undefined where there is none, and for a failed plan.
 */
export function untilOf({ packages, failed }: Pick<Plan, 'packages' | 'failed'>): Date | undefined {
  return failed ? undefined : earliest(packages.flatMap(({ planned }) => planned.map(({ until }) => until)))
}
