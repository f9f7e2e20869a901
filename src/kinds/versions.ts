import type { Finding, Subject } from '../krm/finding/index.ts'
import { BETA_KINDS, NODEFIT, NODEFIT_BETA } from './api-versions.ts'
import { finding } from './codes.ts'

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
