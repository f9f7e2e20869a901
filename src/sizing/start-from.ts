import type { Finding, Read } from '../finding/index.ts'
import { KubeError, Quantity, type ResourceRequirements } from '../kube/index.ts'
import {
  decimal,
  type PercentageName,
  type Resource,
  type RuleText,
  SIZING_POLICY_DEFAULTS,
  UNSET,
} from '../policy/index.ts'
import { type Basis, basisOf } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nodesOfGroup } from './group.ts'
import { amountOf, printAmount } from './size.ts'
import { type Pair, startPercentages } from './start-decimals.ts'

/** The group whose nodes a first policy starts from, and the largest basis of each resource. */
export interface StartGroup {
  readonly group: Group
  readonly basis: Basis
  /**
   * The largest basis of a node type, for each resource. Nodes without the label do not count: they may have any size.
   */
  readonly largest: Basis
}

/**
 * The group with the most nodes, of equal ones the first by identity; undefined where no group with nodes has a basis.
 */
export function startGroup(groups: readonly Group[]): StartGroup | undefined {
  const sized = groups.flatMap((group) => {
    const { value: basis } = group.sizedLike === undefined ? basisOf(group) : {}
    return basis === undefined ? [] : [{ group, basis, nodes: nodesOfGroup(group).nodeCount }]
  })
  const inUse = sized.filter(({ nodes }) => nodes > 0)
  const [first, ...others] = inUse
  if (first === undefined) return undefined
  const { group, basis } = others.reduce((best, next) => (next.nodes > best.nodes ? next : best), first)
  const most = (resource: Resource): Quantity =>
    sized
      .filter((entry) => entry.group === group || entry.group.kind !== 'default')
      .map((entry) => entry.basis[resource])
      .reduce((best, amount) => (amount.compare(best) > 0 ? amount : best))
  return { group, basis, largest: { cpu: most('cpu'), memory: most('memory') } }
}

/** An amount as written, and its quantity. */
interface Written {
  readonly text: Bound
  readonly amount: Quantity
}

/** A bound as a policy writes it. */
type Bound = string | number
type StartRule = Required<RuleText>
type Suffix = 'CPU' | 'Memory'

const RESOURCES: ReadonlyArray<{ resource: Resource; suffix: Suffix; least: string }> = [
  { resource: 'cpu', suffix: 'CPU', least: '1m' },
  { resource: 'memory', suffix: 'Memory', least: '1Mi' },
]
const NO_MINIMUM = Quantity.of(0n, 'DecimalSI')
const NO_MAXIMUM = Quantity.of(1n << 62n, 'DecimalSI')

/**
 * The rule that keeps the size of a container on nodes of the basis, byte for byte in canonical form, and gives it more
 * on larger nodes: percentages of the basis, the present amounts as minima, and maxima that decide nothing today. An
 * absent amount is `none`, and so is a limit of 0, which is no limit. A request of 0 beside a limit starts from the
 * least that nodefit renders. Errors for an amount that is not a quantity or below 0, and for a request above its
 * limit.
 */
export function startFrom(
  resources: ResourceRequirements | null | undefined,
  nodes: Pick<StartGroup, 'basis' | 'largest'>,
): Read<StartRule> {
  const rule = { resourcePercentages: noPercentages(), minResources: {}, maxResources: {} }
  const findings: Finding[] = []
  for (const { resource, suffix, least } of RESOURCES) {
    const { value: present, findings: problems } = readAmounts(resources, resource, least)
    findings.push(...problems)
    if (present === undefined) continue
    const amounts = { request: present.request?.amount, limit: present.limit?.amount }
    const percentages = startPercentages(resource, nodes.basis[resource], amounts)
    const most = (kind: 'request' | 'limit') =>
      maximum(resource, present[kind], percentages[kind], nodes.largest[resource])
    rule.resourcePercentages[`request${suffix}`] = percentages.request ?? UNSET
    rule.resourcePercentages[`limit${suffix}`] = percentages.limit ?? UNSET
    const lowest =
      present.request?.text ?? (present.limit === undefined ? SIZING_POLICY_DEFAULTS.minResources[resource] : undefined)
    Object.assign(rule.minResources, bounds(resource, suffix, lowest, present.limit?.text))
    Object.assign(rule.maxResources, bounds(resource, suffix, most('request'), present.limit && most('limit')))
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
      return amount.nanoValue() < 0n ? invalid(`is ${text}, below 0`) : { value: { text, amount }, findings: [] }
    } catch (error) {
      if (error instanceof KubeError) return invalid(`cannot be read: ${error.message}`)
      throw error
    }
  }) as [Read<Written>, Read<Written>]
  const findings = [...request.findings, ...limit.findings]
  if (findings.length > 0) return { findings }
  const upper = isZero(limit.value) ? undefined : limit.value
  if (isZero(request.value)) {
    const lowest = { text: least, amount: Quantity.parse(least) }
    return { value: { request: upper && (isAbove(lowest, upper) ? upper : lowest), limit: upper }, findings }
  }
  if (request.value !== undefined && upper !== undefined && isAbove(request.value, upper)) {
    const sentence = `requests.${resource} ${request.value.text} is above limits.${resource} ${upper.text}`
    return { findings: [finding('InvalidField', sentence)] }
  }
  return { value: { request: request.value, limit: upper }, findings }
}

function isZero(written: Written | undefined): boolean {
  return written?.amount.nanoValue() === 0n
}

function isAbove(left: Written, right: Written): boolean {
  return left.amount.compare(right.amount) > 0
}

/** The largest of the default, the present amount and the size on the largest nodes. */
function maximum(
  resource: Resource,
  present: Written | undefined,
  percentage: number | undefined,
  largest: Quantity,
): Bound {
  const texts: Bound[] = [SIZING_POLICY_DEFAULTS.maxResources[resource]]
  if (present !== undefined) texts.push(present.text)
  if (percentage !== undefined) {
    const rule = { percentage: decimal(percentage), min: NO_MINIMUM, max: NO_MAXIMUM, rounds: 'down' } as const
    texts.push(printAmount(resource, amountOf(resource, largest, rule)))
  }
  return texts.reduce((most, text) => (Quantity.parse(text).compare(Quantity.parse(most)) > 0 ? text : most))
}

/** The bounds of a resource in a policy; the bound of limits only where it differs. */
function bounds(resource: Resource, suffix: Suffix, shared: Bound | undefined, limit: Bound | undefined) {
  return {
    ...(shared === undefined ? {} : { [resource]: shared }),
    ...(limit === undefined || limit === shared ? {} : { [`limit${suffix}`]: limit }),
  }
}
