import type { Change, PlannedChanges } from './change/index.ts'
import type { Finding } from './finding/index.ts'
import type { Fleet } from './inventory/index.ts'
import type { Item, ResourceList } from './krm/types.ts'
import type { Keyring } from './world/index.ts'

/**
 * Everything a run decided; every command is a view of it. `Code` is open here, since no room knows the codes of all
 * others; for users of the library it is the closed union (index.ts).
 */
export interface Plan<Code extends string = string> {
  readonly packages: ReadonlyArray<PackagePlan<Code>>
  /** What is said, with the severities that the run asks for; without infos where it failed. */
  readonly findings: ReadonlyArray<Finding<Code>>
  /** The items that leave: as they came where the run failed. */
  readonly items: readonly Item[]
  readonly failed: boolean
}

/** What was decided in one package. */
export interface PackagePlan<Code extends string = string> {
  readonly path: string
  readonly fleets: readonly Fleet[]
  /** Each subject with its objects, their changes and its account. */
  readonly planned: ReadonlyArray<PlannedChanges<Code>>
  /**
   * What becomes of each object that is rendered or was before, those of subjects that are gone included. Empty where
   * what was planned does not stand; where only a proof, a change itself or another package stops the run, what it
   * would have come to.
   */
  readonly changes: readonly Change[]
  readonly findings: ReadonlyArray<Finding<Code>>
}

/** Options of `plan` and `render`. */
export interface PlanOptions {
  /** What was rendered before, where it is not in the input itself; an empty list says that nothing was. */
  readonly earlier?: ResourceList
  /**
   * Whether the paths in the list are those of a host that keeps its files in place, as kpt's are; by default they are.
   */
  readonly keepsFiles?: boolean
  /** Whether the list has to be what is rendered from it; an error names each object that is not. */
  readonly check?: boolean
  /** The keys that signed actions are verified with; a plan reads none from anywhere else. */
  readonly keyring?: Keyring
}
