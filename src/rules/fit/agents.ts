import type { Planned, Rendered } from '../../core/index.ts'
import { podSpecOf } from '../../core/object/index.ts'
import { codesAbout, type Finding, findingOf } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isMap } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import {
  type AmbiguousDefault,
  admitPod,
  ambiguousDefaults,
  type Container,
  type LimitRange,
  type LimitRangeItem,
  type PodSpec,
  podRequests,
  type Quantity,
  type QuotaScope,
  quotaApplies,
  quotaUsage,
  type Refusal,
  type ResourceQuantities,
  type ResourceQuota,
  type RuntimeClass,
  readQuantity,
  unlessMalformed,
} from '../../kube/index.ts'
import type { Examples } from '../rule.ts'

export const LIMIT_CODES = codesAbout('Fit', {
  FitNotChecked: {
    severity: 'warning',
    meaning: 'No pod is checked against a malformed LimitRange, ResourceQuota or RuntimeClass.',
    mend: 'Correct it; the API server would refuse it too.',
  },
})
const finding = findingOf(LIMIT_CODES)

export const EXAMPLES: Examples<typeof LIMIT_CODES> = {
  FitNotChecked: `
apiVersion: v1
kind: LimitRange
metadata: { name: limits }
spec: { limits: none }
`,
}

/** A rendered DaemonSet, with its pod after Kubernetes' defaults. */
export interface Agent {
  readonly planned: Planned
  readonly rendered: Rendered
  readonly pod: Pod
}

type Requests = Readonly<Record<string, Quantity>>

/** A pod in its namespace. Where several LimitRanges disagree, it covers the outcome of every order of them. */
export interface Pod {
  readonly spec: PodSpec
  /** The most that it may request. */
  readonly requests: Requests
  readonly refusals: readonly Refusal[]
  readonly ambiguous: readonly AmbiguousDefault[]
}

/**
 * Returns the DaemonSets of a subject with their pods; omits a pod with malformed amounts, which the API server
 * refuses.
 */
export function agentsOf(planned: Planned, limits: Limits): Agent[] {
  return planned.objects.filter(isDaemonSet).flatMap((rendered) => {
    const pod = podAs(podSpecOf(rendered.object), limits)
    return pod === undefined ? [] : [{ planned, rendered, pod }]
  })
}

/** Returns a pod as the API server would create it; undefined where an amount is malformed. */
export function podAs(template: PodSpec, { limitRanges, runtimeClasses }: Limits): Pod | undefined {
  const { runtimeClassName: name } = template
  const runtimeClass = typeof name === 'string' ? (runtimeClasses.get(name) ?? ('unknown' as const)) : undefined
  return unlessMalformed(() => {
    const ambiguous = ambiguousDefaults(template, limitRanges)
    const orders = ambiguous.length > 0 ? rotations(limitRanges) : [limitRanges]
    const admitted = orders.map((order) => admitPod(template, { limitRanges: order, runtimeClass }))
    const [first] = admitted
    if (first === undefined) return undefined
    const requests = admitted.map(({ spec }) => podRequests(spec)).reduce(mostOf)
    return { spec: first.spec, requests, refusals: admitted.flatMap(({ refusals }) => refusals), ambiguous }
  })
}

/** Returns the list once for each LimitRange, with that one first. */
function rotations(limitRanges: readonly LimitRange[]): LimitRange[][] {
  return limitRanges.map((_, index) => [...limitRanges.slice(index), ...limitRanges.slice(0, index)])
}

/** Returns the larger amount of each resource. */
export function mostOf(one: Requests, other: Requests): Record<string, Quantity> {
  const result = { ...one }
  for (const [name, amount] of Object.entries(other)) {
    const present = result[name]
    if (present === undefined || amount.compare(present) > 0) result[name] = amount
  }
  return result
}

function isDaemonSet({ object: { apiVersion, kind } }: Rendered): boolean {
  return apiVersion === 'apps/v1' && kind === 'DaemonSet'
}

/** Formats agents for a message: the first, and how many more. */
export function agentsText(agents: readonly Agent[]): string {
  const [first] = agents
  if (first === undefined) return 'none'
  const more = agents.length - 1
  return more === 0 ? describe(first.rendered.object) : `${describe(first.rendered.object)} and ${more} more`
}

/**
 * Returns a template without the amounts that it leaves open for each group: the template requests none of them itself.
 */
export function withoutOpenSizes(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers?.map(withoutOpen),
    initContainers: spec.initContainers?.map(withoutOpen),
  }
}

function withoutOpen(container: Container): Container {
  const { resources } = container
  if (resources === undefined || resources === null) return container
  return { ...container, resources: { requests: closed(resources.requests), limits: closed(resources.limits) } }
}

function closed(amounts: ResourceQuantities | null | undefined): ResourceQuantities {
  return Object.fromEntries(Object.entries(amounts ?? {}).filter(([, amount]) => readQuantity(amount) !== undefined))
}

/** A ResourceQuota with the item that holds it. */
export interface PlacedQuota {
  readonly item: Item
  readonly quota: ResourceQuota
}

/** The objects of a package that limit the pods of a namespace. */
interface Limits {
  readonly limitRanges: readonly LimitRange[]
  readonly quotas: readonly PlacedQuota[]
  readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>
  /** Reports objects that could not be read, which then limit nothing. */
  readonly findings: readonly Finding[]
}

/** A minimal pod: if a check of it throws, the limit is malformed. */
const PROBE: PodSpec = { containers: [{ name: 'probe', resources: { requests: { cpu: 1 }, limits: { cpu: 1 } } }] }

/**
 * Returns everything of a package that limits pods of a namespace, sorted by name; includes objects that nodefit reads
 * but never applies.
 */
export function limitsOf(items: readonly Item[], namespace: string | undefined): Limits {
  const findings: Finding[] = []
  const read = <Value>(kind: Kind, of: (object: KubernetesObject) => Value | undefined) =>
    items
      .filter((item) => isOf(item, kind, namespace))
      .sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1))
      .flatMap((item) => {
        const value = unlessMalformed(() => of(item.object))
        if (value !== undefined) return [{ item, value }]
        const sentence = `${describe(item.object)} is malformed, so no pod is checked against it`
        findings.push(finding('FitNotChecked', sentence, { subject: item.object }))
        return []
      })
  const limitRanges = read('LimitRange', limitRangeOf).map(({ value }) => value)
  const quotas = read('ResourceQuota', quotaOf).map(({ item, value }) => ({ item, quota: value }))
  const classes = read('RuntimeClass', runtimeClassOf).map(({ value }) => [value.name, value] as const)
  return { limitRanges, quotas, runtimeClasses: new Map(classes), findings }
}

type Kind = 'LimitRange' | 'ResourceQuota' | 'RuntimeClass'

function isOf({ object: { apiVersion, kind, metadata } }: Item, wanted: Kind, namespace: string | undefined): boolean {
  if (kind !== wanted) return false
  if (kind === 'RuntimeClass') return apiVersion.startsWith('node.k8s.io/')
  return apiVersion === 'v1' && metadata.namespace === namespace
}

function limitRangeOf({ metadata, spec }: KubernetesObject): LimitRange | undefined {
  const limits = isMap(spec) ? (spec.limits ?? []) : undefined
  if (!Array.isArray(limits) || !limits.every(isItem)) return undefined
  const limitRange = { name: metadata.name, limits }
  admitPod(PROBE, { limitRanges: [limitRange] })
  return limitRange
}

function isItem(item: unknown): item is LimitRangeItem {
  return (
    isMap(item) && Object.entries(item).every(([key, value]) => (key === 'type' ? isText(value) : isAmounts(value)))
  )
}

function quotaOf({ metadata, spec }: KubernetesObject): ResourceQuota | undefined {
  if (!isMap(spec)) return undefined
  const { hard = {}, scopes, scopeSelector } = spec
  const names = scopes ?? []
  const expressions = (isMap(scopeSelector) ? scopeSelector.matchExpressions : scopeSelector) ?? []
  if (!isAmounts(hard) || !Array.isArray(names) || !names.every(isText)) return undefined
  if (!Array.isArray(expressions) || !expressions.every(isScope)) return undefined
  const scopesByName = names.map((scopeName): QuotaScope => ({ scopeName, operator: 'Exists' }))
  const quota: ResourceQuota = { name: metadata.name, hard: hard ?? {}, scopes: [...scopesByName, ...expressions] }
  // check each scope separately: with all of them the check would end at the first that does not match
  for (const scope of quota.scopes) quotaApplies({ ...quota, scopes: [scope] }, PROBE)
  quotaUsage(quota, { ...PROBE, overhead: quota.hard })
  return quota
}

function isScope(scope: unknown): scope is QuotaScope {
  return isMap(scope) && isText(scope.scopeName) && isText(scope.operator)
}

function runtimeClassOf({ metadata, overhead }: KubernetesObject): RuntimeClass | undefined {
  if (overhead === undefined || overhead === null) return { name: metadata.name }
  const fixed = isMap(overhead) ? (overhead.podFixed ?? {}) : undefined
  if (!isAmounts(fixed)) return undefined
  const runtimeClass = { name: metadata.name, overhead: fixed }
  admitPod(PROBE, { limitRanges: [], runtimeClass })
  return runtimeClass
}

function isAmounts(value: unknown): value is Record<string, string | number> {
  if (value === undefined || value === null) return true
  return isMap(value) && Object.values(value).every((one) => typeof one === 'string' || typeof one === 'number')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
