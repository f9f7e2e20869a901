import { type COMMON_CODES, codesOf } from './codes.ts'
import type { CodeDefinition } from './finding/index.ts'
import { PLANNERS } from './plan.ts'

type CodesIn<Planner> = Planner extends { readonly codes: infer Table } ? keyof Table & string : never

/** The closed union of what nodefit can say. */
export type Code = keyof typeof COMMON_CODES | CodesIn<(typeof PLANNERS)[number]>

/** Every code with its severity, meaning and mend. */
export const CODES = codesOf(PLANNERS) as Readonly<Record<Code, CodeDefinition>>
