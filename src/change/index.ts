export type { Change } from './change.ts'
export { CHANGE_CODES } from './codes.ts'
export { type Outcome, outcomeOf } from './outcome.ts'
export { summaries } from './summary.ts'
