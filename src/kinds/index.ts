export {
  BETA_KINDS,
  isActionKeyring,
  isActionPolicy,
  isActionRecord,
  isActionTrust,
  isNodeAction,
  isNodefitKind,
  isNodefitTest,
  isNodeInventory,
  isNodeSmithClaim,
  isOrder,
  isPoolPolicy,
  isRenderConfig,
  isSizingPolicy,
  isTicket,
  isWorkloadSnapshot,
  KORDER,
  KUBENODESMITH,
  NODEFIT,
  NODEFIT_BETA,
  NODEFIT_GROUP,
  TEST_KIND,
  targetKindOf,
  versionsOf,
} from './api-versions.ts'
export type { BoundsText, PercentageName, Resource, Steps } from './bounds.ts'
export { POLICY_CODES } from './codes.ts'
export { FLAT_KEY_NAMES, flatTexts, policyFromFlat } from './flat.ts'
export { decimal, type Fraction, timesRoundedDown } from './fraction.ts'
export {
  ACTION_POLICY_DEFAULTS,
  ACTION_TRUST_DEFAULTS,
  CONFIG_MAP_DEFAULTS,
  NODE_SMITH_POOL_DEFAULTS,
  ORDER_DEFAULTS,
  OWN_KINDS,
  POOL_POLICY_DEFAULTS,
  SIZING_POLICY_DEFAULTS,
} from './generated/fields.ts'
export type {
  ActionKeyring,
  ActionPolicy,
  ActionRecord,
  ActionTrust,
  NodeAction,
  NodeInventory,
  NodeSmithPool,
  Order,
  PoolPolicy,
  SizingPolicy,
  WorkloadSnapshot,
} from './generated/types.ts'
export { unquotedNumber } from './quoted-numbers.ts'
export {
  type AcceptedHole,
  type AutoscalerOptions,
  DEFAULT_OPTIONS,
  type Expected,
  type Guards,
  type KorderOptions,
  type RenderOptions,
  readRenderConfig,
  type TicketRollout,
} from './render-options.ts'
export type { Rollout } from './rollout.ts'
export { mergeRules, PERCENTAGES, type Rule, type RuleText, type SizesText, UNSET } from './rule.ts'
export type { SizingSettings } from './settings.ts'
export { readSizingPolicy, rulesOf } from './sizing-settings.ts'
export { nearest, unknownFields } from './unknown-fields.ts'
export type { UsageRule, UsageText } from './usage-rule.ts'
export { validate, validateAs } from './validate.ts'
export { BETA_SPELLINGS, toBeta } from './versions.ts'
