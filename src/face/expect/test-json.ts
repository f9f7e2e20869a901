import { packageOf } from '../../krm/identity.ts'
import type { PlacedOutcome } from './run-test.ts'

/** Returns outcomes as plain values for programs. */
export function testJson(outcomes: readonly PlacedOutcome[]): object {
  return {
    tests: outcomes.map(({ test, mismatches, file, line }) => {
      const path = packageOf(test.item)
      return {
        name: test.name,
        ...(path === '' ? {} : { package: path }),
        ...(file === undefined ? {} : { file, line }),
        holds: mismatches.length === 0,
        mismatches,
      }
    }),
  }
}
