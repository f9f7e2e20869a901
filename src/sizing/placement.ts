import type { Affinity, Labels, PodSpec, Toleration } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { and, keysOf, requiredTerms, withRequired } from './terms.ts'

/** Where pods may be: what the template says, narrowed by what the policy says. */
export interface Placement {
  readonly nodeSelector: Labels
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
  readonly hostNetwork: boolean
}

/** A selector key that the template and the policy want to have different values; no node can have both. */
export interface SelectorConflict {
  readonly key: string
  readonly template: string
  readonly policy: string
}

/** Joins the template's scheduling with the policy's: selectors merged, required affinity by AND, tolerations added. */
export function placementOf(template: PodSpec, settings: SizingSettings): Placement {
  const own = settings.affinity
  const base = template.affinity ?? undefined
  const affinity = base === undefined && own === undefined ? undefined : { ...own, ...base }
  const preferred = [...preferences(base), ...preferences(own)]
  const nodeAffinity = preferred.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : undefined
  const merged = affinity === undefined ? undefined : { ...affinity, nodeAffinity }
  if (merged?.nodeAffinity === undefined) delete merged?.nodeAffinity
  return {
    nodeSelector: { ...template.nodeSelector, ...settings.nodeSelector },
    affinity: withRequired(merged, and(requiredTerms(base), requiredTerms(own))),
    tolerations: distinct([...(template.tolerations ?? []), ...settings.tolerations]),
    hostNetwork: template.hostNetwork === true,
  }
}

/** The keys of both nodeSelectors whose values contradict each other. */
export function selectorConflicts(template: PodSpec, settings: SizingSettings): SelectorConflict[] {
  return Object.entries(settings.nodeSelector).flatMap(([key, policy]) => {
    const value = template.nodeSelector?.[key]
    return value === undefined || value === policy ? [] : [{ key, template: value, policy }]
  })
}

/** Every label key that decides where the pods may be. */
export function placementKeys({ nodeSelector, affinity }: Placement): string[] {
  return [...Object.keys(nodeSelector), ...keysOf(requiredTerms(affinity))]
}

function preferences(affinity: Affinity | undefined): unknown[] {
  return affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
}

function distinct(tolerations: Toleration[]): Toleration[] {
  const seen = new Set<string>()
  return tolerations.filter((toleration) => {
    const text = JSON.stringify(Object.entries(toleration).sort())
    return !seen.has(text) && seen.add(text)
  })
}
