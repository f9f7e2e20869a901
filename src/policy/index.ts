export {
  isNodeInventory,
  isOrder,
  isOwnKind,
  isRenderConfig,
  isSizingPolicy,
  isTicket,
  isWorkloadSnapshot,
  KORDER,
  KUBENODESMITH,
  NODEFIT,
  NODEFIT_GROUP,
} from './api-versions.ts'
export { POLICY_CODES } from './codes.ts'
export { FLAT_KEY_NAMES, policyFromFlat } from './flat.ts'
export { decimal, type Fraction, timesRoundedDown } from './fraction.ts'
export { ORDER_DEFAULTS, OWN_KINDS, SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
export type { NodeInventory, Order, SizingPolicy, WorkloadSnapshot } from './generated/types.ts'
export { nearest } from './nearest.ts'
export {
  type AutoscalerOptions,
  DEFAULT_OPTIONS,
  type Guards,
  type KorderOptions,
  type RenderOptions,
  readRenderConfig,
} from './render-options.ts'
export type { PercentageName, Resource } from './resource.ts'
export type { Rollout } from './rollout.ts'
export type { Rule, RuleText } from './rule.ts'
export type { SizingSettings } from './settings.ts'
export { readSizingPolicy, rulesOf } from './sizing-settings.ts'
export type { Steps } from './step.ts'
export { targetKindOf } from './target-kind.ts'
export { unknownFields } from './unknown-fields.ts'
export { validate, validateAs } from './validate.ts'
