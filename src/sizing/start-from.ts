import type { Finding, Read } from '../finding/index.ts'
import { KubeError, Quantity, type ResourceRequirements } from '../kube/index.ts'
import { decimal, type PercentageName, type Resource, type RuleText, SIZING_POLICY_DEFAULTS } from '../policy/index.ts'
import { type Basis, basisOf } from './basis.ts'
import { finding } from './codes.ts'
import { type Group, nodesOfGroup } from './group.ts'
import { amountOf, printAmount } from './size.ts'
import { type Pair, startPercentages } from './start-decimals.ts'

/** The nodes that a first policy is fitted to, and the most that any group has. */
export interface StartGroup {
  readonly group: Group
  readonly basis: Basis
  /** For each resource the largest basis of a node type: nodes without the label may be of any size, virtual ones too. */
  readonly largest: Basis
}

/** The group with the most nodes, of several the first by identity; undefined where none that has nodes reports what they have. */
export function startGroup(groups: readonly Group[]): StartGroup | undefined {
  const sized = groups.flatMap((group) => {
    const { value: basis } = group.sizedLike === undefined ? basisOf(group) : {}
    return basis === undefined ? [] : [{ group, basis, nodes: nodesOfGroup(group).nodeCount }]
  })
  const inUse = sized.filter(({ nodes }) => nodes > 0)
  const [first, ...others] = inUse
  if (first === undefined) return undefined
  const { group, basis } = others.reduce((best, one) => (one.nodes > best.nodes ? one : best), first)
  const most = (resource: Resource): Quantity =>
    sized
      .filter((one) => one.group === group || one.group.kind !== 'default')
      .map((one) => one.basis[resource])
      .reduce((best, own) => (own.compare(best) > 0 ? own : best))
  return { group, basis, largest: { cpu: most('cpu'), memory: most('memory') } }
}

/** An amount as it is written, and what it is. */
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
 * The rule by which a container has on nodes of the basis what it has now, in canonical form byte for byte; on larger nodes more in proportion, and
 * nowhere less: percentages that come to what it has, what it has as minima, and maxima that decide nothing today. What is absent is
 * null, as is a limit of 0, which is none; a request of 0 beside a limit starts from the least that can be rendered. An amount that is no
 * quantity or below 0, and a request above its limit, are errors.
 */
export function startFrom(
  resources: ResourceRequirements | null | undefined,
  nodes: Pick<StartGroup, 'basis' | 'largest'>,
): Read<StartRule> {
  const rule = { resourcePercentages: noPercentages(), minResources: {}, maxResources: {} }
  const findings: Finding[] = []
  for (const { resource, suffix, least } of RESOURCES) {
    const { value: own, findings: problems } = amountsOf(resources, resource, least)
    findings.push(...problems)
    if (own === undefined) continue
    const amounts = { request: own.request?.amount, limit: own.limit?.amount }
    const percentages = startPercentages(resource, nodes.basis[resource], amounts)
    const most = (kind: 'request' | 'limit') => maximum(resource, own[kind], percentages[kind], nodes.largest[resource])
    rule.resourcePercentages[`request${suffix}`] = percentages.request ?? null
    rule.resourcePercentages[`limit${suffix}`] = percentages.limit ?? null
    const lowest =
      own.request?.text ?? (own.limit === undefined ? SIZING_POLICY_DEFAULTS.minResources[resource] : undefined)
    Object.assign(rule.minResources, bounds(resource, suffix, lowest, own.limit?.text))
    Object.assign(rule.maxResources, bounds(resource, suffix, most('request'), own.limit && most('limit')))
  }
  return findings.length > 0 ? { findings } : { value: rule, findings }
}

/** In the order that they are written in. */
function noPercentages(): Record<PercentageName, number | null> {
  return { requestCPU: null, requestMemory: null, limitCPU: null, limitMemory: null }
}

/** What is there of a resource, or what is wrong with it. */
function amountsOf(
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
    const own = { text: least, amount: Quantity.parse(least) }
    return { value: { request: upper && (isAbove(own, upper) ? upper : own), limit: upper }, findings }
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

function isAbove(one: Written, other: Written): boolean {
  return one.amount.compare(other.amount) > 0
}

/** The largest of the default, what is there, and what the largest nodes get. */
function maximum(
  resource: Resource,
  own: Written | undefined,
  percentage: number | undefined,
  largest: Quantity,
): Bound {
  const texts: Bound[] = [SIZING_POLICY_DEFAULTS.maxResources[resource]]
  if (own !== undefined) texts.push(own.text)
  if (percentage !== undefined) {
    const rule = { percentage: decimal(percentage), min: NO_MINIMUM, max: NO_MAXIMUM, rounds: 'down' } as const
    texts.push(printAmount(resource, amountOf(resource, largest, rule)))
  }
  return texts.reduce((most, text) => (Quantity.parse(text).compare(Quantity.parse(most)) > 0 ? text : most))
}

/** The bounds of a resource as a policy writes them; that of limits only where it is another one. */
function bounds(resource: Resource, suffix: Suffix, shared: Bound | undefined, limit: Bound | undefined) {
  return {
    ...(shared === undefined ? {} : { [resource]: shared }),
    ...(limit === undefined || limit === shared ? {} : { [`limit${suffix}`]: limit }),
  }
}
