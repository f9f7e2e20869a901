import type { SizingSettings } from '../../kinds/index.ts'
import { type Mapping, member, scalarText } from '../../krm/map.ts'
import type { Affinity, Labels, PodSpec, Toleration } from '../../kube/index.ts'
import { and, countJoined, keysOf, MOST_TERMS, requiredTerms, type Terms, withRequired } from './terms.ts'

/** Where pods may run: the constraints of the template and of the policy. */
export interface Placement {
  readonly nodeSelector: Labels
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
  readonly hostNetwork: boolean
  /** Taints that pass, and do not count for membership. */
  readonly startupTaints?: SizingSettings['startupTaints']
}

/** A nodeSelector key with one value in the template and another in the policy; no node matches both. */
export interface SelectorConflict {
  readonly key: string
  readonly template: string
  readonly policy: string
}

/** Combines template and policy: nodeSelectors merged, required affinity joined by AND, tolerations added. */
export function placementOf(template: PodSpec, settings: SizingSettings): Placement {
  const base = template.affinity ?? undefined
  const added = settings.affinity
  const affinity =
    base === undefined && added === undefined ? undefined : { ...added, ...base, ...podRules(base, added) }
  const preferred = [...preferences(base), ...preferences(added)]
  const nodeAffinity = preferred.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : undefined
  const merged = affinity === undefined ? undefined : { ...affinity, nodeAffinity }
  if (merged?.nodeAffinity === undefined) delete merged?.nodeAffinity
  return {
    nodeSelector: { ...template.nodeSelector, ...settings.nodeSelector },
    affinity: withRequired(merged, termsOf(template, settings)),
    tolerations: distinct([...(template.tolerations ?? []), ...settings.tolerations]),
    hostNetwork: template.hostNetwork === true,
    startupTaints: settings.startupTaints,
  }
}

/**
 * The joined required terms; those of the template alone where they are too many, which `placementFindings` reports.
 */
function termsOf(template: PodSpec, settings: SizingSettings): Terms {
  const base = requiredTerms(template.affinity)
  return countTerms(template, settings) > MOST_TERMS ? base : and(base, requiredTerms(settings.affinity))
}

/** The number of required terms that template and policy give when joined. */
export function countTerms(template: PodSpec, settings: SizingSettings): number {
  return countJoined(requiredTerms(template.affinity), requiredTerms(settings.affinity))
}

/** The keys whose values differ between the two nodeSelectors. */
export function selectorConflicts(template: PodSpec, settings: SizingSettings): SelectorConflict[] {
  return Object.entries(settings.nodeSelector).flatMap(([key, policy]) => {
    const value = Object.hasOwn(template.nodeSelector ?? {}, key) ? template.nodeSelector?.[key] : undefined
    return value === undefined || value === policy ? [] : [{ key, template: value, policy }]
  })
}

/** Whether required affinity selects nodes by name. */
export function selectsByName({ affinity }: Pick<Placement, 'affinity'>): boolean {
  return requiredTerms(affinity)?.some(({ matchFields }) => (matchFields?.length ?? 0) > 0) ?? false
}

/** Every label key of a nodeSelector and required affinity. */
export function placementKeys({ nodeSelector, affinity }: Pick<Placement, 'nodeSelector' | 'affinity'>): string[] {
  return [...Object.keys(nodeSelector), ...keysOf(requiredTerms(affinity))]
}

function preferences(affinity: Affinity | undefined): unknown[] {
  return affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
}

/** Pod affinity and anti-affinity of both: each list of the template, followed by that of the policy. */
function podRules(
  base: Affinity | undefined,
  added: Affinity | undefined,
): Pick<Affinity, 'podAffinity' | 'podAntiAffinity'> {
  const result: Pick<Affinity, 'podAffinity' | 'podAntiAffinity'> = {}
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const [left, right] = [base?.[side], added?.[side]] as Array<Mapping | undefined>
    if (!left || !right) continue
    const lists = [...new Set([...Object.keys(left), ...Object.keys(right)])]
    result[side] = Object.fromEntries(lists.map((list) => [list, [...listIn(left, list), ...listIn(right, list)]]))
  }
  return result
}

function listIn(rules: Mapping, name: string): unknown[] {
  return (member(rules, name) as unknown[] | null | undefined) ?? []
}

function distinct(tolerations: Toleration[]): Toleration[] {
  const seen = new Set<string>()
  return tolerations.filter((toleration) => {
    const text = Object.entries(toleration)
      .sort()
      .map(([field, value]) => `${field}=${scalarText(value)}`)
      .join(' ')
    return !seen.has(text) && seen.add(text)
  })
}
