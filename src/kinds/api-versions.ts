import type { Finding, Subject } from '../krm/finding.ts'
import { finding } from './codes.ts'
import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'

/** The API versions that nodefit reads and writes. Everything else refers to these constants. */
export const NODEFIT = 'nodefit.dev/v1alpha1'
/** The version to come, which is read beside it: `versions.ts` has what differs. */
export const NODEFIT_BETA = 'nodefit.dev/v1beta1'
/** The kinds that have both; signed actions and their records do not, since what was signed is not written anew. */
export const BETA_KINDS: readonly string[] = [
  'NodeInventory',
  'PoolPolicy',
  'RenderConfig',
  'SizingPolicy',
  'WorkloadSnapshot',
]
/** The prefix of the apiVersion of our kinds, and of our label and annotation keys. */
export const NODEFIT_GROUP = 'nodefit.dev/'
export const KORDER = 'core.korder.dev/v1alpha1'
export const KUBENODESMITH = 'kubenodesmith.parawell.cloud/v1alpha1'

type Predicate = (object: { readonly apiVersion: string; readonly kind: string }) => boolean

const is =
  (version: string, name: string): Predicate =>
  ({ apiVersion, kind }) =>
    apiVersion === version && kind === name

/** Returns the versions in which a kind of ours is read. */
export function versionsOf(kind: string): readonly string[] {
  return BETA_KINDS.includes(kind) ? [NODEFIT, NODEFIT_BETA] : [NODEFIT]
}

const isOurs =
  (name: string): Predicate =>
  ({ apiVersion, kind }) =>
    kind === name && versionsOf(name).includes(apiVersion)

export const isSizingPolicy = isOurs('SizingPolicy')
export const isRenderConfig = isOurs('RenderConfig')
export const isWorkloadSnapshot = isOurs('WorkloadSnapshot')
export const isNodeAction = isOurs('NodeAction')
export const isActionPolicy = isOurs('ActionPolicy')
export const isActionKeyring = isOurs('ActionKeyring')
export const isActionRecord = isOurs('ActionRecord')
export const isActionTrust = isOurs('ActionTrust')

/** Matches any version: an inventory of an unknown version must be refused, not ignored as if there were no nodes. */
export const isNodeInventory: Predicate = ({ apiVersion, kind }) =>
  apiVersion.startsWith(NODEFIT_GROUP) && kind === 'NodeInventory'

/** The kind of a policy's tests: no planner reads it, and `nodefit test` alone knows its fields. */
export const TEST_KIND = 'NodefitTest'

/** Matches any version, so that a test of an unknown one is refused, not left out. */
export const isNodefitTest: Predicate = ({ apiVersion, kind }) =>
  apiVersion.startsWith(NODEFIT_GROUP) && kind === TEST_KIND

/** Matches plain Orders too; the fields of an Order tell whether it is in DaemonSet mode. */
export const isOrder = is(KORDER, 'Order')
export const isTicket = is(KORDER, 'Ticket')

export const isPoolPolicy = isOurs('PoolPolicy')
export const isNodeSmithClaim = is(KUBENODESMITH, 'NodeSmithClaim')

/** Whether an object is of one of the kinds, in a version that is read. */
export function isNodefitKind({ apiVersion, kind }: Parameters<Predicate>[0], kinds: readonly string[]): boolean {
  return kinds.includes(kind) && versionsOf(kind).includes(apiVersion)
}

/** Returns the target kind of a SizingPolicy that is not validated yet. */
export function targetKindOf(policy: object): unknown {
  const { spec } = policy as { spec?: { targetRef?: { kind?: unknown } | null } | null }
  return spec?.targetRef?.kind ?? SIZING_POLICY_DEFAULTS.targetRef.kind
}

/** Fields of a SizingPolicy that v1beta1 has no more, each a second spelling of another one, below `spec`. */
export const BETA_SPELLINGS: Readonly<Record<string, string>> = { gomemlimitPercentage: 'goMemLimitPercentage' }

type Versioned = { readonly apiVersion: string; readonly kind: string; readonly spec?: unknown }

/**
 * Returns a resource in v1beta1; one that has no such version, or is of it already, is returned itself. Both render to
 * the same bytes. Where both spellings of a field are set, which is an error in v1alpha1, both stay.
 */
export function toBeta<T extends Versioned>(resource: T): T {
  const { apiVersion, kind, spec } = resource
  if (apiVersion !== NODEFIT || !BETA_KINDS.includes(kind)) return resource
  const changed = { ...resource, apiVersion: NODEFIT_BETA }
  if (kind !== 'SizingPolicy' || typeof spec !== 'object' || spec === null) return changed
  const renamed = Object.entries(spec).map(([name, value]) => [newName(name, spec), value] as const)
  return { ...changed, spec: Object.fromEntries(renamed) }
}

function newName(name: string, spec: object): string {
  const { [name]: other } = Object.hasOwn(BETA_SPELLINGS, name) ? BETA_SPELLINGS : {}
  return other === undefined || Object.hasOwn(spec, other) ? name : other
}

/** Reports fields that a SizingPolicy of v1beta1 does not have, with those that it has. */
export function renamedFindings(policy: Subject, spec: object): Finding[] {
  if (policy.apiVersion !== NODEFIT_BETA) return []
  return Object.entries(BETA_SPELLINGS).flatMap(([name, other]) => {
    if (!Object.hasOwn(spec, name)) return []
    const sentence = `SizingPolicy ${policy.metadata.name}: spec.${name} is not a field of ${NODEFIT_BETA} (did you mean ${other}?)`
    return [
      finding('UnknownField', sentence, { subject: policy, field: { path: `spec.${name}`, proposedValue: other } }),
    ]
  })
}
