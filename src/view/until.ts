import type { Plan } from '../types.ts'
import { earliest } from '../world/index.ts'

/**
 * The next instant at which a plan's input, with its output as the earlier one, renders something else though nothing
 * but the time is another; undefined where there is none, and for a plan that failed.
 */
export function untilOf({ packages, failed }: Pick<Plan, 'packages' | 'failed'>): Date | undefined {
  return failed ? undefined : earliest(packages.flatMap(({ planned }) => planned.map(({ until }) => until)))
}
