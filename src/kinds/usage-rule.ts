import type { Resource } from './bounds.ts'
import { decimal, type Fraction } from './fraction.ts'
import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'

/** How usage sizes a group, as written in a policy. */
export type UsageText = NonNullable<SizingPolicy['spec']['usage']>

/** How usage sizes a group. */
export interface UsageRule {
  /** Whether sizes are made of usage; else it is only said what that would change. */
  readonly isAuto: boolean
  readonly resources: ReadonlySet<Resource>
  /** Whether limits follow too. */
  readonly hasLimits: boolean
  /** What requests get beyond what is used, in percent of it. */
  readonly margin: Fraction
}

/** Reads how usage sizes a group, with defaults. */
export function readUsageRule(text: UsageText): UsageRule {
  const { updateMode, controlledValues, marginPercent } = { ...SIZING_POLICY_DEFAULTS.usage, ...text }
  return {
    isAuto: updateMode === 'Auto',
    resources: new Set(text.controlledResources ?? ['cpu', 'memory']),
    hasLimits: controlledValues === 'RequestsAndLimits',
    margin: decimal(marginPercent),
  }
}
