/** One thing that came out otherwise than a test expects: what it is, and both sides of it. */
export interface Mismatch {
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** What a side shows for nothing. */
export const NOTHING = 'none'
/** What a side shows for a node on which nothing starts, as the field of the test is called. */
export const WITHOUT = 'without'
