import type { Change } from '../change/index.ts'
import type { Finding } from '../finding/index.ts'
import type { Planned, World } from '../world/index.ts'
import { guardFindings } from './guards.ts'
import { otherRunFindings } from './others.ts'
import { overlapFindings } from './overlap.ts'
import { rivalFindings } from './rivals.ts'

/** What must hold of everything that was planned in a package, whatever planned it; guards only of a plan that stands. */
export function proofs(planned: readonly Planned[], changes: readonly Change[] | undefined, world: World): Finding[] {
  return [
    ...rivalFindings(planned, world),
    ...overlapFindings(planned, world),
    ...otherRunFindings(planned, world),
    ...(changes === undefined ? [] : guardFindings(planned, changes, world)),
  ]
}
