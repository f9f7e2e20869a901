import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'

/** The API versions that nodefit reads and writes. Everything else refers to these constants. */
export const NODEFIT = 'nodefit.dev/v1alpha1'
/** The prefix of the apiVersion of our kinds, and of our label and annotation keys. */
export const NODEFIT_GROUP = 'nodefit.dev/'
export const KORDER = 'core.korder.dev/v1alpha1'
export const KUBENODESMITH = 'kubenodesmith.parawell.cloud/v1alpha1'

type Predicate = (object: { readonly apiVersion: string; readonly kind: string }) => boolean

const is =
  (version: string, name: string): Predicate =>
  ({ apiVersion, kind }) =>
    apiVersion === version && kind === name

export const isSizingPolicy = is(NODEFIT, 'SizingPolicy')
export const isRenderConfig = is(NODEFIT, 'RenderConfig')
export const isWorkloadSnapshot = is(NODEFIT, 'WorkloadSnapshot')
export const isNodeAction = is(NODEFIT, 'NodeAction')
export const isActionPolicy = is(NODEFIT, 'ActionPolicy')
export const isActionKeyring = is(NODEFIT, 'ActionKeyring')
export const isActionRecord = is(NODEFIT, 'ActionRecord')

/** Matches any version: an inventory of an unknown version must be refused, not ignored as if there were no nodes. */
export const isNodeInventory: Predicate = ({ apiVersion, kind }) =>
  apiVersion.startsWith(NODEFIT_GROUP) && kind === 'NodeInventory'

/** Matches any version, so that a test of an unknown one is refused, not left out. */
export const isNodefitTest: Predicate = ({ apiVersion, kind }) =>
  apiVersion.startsWith(NODEFIT_GROUP) && kind === 'NodefitTest'

/** Matches plain Orders too; the fields of an Order tell whether it is in DaemonSet mode. */
export const isOrder = is(KORDER, 'Order')
export const isTicket = is(KORDER, 'Ticket')

export const isPoolPolicy = is(NODEFIT, 'PoolPolicy')
export const isNodeSmithClaim = is(KUBENODESMITH, 'NodeSmithClaim')

/** Whether an object has our current API version and one of the kinds. */
export function isNodefitKind({ apiVersion, kind }: Parameters<Predicate>[0], kinds: readonly string[]): boolean {
  return apiVersion === NODEFIT && kinds.includes(kind)
}

/** Returns the target kind of a SizingPolicy that is not validated yet. */
export function targetKindOf(policy: object): unknown {
  const { spec } = policy as { spec?: { targetRef?: { kind?: unknown } | null } | null }
  return spec?.targetRef?.kind ?? SIZING_POLICY_DEFAULTS.targetRef.kind
}
