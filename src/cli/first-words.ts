import { listNames, plural } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { Quantity, type ResourceRequirements } from '../kube/index.ts'
import { podSpecOf } from '../object/index.ts'
import type { SizingPolicy } from '../policy/index.ts'
import { nodesOfGroup } from '../sizing/index.ts'
import type { Plan } from '../types.ts'
import type { Planned } from '../world/index.ts'
import type { FirstPolicy } from './first-policy.ts'

const NAMES = 'node-agent-daemonset-template operator'

type Made = FirstPolicy & {
  readonly target: KubernetesObject
  /** What Kubescape's operator is told, where it was given. */
  readonly operator?: KubernetesObject
  readonly kept?: readonly KubernetesObject[]
}

/** What was chosen for each target, what the first render changes of it, and what that render warns of. */
export function firstWords(made: readonly Made[], { packages, findings, failed }: Plan): string[] {
  const planned = packages.flatMap((one) => one.planned)
  const changes = made.flatMap((one) => {
    const { namespace, name } = one.policy.metadata
    const own = planned.find(({ subject: { object } }) => {
      return object.metadata.name === name && object.metadata.namespace === namespace
    })
    const lines = [...chosen(one), ...(own === undefined || failed ? [] : rendered(one, own))]
    return lines.map((line) => `${name}: ${line}`)
  })
  const said = findings.filter(({ severity }) => severity !== 'info')
  const spread = said.find(({ code }) => code === 'GroupSpread')?.field?.proposedValue
  return [
    ...changes,
    ...said.map(({ severity, code, message }) => `${severity}: ${code}: ${message}`),
    ...(failed ? ['the first render stops at these errors: mend them in what is written'] : []),
    ...(spread === undefined ? [] : [`to group by it, run this again with --label ${spread} and a new DIR`]),
  ]
}

function chosen(made: Made): string[] {
  const { policy, target, container, start } = made
  const spec = policy.spec as SizingPolicy['spec']
  const by = groupingWords(spec)
  if (container === undefined || start === undefined) return operatorWords(by, spec, made)
  const percentages = Object.entries(spec.resourcePercentages ?? {})
  const set = percentages.filter(([, value]) => value !== null).map(([name, value]) => `${name} ${value} %`)
  const unset = percentages.filter(([, value]) => value === null).map(([name]) => name)
  const { group, basis } = start
  const of = `${plural(nodesOfGroup(group).nodeCount, 'node')} with cpu ${basis.cpu}, memory ${basis.memory}`
  const sizes =
    set.length > 0
      ? `sizes start from what it has on ${group.value ?? group.namePart}, the commonest (${of}): ${set.join(', ')}`
      : 'it has neither requests nor limits, so that nothing is sized until you write percentages into the policy'
  return [
    `${by}; sizes container ${container}${othersOf(target, container)}`,
    sizes,
    ...(unset.length === 0 ? [] : [`not set there, and so not here (null): ${unset.join(', ')}${defaulted(spec)}`]),
    ...(spec.goMemLimitPercentage === undefined
      ? []
      : [`its GOMEMLIMIT follows the memory limit: goMemLimitPercentage ${spec.goMemLimitPercentage}`]),
  ]
}

/** Whose sizes a policy for Kubescape's template has: the operator's as it is told, or only as it would be by itself. */
function operatorWords(by: string, spec: SizingPolicy['spec'], { operator, kept = [] }: Made): string[] {
  const sizes = Object.entries(spec.resourcePercentages ?? {}).map(([name, value]) => `${name} ${value} %`)
  const bounds = [spec.minResources, spec.maxResources].map((one) => `${one?.cpu} and ${one?.memory}`)
  const words = `${sizes.join(', ')}; at least ${bounds[0]}, at most ${bounds[1]}`
  if (operator === undefined)
    return [
      `${by}; the sizes are the defaults of Kubescape's operator: ${words}`,
      `what the operator is told was not given, and the chart may have made other values of yours (600Mi at least by default): give --template both, kubectl -n kubescape get configmap ${NAMES} -o json`,
    ]
  const { name } = operator.metadata
  const isOn = 'its loop is on, so that it is not written here: switch the loop off before you apply what is rendered'
  return [
    `${by}; all values are those of ConfigMap ${name}: ${words}`,
    ...(kept.includes(operator) ? [] : [`ConfigMap ${name}: ${isOn}`]),
  ]
}

/** What the API server makes of a limit without a request, which grows with the limit. */
function defaulted({ resourcePercentages: own = {} }: SizingPolicy['spec']): string {
  const isLimitAlone = (request: unknown, limit: unknown) => request === null && limit !== null
  const isAny = isLimitAlone(own.requestCPU, own.limitCPU) || isLimitAlone(own.requestMemory, own.limitMemory)
  return isAny ? '; Kubernetes takes a limit without a request for the request, too' : ''
}

function groupingWords({ nodeGroupLabel, nodeGroupRanges, classes }: SizingPolicy['spec']): string {
  if (nodeGroupRanges !== undefined)
    return `groups by ranges of ${nodeGroupRanges.label} that begin at ${nodeGroupRanges.bounds.join(', ')}`
  return `groups by ${nodeGroupLabel}${classes === undefined ? '' : `, those of similar size together`}`
}

function othersOf(target: KubernetesObject, container: string): string {
  const others = containersOf(target).filter(({ name }) => name !== container)
  return others.length === 0 ? '' : `, and no other (${listNames(others.map(({ name }) => name))})`
}

function rendered({ target, container }: Made, planned: Parameters<typeof changeLines>[0]): string[] {
  if (container === undefined) return []
  const before = containersOf(target).find(({ name }) => name === container)?.resources ?? {}
  return changeLines(planned, container, before).map((line) => `first render: ${line}`)
}

function containersOf(object: KubernetesObject) {
  const { containers = [], initContainers } = podSpecOf(object)
  return [...containers, ...(initContainers ?? [])]
}

/** What a container has on the nodes of one rendered object. */
interface Rendered {
  readonly name: string
  readonly nodes: number
  readonly resources: ResourceRequirements
}

type Place = 'requests' | 'limits'
type Resource = 'cpu' | 'memory'

const PLACES: readonly Place[] = ['requests', 'limits']
const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const MOST_LINES = 12
const NANO = 1_000_000_000n

/** What the first render changes of a container's requests and limits, in lines: the objects with other sizes, the others, all nodes. */
export function changeLines({ objects }: Planned, container: string, before: ResourceRequirements): string[] {
  const all = objects
    .filter(({ nodeCount }) => nodeCount > 0)
    .map(({ object, nodeCount }) => ({
      name: object.metadata.name,
      nodes: nodeCount,
      resources: resourcesOf(object, container),
    }))
  const changed = all.flatMap((one) => {
    const words = changeOf(before, one.resources)
    return words === '' ? [] : [`${one.name} (${plural(one.nodes, 'node')}): ${words}`]
  })
  const same = all.filter(({ resources }) => changeOf(before, resources) === '')
  const rest = changed.length - MOST_LINES
  return [
    ...(same.length === 0 ? [] : [`${listNames(same.map(({ name }) => name))} (${nodesOf(same)}): as today`]),
    ...changed.slice(0, MOST_LINES),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    `all ${nodesOf(all)}: ${totals(before, all) || 'nothing is requested'}`,
  ]
}

function resourcesOf(object: KubernetesObject, name: string): ResourceRequirements {
  const { containers = [], initContainers } = podSpecOf(object)
  return [...containers, ...(initContainers ?? [])].find((container) => container.name === name)?.resources ?? {}
}

/** `requests cpu 100m -> 820m, memory 128Mi -> 1Gi; limits …`: what is another amount. */
function changeOf(before: ResourceRequirements, after: ResourceRequirements): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const [old, own] = [before[place]?.[resource], after[place]?.[resource]]
      if (old === undefined && own === undefined) return []
      if (old !== undefined && own !== undefined && Quantity.parse(old).compare(Quantity.parse(own)) === 0) return []
      return [`${resource} ${old ?? 'none'} -> ${own ?? 'none'}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

/** What the container requests and is limited to on all nodes together. */
function totals(before: ResourceRequirements, all: readonly Rendered[]): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const sum = (of: (one: Rendered) => ResourceRequirements) =>
        all.reduce((total, one) => total + nanoOf(of(one), place, resource) * BigInt(one.nodes), 0n)
      const [old, own] = [sum(() => before), sum(({ resources }) => resources)]
      if (old === 0n && own === 0n) return []
      return [`${resource} ${print(resource, old)}${own === old ? '' : ` -> ${print(resource, own)}`}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

function nanoOf(resources: ResourceRequirements, place: Place, resource: Resource): bigint {
  return Quantity.parse(resources[place]?.[resource] ?? 0).nanoValue()
}

/** Millicores; whole Mi, of which a fleet has many. */
function print(resource: Resource, nano: bigint): string {
  if (resource === 'cpu') return Quantity.ofMilli((nano * 1000n) / NANO).toString()
  return `${nano / NANO / 1024n / 1024n}Mi`
}

function nodesOf(all: readonly Rendered[]): string {
  return plural(
    all.reduce((total, { nodes }) => total + nodes, 0),
    'node',
  )
}
