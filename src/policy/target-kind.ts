import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'

/** The kind of object that a SizingPolicy is about, before anything else of it is read. */
export function targetKindOf(policy: object): unknown {
  const { spec } = policy as { spec?: { targetRef?: { kind?: unknown } | null } | null }
  return spec?.targetRef?.kind ?? SIZING_POLICY_DEFAULTS.targetRef.kind
}
