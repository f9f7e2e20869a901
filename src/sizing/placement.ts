import { type Mapping, member, scalarText } from '../krm/map.ts'
import type { Affinity, Labels, PodSpec, Toleration } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { and, countJoined, keysOf, MOST_TERMS, requiredTerms, type Terms, withRequired } from './terms.ts'

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
  const affinity = base === undefined && own === undefined ? undefined : { ...own, ...base, ...podRules(base, own) }
  const preferred = [...preferences(base), ...preferences(own)]
  const nodeAffinity = preferred.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : undefined
  const merged = affinity === undefined ? undefined : { ...affinity, nodeAffinity }
  if (merged?.nodeAffinity === undefined) delete merged?.nodeAffinity
  return {
    nodeSelector: { ...template.nodeSelector, ...settings.nodeSelector },
    affinity: withRequired(merged, termsOf(template, settings)),
    tolerations: distinct([...(template.tolerations ?? []), ...settings.tolerations]),
    hostNetwork: template.hostNetwork === true,
  }
}

/** The required terms of both, joined; where they are too many those of the template alone, and `placementFindings` says so. */
function termsOf(template: PodSpec, settings: SizingSettings): Terms {
  const own = requiredTerms(template.affinity)
  return countTerms(template, settings) > MOST_TERMS ? own : and(own, requiredTerms(settings.affinity))
}

/** How many required terms template and policy have together. */
export function countTerms(template: PodSpec, settings: SizingSettings): number {
  return countJoined(requiredTerms(template.affinity), requiredTerms(settings.affinity))
}

/** The keys of both nodeSelectors whose values contradict each other. */
export function selectorConflicts(template: PodSpec, settings: SizingSettings): SelectorConflict[] {
  return Object.entries(settings.nodeSelector).flatMap(([key, policy]) => {
    const value = Object.hasOwn(template.nodeSelector ?? {}, key) ? template.nodeSelector?.[key] : undefined
    return value === undefined || value === policy ? [] : [{ key, template: value, policy }]
  })
}

/** Whether required affinity chooses nodes by name. */
export function choosesByName({ affinity }: Pick<Placement, 'affinity'>): boolean {
  return requiredTerms(affinity)?.some(({ matchFields }) => (matchFields?.length ?? 0) > 0) ?? false
}

/** Every label key that decides where the pods may be. */
export function placementKeys({ nodeSelector, affinity }: Pick<Placement, 'nodeSelector' | 'affinity'>): string[] {
  return [...Object.keys(nodeSelector), ...keysOf(requiredTerms(affinity))]
}

function preferences(affinity: Affinity | undefined): unknown[] {
  return affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
}

/** Rules about other pods from both sides: each list of one behind that of the other. */
function podRules(
  base: Affinity | undefined,
  own: Affinity | undefined,
): Pick<Affinity, 'podAffinity' | 'podAntiAffinity'> {
  const result: Pick<Affinity, 'podAffinity' | 'podAntiAffinity'> = {}
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const [left, right] = [base?.[side], own?.[side]] as Array<Mapping | undefined>
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
