import type { FlatKeys, Keyring, Trust } from '../core/index.ts'
import type { Fleet } from '../facts/inventory/index.ts'
import type { Change, PlannedChanges } from '../fate/index.ts'
import type { Expected } from '../kinds/index.ts'
import type { Finding } from '../krm/finding.ts'
import type { Item, ResourceList } from '../krm/types.ts'

/**
 * Everything a run decided; every command formats a part of it. `Code` is open here, since no folder knows the codes of
 * all others; for users of the library it is the closed union (index.ts).
 */
export interface Plan<Code extends string = string> {
  readonly packages: ReadonlyArray<PackagePlan<Code>>
  /** The findings, with the severities that the run asks for; no infos where it failed. */
  readonly findings: ReadonlyArray<Finding<Code>>
  /** The items after the run; unchanged input where the run failed. */
  readonly items: readonly Item[]
  readonly failed: boolean
}

/** What a run decided for one package. */
export interface PackagePlan<Code extends string = string> {
  readonly path: string
  readonly fleets: readonly Fleet[]
  /** Each subject with its objects, their changes and its account. */
  readonly planned: ReadonlyArray<PlannedChanges<Code>>
  /**
   * The change of each object that is rendered now or was before, objects of removed subjects included. Empty where
   * planning failed; where only a proof, a change or another package stops the run, the changes that it would have
   * made.
   */
  readonly changes: readonly Change[]
  readonly findings: ReadonlyArray<Finding<Code>>
}

/** Options of `plan` and `render`. */
export interface PlanOptions {
  /** The output of an earlier run, where the input does not hold it; an empty list means that nothing was rendered. */
  readonly earlier?: ResourceList
  /** Whether the host of the list keeps files at the paths it gives, as kpt does; true by default. */
  readonly keepsFiles?: boolean
  /** Whether the list must already hold its own output; an error names each object that differs. */
  readonly check?: boolean
  /** The policies that all packages of the list must have together; as spec.expect of a RenderConfig, beside it. */
  readonly expect?: Expected
  /**
   * The cluster that the run is for, as `spec.cluster` of a RenderConfig; a RenderConfig, policy or inventory of
   * another one is an error.
   */
  readonly cluster?: string
  /** Codes that the run accepts besides those of `spec.allow`. */
  readonly allow?: readonly string[]
  /**
   * The clock of the machine that runs: what the package says of a later time was written by a clock that was wrong,
   * and is set back to it. Without one every time of the package is believed.
   */
  readonly clock?: Date
  /**
   * Whom the operator trusts to act, as an ActionTrust outside the package says. Without one the package decides, which
   * a warning says (`TrustedByPackage`).
   */
  readonly trust?: Trust
  /** The keys of a trust of defaults, with cluster and images of the package; counts where no trust is given. */
  readonly keyring?: Keyring
  /**
   * How the keys of a flat functionConfig were given, `config` by default. With `look`, percentages may be left out:
   * they start from today's sizes, at each run anew.
   */
  readonly flat?: FlatKeys
}
