import {
  decimal,
  type PercentageName,
  type Resource,
  type SizesText,
  type SizingSettings,
  UNSET,
} from '../../kinds/index.ts'
import { type Finding, plural, type Read } from '../../krm/finding.ts'
import {
  amountTexts,
  type Container,
  KubeError,
  type PodSpec,
  Quantity,
  type ResourceRequirements,
} from '../../kube/index.ts'
import { type Basis, basisOf, statisticOf } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nodesOfGroup } from './group.ts'
import type { Share } from './size.ts'
import { NANO_PER_STEP, type Pair, startPercentages } from './start-decimals.ts'

/** The group whose nodes sizes start from, and the amounts that percentages are taken of there. */
export interface StartGroup {
  readonly group: Group
  readonly basis: Basis
  /** Which amounts of the nodes these are, of each resource by itself. */
  readonly statistic: SizingSettings['basis']
}

/** How many tenths of its present amounts a container gets at most, of each resource. */
export type Factors = Readonly<Record<Resource, number>>

/**
 * The group with the most nodes, of equal ones that with the smaller nodes, from which no node gets less than it has
 * today, then the first by identity; undefined where no group with nodes has a basis.
 */
export function startGroup(
  groups: readonly Group[],
  statistic: SizingSettings['basis'] = 'smallest',
): StartGroup | undefined {
  const sized = groups.flatMap((group) => {
    const { value: basis } = group.sizedLike === undefined ? basisOf(group, statistic) : {}
    return basis === undefined ? [] : [{ group, basis, nodes: nodesOfGroup(group).nodeCount }]
  })
  const [first, ...others] = sized.filter(({ nodes }) => nodes > 0)
  if (first === undefined) return undefined
  const { group, basis } = others.reduce((best, next) => {
    const isSmaller = next.basis.memory.compare(best.basis.memory) < 0
    return next.nodes > best.nodes || (next.nodes === best.nodes && isSmaller) ? next : best
  }, first)
  return { group, basis, statistic: statisticOf(group, statistic) }
}

/** Names the group that sizes start from, and its amounts, which may be those of two nodes. */
export function startGroupText({ group, basis, statistic }: StartGroup): string {
  const nodes = plural(nodesOfGroup(group).nodeCount, 'node')
  const amounts = (['cpu', 'memory'] as const).map((name) => `${name} ${amountTexts(name, [basis[name]])}`)
  return `${group.value ?? group.namePart}, the group with most nodes (${nodes}; the ${statistic} amounts: ${amounts.join(', ')})`
}

/** An amount as written, and its quantity. */
interface Written {
  readonly text: Bound
  readonly amount: Quantity
  /** Whether it is the same on every node: it stands for a request of 0, which is no request. */
  readonly isFixed?: boolean
}

/** A bound as a policy writes it. */
type Bound = string | number
export type StartRule = SizesText
type Suffix = 'CPU' | 'Memory'

const RESOURCES: ReadonlyArray<{ resource: Resource; suffix: Suffix; least: string }> = [
  { resource: 'cpu', suffix: 'CPU', least: '1m' },
  { resource: 'memory', suffix: 'Memory', least: '1Mi' },
]
const TENTHS = 10n

/**
 * The rule that keeps the size of a container on nodes of the basis, byte for byte in canonical form, and gives it more
 * on larger nodes: percentages of the basis, the present amounts as minima, and as maxima the present amounts times the
 * factors, rounded down to 1m and 1Mi. An absent amount is `none`, and so is a limit of 0, which is no limit. A request
 * of 0 is no request; beside a limit, which Kubernetes would take for it, it is the least that nodefit renders. Errors
 * for an amount that is not a quantity or below 0, and for a request above its limit.
 */
export function startFrom(
  resources: ResourceRequirements | null | undefined,
  basis: Basis,
  factors: Factors,
): Read<StartRule> {
  const rule = { resourcePercentages: noPercentages(), minResources: {}, maxResources: {} }
  const findings: Finding[] = []
  for (const { resource, suffix, least } of RESOURCES) {
    const { value: present, findings: problems } = readAmounts(resources, resource, least)
    findings.push(...problems)
    if (present === undefined) continue
    const amounts = { request: present.request?.amount, limit: present.limit?.amount }
    const percentages = startPercentages(resource, basis[resource], amounts)
    const most = (kind: 'request' | 'limit') => present[kind] && timesTenths(resource, present[kind], factors[resource])
    rule.resourcePercentages[`request${suffix}`] = percentages.request ?? UNSET
    rule.resourcePercentages[`limit${suffix}`] = percentages.limit ?? UNSET
    Object.assign(rule.minResources, bounds(resource, suffix, present.request?.text, present.limit?.text))
    Object.assign(rule.maxResources, bounds(resource, suffix, most('request'), most('limit')))
  }
  return findings.length > 0 ? { findings } : { value: rule, findings }
}

/** Percentages in the order in which policies write them. */
function noPercentages(): Record<PercentageName, number | string> {
  return { requestCPU: UNSET, requestMemory: UNSET, limitCPU: UNSET, limitMemory: UNSET }
}

/** The request and limit of a resource, or `InvalidField`. */
function readAmounts(
  resources: ResourceRequirements | null | undefined,
  resource: Resource,
  least: string,
): Read<Pair<Written>> {
  const [request, limit] = (['requests', 'limits'] as const).map((place): Read<Written> => {
    const text = resources?.[place]?.[resource] ?? undefined
    if (text === undefined) return { findings: [] }
    const invalid = (what: string) => ({ findings: [finding('InvalidField', `${place}.${resource} ${what}`)] })
    try {
      const amount = Quantity.parse(text)
      return amount.nanoValue() < 0n
        ? invalid(`is ${text}, below 0`)
        : { value: { text: boundOf(text), amount }, findings: [] }
    } catch (error) {
      if (error instanceof KubeError) return invalid(`cannot be read: ${error.message}`)
      throw error
    }
  }) as [Read<Written>, Read<Written>]
  const findings = [...request.findings, ...limit.findings]
  if (findings.length > 0) return { findings }
  const upper = isZero(limit.value) ? undefined : limit.value
  if (isZero(request.value)) {
    const lowest = { text: least, amount: Quantity.parse(least), isFixed: true }
    return {
      value: { request: upper && (isAbove(lowest, upper) ? { ...upper, isFixed: true } : lowest), limit: upper },
      findings,
    }
  }
  if (request.value !== undefined && upper !== undefined && isAbove(request.value, upper)) {
    const sentence = `requests.${resource} ${request.value.text} is above limits.${resource} ${upper.text}`
    return { findings: [finding('InvalidField', sentence)] }
  }
  return { value: { request: request.value, limit: upper }, findings }
}

/** An amount as a policy writes it: an integer that is too long for a number is text. */
function boundOf(text: string | number | bigint): Bound {
  return typeof text === 'bigint' ? text.toString() : text
}

function isZero(written: Written | undefined): boolean {
  return written?.amount.nanoValue() === 0n
}

function isAbove(left: Written, right: Written): boolean {
  return left.amount.compare(right.amount) > 0
}

/** An amount times tenths, rounded down to a step; as written where that is no more. */
function timesTenths(resource: Resource, { text, amount, isFixed = false }: Written, tenths: number): Bound {
  const step = NANO_PER_STEP[resource]
  const steps = (amount.nanoValue() * BigInt(tenths)) / (TENTHS * step)
  if (isFixed || steps * step <= amount.nanoValue()) return text
  return (resource === 'cpu' ? Quantity.ofMilli(steps) : Quantity.of(steps << 20n, 'BinarySI')).toString()
}

/** The bounds of a resource in a policy; the bound of limits only where it differs. */
function bounds(resource: Resource, suffix: Suffix, shared: Bound | undefined, limit: Bound | undefined) {
  return {
    ...(shared === undefined ? {} : { [resource]: shared }),
    ...(limit === undefined || limit === shared ? {} : { [`limit${suffix}`]: limit }),
  }
}

type Place = 'requests' | 'limits'

const PLACES: readonly Place[] = ['requests', 'limits']

/**
 * The present amounts of the sized containers as those of one: of a single container as written, of several the least
 * budget that gives each, by its share, no less than it has: a missing request counts as the limit that Kubernetes
 * takes for it. Containers without a request get one beside others that have it; where any container has no limit there
 * is none, since a new limit may stop what runs today.
 */
export function presentAmounts(pod: PodSpec, shares: readonly Share[]): ResourceRequirements | null | undefined {
  const all = [...(pod.containers ?? []), ...(pod.initContainers ?? [])]
  const sized = shares.map(({ container, percent }) => {
    const found = all.find(({ name }) => name === container)
    if (found === undefined) throw new Error('a sized container is one of the pod')
    return { container: found, percent }
  })
  const [first, ...others] = sized
  if (others.length === 0) return first?.container.resources
  const amounts = PLACES.map((place) => {
    const budgets = RESOURCES.map(({ resource }) => [resource, leastBudget(sized, place, resource)] as const)
    return [place, Object.fromEntries(budgets.filter(([, budget]) => budget !== undefined))]
  })
  return Object.fromEntries(amounts)
}

interface Sized {
  readonly container: Container
  readonly percent: number
}

/** The amount, in whole millicores or Mi, that gives each container by its share what it has; undefined for none. */
function leastBudget(sized: readonly Sized[], place: Place, resource: Resource): string | undefined {
  const [own, limits] = [place, 'limits' as const].map((one) => sized.map((each) => nanoOf(each, one, resource)))
  const areLimited = limits?.every((nano) => nano !== undefined && nano !== 0n)
  // requests that are all missing follow the limits
  if (place === 'limits' ? !areLimited : areLimited && own?.every((nano) => nano === undefined)) return undefined
  const step = NANO_PER_STEP[resource]
  const steps = sized.flatMap(({ percent }, index) => {
    const nano = own?.[index] ?? limits?.[index] ?? 0n
    const { numerator, denominator } = decimal(percent)
    return nano === 0n ? [] : [dividedUp(dividedUp(nano, step) * 100n * denominator, numerator)]
  })
  if (steps.length === 0) return undefined
  const most = steps.reduce(larger)
  return (resource === 'cpu' ? Quantity.ofMilli(most) : Quantity.of(most << 20n, 'BinarySI')).toString()
}

function nanoOf({ container }: Sized, place: Place, resource: Resource): bigint | undefined {
  const text = container.resources?.[place]?.[resource] ?? undefined
  return text === undefined ? undefined : Quantity.parse(text).nanoValue()
}

function larger(left: bigint, right: bigint): bigint {
  return right > left ? right : left
}

function dividedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit
}
