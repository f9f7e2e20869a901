import { basename } from 'node:path'
import { podSpecOf } from '../../core/object/index.ts'
import { totalsOf, totalsText } from '../../face/index.ts'
import { DEFAULT_LABEL_KEYS, labelKeyMatcher } from '../../facts/inventory/index.ts'
import { type Fraction, type SizingPolicy, UNSET } from '../../kinds/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { changeTexts, type PodSpec, Quantity, type ResourceRequirements } from '../../kube/index.ts'
import { startGroupText } from '../../plan/sizing/index.ts'
import type { PackagePlan, Plan } from '../../rules/plan.ts'
import { lookText } from './all-words.ts'
import type { AgentLook } from './first-look.ts'
import type { FirstPolicy } from './first-policy.ts'
import { sizedContainers } from './first-rows.ts'
import { groupTexts } from './look-words.ts'

const NAMES = 'node-agent-daemonset-template operator'

type Made = FirstPolicy & {
  readonly target: KubernetesObject
  /** The ConfigMap of Kubescape's operator, if given. */
  readonly operator?: KubernetesObject
  readonly kept?: readonly KubernetesObject[]
  /** The growth that --budget allows; a quarter if it is not given. */
  readonly growth?: Fraction
}

/** The lines of `nodefit init` about its choices for each target, the changes of the first render, and its findings. */
export function firstWords(made: readonly Made[], { packages, findings, failed }: Plan): string[] {
  const planned = packages.flatMap((entry) => entry.planned)
  const changes = made.flatMap((entry) => {
    const { namespace, name } = entry.policy.metadata
    const result = planned.find(({ subject: { object } }) => {
      return object.metadata.name === name && object.metadata.namespace === namespace
    })
    const lines = [...choiceLines(entry), ...(result === undefined || failed ? [] : renderLines(entry, result))]
    return lines.map((line) => `${name}: ${line}`)
  })
  const problems = findings.filter(({ severity }) => severity !== 'info')
  return [
    ...changes,
    ...(failed ? [] : [objectsText(planned, made.length)]),
    ...problems.map(({ severity, code, message }) => `${severity}: ${code}: ${message}`),
    ...(failed ? ['the first render fails with these errors: correct them in the written files'] : []),
  ]
}

/** What says of a DaemonSet that its old pods must be gone before the new ones start. */
const DELETE_FIRST = ['HostPortHeld', 'AntiAffinityHeld', 'StatePathShared']

/**
 * What the first apply does to the pods, and the steps to it in their order: render, apply the groups, delete the
 * static DaemonSets. kpt deletes what it applied itself, which these were not; what another tool owns is switched off
 * there.
 */
export function applyWords(
  folder: string,
  made: ReadonlyArray<Pick<Made, 'target'>>,
  { findings, failed }: Pick<Plan, 'findings' | 'failed'>,
): string[] {
  const targets = made.flatMap(({ target }) => (target.kind === 'DaemonSet' ? [target] : []))
  const render = `next: kpt fn render --allow-exec --truncate-output=false ${folder}`
  if (failed || targets.length === 0) return [render]
  const hasFinding = ({ metadata }: KubernetesObject, codes: readonly string[]) =>
    findings.some(
      ({ code, subject }) =>
        codes.includes(code) &&
        subject?.kind === 'DaemonSet' &&
        subject.metadata.name === metadata.name &&
        subject.metadata.namespace === metadata.namespace,
    )
  const removal = (target: KubernetesObject) => {
    const { name, namespace = 'default' } = target.metadata
    return hasFinding(target, ['OwnedElsewhere'])
      ? `switch ${name} off where it is applied (OwnedElsewhere)`
      : `kubectl -n ${namespace} delete ds ${name}`
  }
  const isFirst = (target: KubernetesObject) => hasFinding(target, DELETE_FIRST)
  const inOrder = (all: readonly KubernetesObject[]) => all.map((target) => `then: ${removal(target)}`)
  return [
    ...findings.filter(({ code }) => code === 'StaticTemplateRetired').map(({ message }) => message),
    render,
    ...inOrder(targets.filter(isFirst)),
    `then: kpt live init ${folder} && kpt live apply ${folder}; with Flux or Argo CD, commit ${folder}`,
    ...inOrder(targets.filter((target) => !isFirst(target))).map((line) => `${line}, when the new pods run`),
  ]
}

/** How many DaemonSets there are in all: `140 DaemonSets in place of 7`. */
function objectsText(planned: ReadonlyArray<Pick<PackagePlan['planned'][number], 'objects'>>, before: number): string {
  const after = planned.reduce((sum, { objects }) => sum + objects.length, 0)
  return `in all ${plural(after, 'DaemonSet')} in place of ${before}`
}

function choiceLines(made: Made): string[] {
  const { policy, target, container, start } = made
  const spec = policy.spec as SizingPolicy['spec']
  const by = groupingWords(spec)
  if (made.look !== undefined) return lookWords(by, made, made.look)
  if (container === undefined || start === undefined) return operatorWords(by, spec, made)
  const percentages = Object.entries(spec.resourcePercentages ?? {})
  const set = percentages.filter(([, value]) => value !== UNSET).map(([name, value]) => `${name} ${value} %`)
  const unset = percentages.filter(([, value]) => value === UNSET).map(([name]) => name)
  const sizes =
    set.length > 0
      ? `sizes start from its present ones on ${startGroupText({ ...start, group: made.startsFrom ?? start.group })}: ${set.join(', ')}`
      : 'it has neither requests nor limits: write percentages into the policy to size it'
  return [
    `${by}; sizes container ${container}${othersOf(target, container)}`,
    sizes,
    ...factorsText(spec, made),
    ...(unset.length === 0
      ? []
      : [`not set in the DaemonSet, so none in the policy: ${unset.join(', ')}${requestNote(spec)}`]),
    ...(spec.goMemLimitPercentage === undefined
      ? []
      : [`its GOMEMLIMIT follows the memory limit: goMemLimitPercentage ${spec.goMemLimitPercentage}`]),
  ]
}

/** The lines about a policy whose sizes are rows of what one look showed. */
function lookWords(by: string, { target, container }: Made, look: AgentLook): string[] {
  const at = look.takenAt === undefined ? 'from what Prometheus knows' : lookText(look.takenAt)
  if (container === undefined) return [`${by}; nothing of it is measured: each node keeps what the template has`]
  return [
    `${by}; sizes ${listNames(sizedContainers(look))}${look.containers.length > 1 ? ` of ${plural(look.containers.length, 'container')}` : ''} by what ${target.metadata.name} uses, ${at}`,
    `verdict ${look.proposal.verdict}: ${groupTexts(look)}`,
  ]
}

/** What no node gets more than, as multiples of today's amounts. */
function factorsText({ resourcePercentages = {} }: SizingPolicy['spec'], { factors, growth }: Made): string[] {
  if (factors === undefined) return []
  const isSized = (suffix: 'CPU' | 'Memory') =>
    (['request', 'limit'] as const).some((place) => typeof resourcePercentages[`${place}${suffix}`] === 'number')
  const times = (tenths: number) => `${tenths / 10} times`
  const parts = [
    ...(isSized('CPU') ? [`${times(factors.cpu)} its present cpu`] : []),
    ...(isSized('Memory') ? [`${times(factors.memory)} its present memory`] : []),
  ]
  if (parts.length === 0) return []
  const percent = growth === undefined ? 25 : Number((100n * growth.numerator) / growth.denominator)
  return [
    `no node gets less than today, and none more than ${parts.join(' and ')}: the requests of all nodes grow by no more than ${percent} % (--budget)`,
  ]
}

/** The lines about sizes for Kubescape's template: from the ConfigMap of the operator, or its defaults. */
function operatorWords(by: string, spec: SizingPolicy['spec'], { operator, kept = [] }: Made): string[] {
  const sizes = Object.entries(spec.resourcePercentages ?? {}).map(([name, value]) => `${name} ${value} %`)
  const bounds = [spec.minResources, spec.maxResources].map((bound) => `${bound?.cpu} and ${bound?.memory}`)
  const words = `${sizes.join(', ')}; at least ${bounds[0]}, at most ${bounds[1]}`
  if (operator === undefined)
    return [
      `${by}; the sizes are the defaults of Kubescape's operator: ${words}`,
      `the ConfigMap of the operator was not given, and the chart may set other values (by default at least 600Mi): give --template both ConfigMaps, kubectl -n kubescape get configmap ${NAMES} -o json`,
    ]
  const { name } = operator.metadata
  return [
    `${by}; all values are those of ConfigMap ${name}: ${words}`,
    ...(kept.some(({ metadata }) => metadata.name === name)
      ? []
      : [`ConfigMap ${name} is not written, since its autoscaler is on: switch that off before you apply the output`]),
  ]
}

/** A note where a limit has no request: the API server then sets the request to the limit. */
function requestNote({ resourcePercentages: percentages = {} }: SizingPolicy['spec']): string {
  const isLimitAlone = (request: unknown, limit: unknown) => request === UNSET && limit !== UNSET
  const isAny =
    isLimitAlone(percentages.requestCPU, percentages.limitCPU) ||
    isLimitAlone(percentages.requestMemory, percentages.limitMemory)
  return isAny ? '; Kubernetes uses a limit without a request as the request, too' : ''
}

function groupingWords({ nodeGroupLabel, nodeGroupRanges, classes }: SizingPolicy['spec']): string {
  if (nodeGroupRanges !== undefined)
    return `groups by ranges of ${nodeGroupRanges.label} with bounds ${nodeGroupRanges.bounds.join(', ')}`
  return `groups by ${nodeGroupLabel}${classes === undefined ? '' : `, with classes of similar size`}`
}

function othersOf(target: KubernetesObject, container: string): string {
  const others = containersOf(target).flatMap(({ name }) =>
    name === container || typeof name !== 'string' ? [] : [name],
  )
  return others.length === 0 ? '' : ` alone, not ${listNames(others)}`
}

function renderLines({ target, container }: Made, planned: PackagePlan['planned'][number]): string[] {
  if (container === undefined) return []
  const before = containersOf(target).find(({ name }) => name === container)?.resources ?? {}
  const totals = totalsOf(planned)
  const all = totals === undefined ? [] : [`all pods: ${totalsText(totals)}`]
  return [...changeLines(planned, container, before), ...all].map((line) => `first render: ${line}`)
}

/** What to set in the SyncConfig, and the next step. */
export function syncWords(folder: string, cluster: string | undefined, inventory: Record<string, unknown>): string[] {
  const { labelKeys } = inventory.spec as { labelKeys: string[] }
  const isUsual = labelKeyMatcher(DEFAULT_LABEL_KEYS)
  const more = labelKeys.filter((key) => !isUsual(key))
  return [
    `next: commit ${folder}, and set in the SyncConfig: cluster: ${cluster ?? 'NAME'}, packages: [PATH of ${basename(folder)} in the repository]${more.length === 0 ? '' : `, labels: [${more.join(', ')}]`}`,
    'then: nodefit sync --config sync.yaml --once --dry-run shows the first commit',
  ]
}

export function laterInventory(folder: string, cluster = 'cluster', inventory: Record<string, unknown>): string[] {
  const { labelKeys } = inventory.spec as { labelKeys: string[] }
  const isUsual = labelKeyMatcher(DEFAULT_LABEL_KEYS)
  const more = labelKeys.filter((key) => !isUsual(key))
  if (more.length === 0) return []
  const options = [`--cluster ${cluster}`, ...more.map((key) => `--label ${key}`)].join(' ')
  return [`when the nodes change: nodefit inventory nodes.json ${options} > ${folder}/inventory.yaml`]
}

/** What the first render changes of a container, group by group, in words. */

/** The resources of a container in a rendered object, and the number of its nodes. */
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

/** Lines about the first render's changes of a container: unchanged objects, then changed ones. */
export function changeLines(
  { objects }: Pick<PackagePlan['planned'][number], 'objects'>,
  container: string,
  before: ResourceRequirements,
): string[] {
  const all = objects
    .filter(({ nodeCount }) => nodeCount > 0)
    .map(({ object, nodeCount }) => ({
      name: object.metadata.name,
      nodes: nodeCount,
      resources: resourcesOf(object, container),
    }))
  const changed = all.flatMap(({ name, nodes, resources }) => {
    const words = changeText(before, resources)
    return words === '' ? [] : [`${name} (${plural(nodes, 'node')}): ${words}`]
  })
  const same = all.filter(({ resources }) => changeText(before, resources) === '')
  const rest = changed.length - MOST_LINES
  return [
    ...(same.length === 0 ? [] : [`${listNames(same.map(({ name }) => name))} (${nodesOf(same)}): as today`]),
    ...changed.slice(0, MOST_LINES),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ]
}

/** The containers and the init containers of an object's pods. */
function containersOf(object: KubernetesObject): NonNullable<PodSpec['containers']> {
  const { containers = [], initContainers } = podSpecOf(object)
  return [...containers, ...(initContainers ?? [])]
}

function resourcesOf(object: KubernetesObject, name: string): ResourceRequirements {
  return containersOf(object).find((container) => container.name === name)?.resources ?? {}
}

/** The changed amounts: `requests cpu 100m -> 820m, memory 128Mi -> 1Gi; limits …`. */
function changeText(before: ResourceRequirements, after: ResourceRequirements): string {
  return PLACES.flatMap((place) => {
    const words = RESOURCES.flatMap((resource) => {
      const [old, next] = [before[place]?.[resource], after[place]?.[resource]]
      if (old === undefined && next === undefined) return []
      const [was, is] = [old, next].map((amount) => (amount === undefined ? undefined : Quantity.parse(amount)))
      if (was !== undefined && is !== undefined && was.compare(is) === 0) return []
      return [`${resource} ${changeTexts(resource, [was, is]).join(' -> ')}`]
    })
    return words.length === 0 ? [] : [`${place} ${words.join(', ')}`]
  }).join('; ')
}

function nodesOf(all: readonly Rendered[]): string {
  return plural(
    all.reduce((total, { nodes }) => total + nodes, 0),
    'node',
  )
}
