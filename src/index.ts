import type { Code } from './all-codes.ts'
import type * as changes from './change/index.ts'
import type * as findings from './finding/index.ts'
import type { ResourceList } from './krm/types.ts'
import { plan as planOpen } from './plan.ts'
import type * as plans from './types.ts'
import type * as worlds from './world/index.ts'

/** What a run has to say, with a code of the closed union. */
export type Finding = findings.Finding<Code>
/** Everything a run decided. */
export type Plan = plans.Plan<Code>
/** What was decided in one package. */
export type PackagePlan = plans.PackagePlan<Code>
/** What one policy or Order comes to. */
export type Planned = worlds.Planned<Code>
/** What becomes of one rendered object. */
export type Change = changes.Change<Code>

/** Reads what is asked for, plans each package, proves it and says what changes. Throws nothing for user errors. */
// the rooms make findings of their own codes alone, of which CODES holds all
export const plan = planOpen as (list: ResourceList, options?: plans.PlanOptions) => Plan

export { CODES, type Code } from './all-codes.ts'
export type { CodeDefinition } from './finding/index.ts'
export { render } from './render.ts'
export type { PlanOptions } from './types.ts'
