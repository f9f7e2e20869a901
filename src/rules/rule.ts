import type { Planned, World } from '../core/index.ts'
import type { Fleet } from '../facts/inventory/index.ts'
import type { Outcome } from '../fate/index.ts'
import type { Codes, Finding } from '../krm/finding.ts'

/** What was planned, before it is known what would change. */
export interface PlanReview {
  readonly world: World
  /** The fleets that subjects were planned from. */
  readonly fleets: readonly Fleet[]
  readonly planned: readonly Planned[]
}

/** A package after the run: what was planned, what it changes, and the items that it leaves. */
export type Review = Omit<PlanReview, 'planned'> & Outcome

/** What must hold, whichever planner planned it: a file has the codes, the check, and an example for each code. */
export interface Rule<Looked = Review> {
  readonly codes: Codes
  readonly check: (review: Looked) => readonly Finding[]
}

/**
 * The smallest package that brings each code about, as YAML documents: a document of a kind that the base package has
 * changes that object, another is added (test/support/examples.ts). They are an export of their own, so that no program
 * holds them. `why` says why a code has none: its case is then in test/support/code-cases.ts.
 */
export type Examples<Table extends Codes> = Readonly<Record<keyof Table & string, string | { readonly why: string }>>
