import { type CodeOf, codesOf, PLANNERS } from './run.ts'

/** The closed union of what nodefit can report. */
export type Code = CodeOf<typeof PLANNERS>

/** Every code with its severity, meaning and mend. */
export const CODES = codesOf(PLANNERS)
