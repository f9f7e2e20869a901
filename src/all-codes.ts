import { type CodeOf, codesOf } from './codes.ts'
import { PLANNERS } from './plan.ts'

/** The closed union of what nodefit can report. */
export type Code = CodeOf<typeof PLANNERS>

/** Every code with its severity, meaning and mend. */
export const CODES = codesOf(PLANNERS)
