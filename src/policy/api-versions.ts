import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'

/** The versions of the resources that nodefit reads and writes, each said here only; their groups are `apiGroup` of them. */
export const NODEFIT = 'nodefit.dev/v1alpha1'
/** What the apiVersion of every version of our resources begins with, and the key of every label and annotation of ours. */
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

/** Of any version: an inventory that this nodefit cannot read must be refused, not passed over as if there were no nodes. */
export const isNodeInventory: Predicate = ({ apiVersion, kind }) =>
  apiVersion.startsWith(NODEFIT_GROUP) && kind === 'NodeInventory'

/** Plain Orders too; whether one is in DaemonSet mode is said by its fields. */
export const isOrder = is(KORDER, 'Order')
export const isTicket = is(KORDER, 'Ticket')

/** Whether an object is of one of these kinds in the version of ours. */
export function isOwnKind({ apiVersion, kind }: Parameters<Predicate>[0], kinds: readonly string[]): boolean {
  return apiVersion === NODEFIT && kinds.includes(kind)
}

/** The kind of object that a SizingPolicy is about, before anything else of it is read. */
export function targetKindOf(policy: object): unknown {
  const { spec } = policy as { spec?: { targetRef?: { kind?: unknown } | null } | null }
  return spec?.targetRef?.kind ?? SIZING_POLICY_DEFAULTS.targetRef.kind
}
