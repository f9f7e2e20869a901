import { earliest } from '../core/index.ts'
import type { Plan } from '../rules/plan.ts'

/**
 * Returns the next time at which the plan's input, with its output as the earlier one, renders something else although
 * only the time differs; undefined where there is none, and for a failed plan.
 */
export function untilOf({ packages, failed }: Pick<Plan, 'packages' | 'failed'>): Date | undefined {
  return failed ? undefined : earliest(packages.flatMap(({ planned }) => planned.map(({ until }) => until)))
}
