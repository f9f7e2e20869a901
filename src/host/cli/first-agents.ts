import { otherApiMend } from '../../core/object/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import { newItem } from '../../krm/item.ts'
import { isMap } from '../../krm/map.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import {
  isAutoscalerOn,
  isMalwareDetected,
  isOperatorConfig,
  operatorValues,
  withoutTrailingBlanks,
  withReadSettings,
} from '../../plan/daemonset/index.ts'
import type { Plan } from '../../rules/plan.ts'
import { plan } from '../../rules/run.ts'
import { readObjects } from '../files/read-objects.ts'
import { endProgress } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { type ClusterChoice, liveItems, readLiveAgents, readLiveCluster } from './cluster.ts'
import { type Cluster, clusterIn, clusterOf, type FirstLook } from './first-look.ts'
import { type Choices, type FirstPolicy, firstPolicy } from './first-policy.ts'
import { readNodes } from './inventory.ts'

/** What `nodefit init` reads: files, or DaemonSets of a cluster by namespace and name. */
export interface AgentSources {
  /** Undefined where a cluster is read. */
  readonly nodesFile?: string
  readonly live?: ClusterChoice
  readonly files: readonly string[]
  readonly kind: 'DaemonSet' | 'ConfigMap'
  /** Files with pods, metrics and other DaemonSets; with `isAll` all that is read. */
  readonly usage?: readonly string[]
  /** Whether all DaemonSets are taken that nodefit does not render. */
  readonly isAll?: boolean
}

/** The objects of one agent, and the file or name that they come from. */
export interface Source {
  readonly from: string
  readonly items: readonly Item[]
}

/** What is read for `nodefit init`: nodes, the objects of each agent, and all that is known of the cluster. */
interface Sources {
  readonly nodes: readonly Item[]
  readonly sources: readonly Source[]
  readonly cluster: Cluster
}

/** Reads the files, or the cluster. */
export async function sourcesOf({
  live,
  nodesFile = '-',
  files,
  kind,
  usage = [],
  isAll = false,
}: AgentSources): Promise<Sources> {
  const itemOf = (object: object) => newItem(object as KubernetesObject)
  const objectsIn = (sources: readonly Source[]) =>
    sources.flatMap(({ items }) => items.map(({ object }) => object)).filter((object) => object.kind === 'DaemonSet')
  if (live !== undefined && kind === 'DaemonSet') {
    const { daemonSets, ...read } = await readLiveAgents(live, process.env, isAll ? [] : files)
    const nodes = liveItems(read)
    // two reads may differ: all that is said of nodes is of the same ones
    const cluster = { ...clusterOf(await readLiveCluster(live, process.env)), nodes }
    endProgress()
    const sources = daemonSets.map((object, index) => ({ from: files[index] ?? '', items: [itemOf(object)] }))
    return { nodes, sources: isAll ? allIn(cluster) : sources, cluster }
  }
  const cluster = clusterIn(usage)
  if (isAll) return { nodes: cluster.nodes, sources: allIn(cluster), cluster }
  const nodes = readNodes(nodesFile)
  const sources = files.map((from) => ({ from, items: readObjects([from]) }))
  const given = objectsIn(sources)
  const others = cluster.daemonSets.filter((other) => !given.some((one) => isSame(one, other)))
  return { nodes, sources, cluster: { ...cluster, nodes, daemonSets: [...given, ...others] } }
}

function isSame(one: KubernetesObject, other: KubernetesObject): boolean {
  return one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace
}

/** The DaemonSets that nodefit does not render, each a source. */
export function allIn({ daemonSets }: Pick<Cluster, 'daemonSets'>): Source[] {
  return daemonSets
    .filter((object) => ownerOf(object) === undefined)
    .map((object) => ({
      from: `${object.metadata.namespace ?? 'default'}/${object.metadata.name}`,
      items: [newItem(inOrder(object))],
    }))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
}

/** kubectl prints the keys of each map in order, without the managers of fields; a file that is written has them so. */
function inOrder(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata as KubernetesObject['metadata'] & {
    managedFields?: unknown
  }
  return sorted({ ...object, metadata }) as KubernetesObject
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}

/** The policies for the DaemonSets or the Kubescape chart in some files; their objects have names of their own. */
export function agentsFrom(
  sources: readonly Source[],
  kind: AgentSources['kind'],
  nodes: readonly Item[],
  choices: Choices,
  { look, present = [], onFailure }: AgentsOptions = {},
): Agent[] {
  const taken = new Map<string, Set<string>>()
  const take = (target: KubernetesObject, names: readonly string[]) => {
    const own = taken.get(homeOf(target)) ?? new Set<string>()
    for (const name of names) own.add(name)
    taken.set(homeOf(target), own)
  }
  for (const object of present) if (ownerOf(object) === undefined) take(object, [object.metadata.name])
  return sources.flatMap((source) => {
    try {
      const agent = agentFrom(source, kind, nodes, choices, taken, look)
      take(agent.target, agent.names)
      return [agent]
    } catch (error) {
      if (onFailure === undefined || !(error instanceof UserError)) throw error
      onFailure(source.from, error.message)
      return []
    }
  })
}

interface AgentsOptions {
  /** What the first look says of each. */
  readonly look?: FirstLook | undefined
  /** The DaemonSets of the cluster, whose names no group may have. */
  readonly present?: readonly KubernetesObject[]
  /** Called with an agent of which no policy can be made, and why, which then is left out; else it is thrown. */
  readonly onFailure?: ((from: string, why: string) => void) | undefined
}

function homeOf({ metadata }: KubernetesObject): string {
  return metadata.namespace ?? ''
}

const APPS = 'apps/v1'

/** The policy for the DaemonSet or the Kubescape chart in a file or a cluster. */
function agentFrom(
  { from: file, items }: Source,
  kind: AgentSources['kind'],
  nodes: readonly Item[],
  choices: Choices,
  taken: ReadonlyMap<string, ReadonlySet<string>>,
  look?: FirstLook,
): Agent {
  if (kind === 'DaemonSet') {
    const target = onlyObject(items, file, kind)
    if (target.apiVersion !== APPS)
      throw new UserError(
        `${file}: DaemonSet ${target.metadata.name} is of apiVersion ${target.apiVersion}; ${APPS} is needed. ${otherApiMend(target.apiVersion)}`,
      )
    const known = { ...choices, taken: taken.get(homeOf(target)), look: look?.of(target) }
    return { target, ...firstPolicy(target, nodes, known) }
  }
  // the data of the chart's ConfigMaps is read, so invalid YAML in one is an error
  const unread = items.find(({ object, opaque }) => object.kind === kind && opaque !== undefined)
  if (unread?.opaque !== undefined) throw unread.opaque
  const objects = items.map(({ object }) => object)
  if (!objects.some((object) => object.kind === kind)) onlyObject(items, file, kind)
  const { template, operator, kept } = chartObjects(objects, file)
  const values = operator && operatorValues(operator)
  // live ones are what the package replaces
  const printed = objects.filter((object) => object.kind === 'DaemonSet' && object.metadata.uid === undefined)
  return {
    target: template,
    operator,
    kept,
    printed,
    ...firstPolicy(template, nodes, { ...choices, operator: values }),
  }
}

/** The only object of a kind among those of a file, which may have objects of other kinds. */
function onlyObject(items: readonly Item[], file: string, kind: string): KubernetesObject {
  const objects = items.map((item) => item.object)
  const [object, ...more] = objects.filter((candidate) => candidate.kind === kind)
  if (object === undefined) {
    if (objects.length === 0)
      throw new UserError(
        `${file} is empty, or has comments alone: write the ${kind} into it again, as kubectl get -o yaml or helm template prints it`,
      )
    const held = objects.length === 1 ? `a ${objects[0]?.kind}` : plural(objects.length, 'object')
    throw new UserError(`${file} has ${held}, but no ${kind}`)
  }
  if (more.length > 0) {
    const names = listNames([object, ...more].map(({ metadata }) => metadata.name))
    throw new UserError(`${file} holds ${more.length + 1} ${kind}s (${names}): give each in its own file`)
  }
  return object
}

/** The objects of Kubescape's chart that a package needs. */
interface ChartObjects {
  readonly template: KubernetesObject
  /** The ConfigMap of the operator, if it configures the autoscaler. */
  readonly operator?: KubernetesObject
  /**
   * ConfigMaps to keep beside the template, with the settings that are read and no other: the agent's, and the
   * operator's unless it is a live one whose autoscaler is on, since the release is switched after the first render.
   */
  readonly kept: readonly KubernetesObject[]
}

const TEMPLATE_KEY = 'daemonset-template.yaml'
const TEMPLATE_NAME = 'node-agent-daemonset-template'

/**
 * Picks the template and the ConfigMaps of operator and agent from manifests of Kubescape's chart, and ignores other
 * objects. A single ConfigMap is the template, whatever its name. Throws `UserError` without a template or for several,
 * and for a configuration of the operator that is not JSON.
 */
export function chartObjects(objects: readonly KubernetesObject[], file: string): ChartObjects {
  const maps = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'ConfigMap')
  const [only] = maps
  const template = objects.length === 1 && only !== undefined ? only : onlyTemplate(maps.filter(isTemplate), file)
  const { namespace } = template.metadata
  const isBeside = ({ metadata }: KubernetesObject) => metadata.namespace === namespace
  const broken = maps.find((map) => isOperatorConfig(map) && isAutoscalerOn(map) === undefined && isBeside(map))
  if (broken !== undefined)
    throw new UserError(
      `${file}: data.config.json of ConfigMap ${broken.metadata.name} is not JSON: give it as the chart prints it`,
    )
  const operators = maps.filter((map) => isOperatorConfig(map) && operatorValues(map) !== undefined && isBeside(map))
  if (operators.length > 1)
    throw new UserError(`${file} holds ${operators.length} ConfigMaps of the operator: give a file with one`)
  const [operator] = operators
  const agents = maps.filter((map) => isMalwareDetected(map) !== undefined && isBeside(map))
  const isKept = operator !== undefined && (operator.metadata.uid === undefined || isAutoscalerOn(operator) !== true)
  return {
    template: asBlock(template),
    operator,
    kept: [...(isKept ? [operator] : []), ...agents].map(withReadSettings),
  }
}

/** Returns the ConfigMap with a template that can be written as a block, which shows its changes line by line. */
function asBlock(template: KubernetesObject): KubernetesObject {
  const data = isMap(template.data) ? template.data : {}
  const texts = Object.entries(data).map(([key, text]) => {
    const isText = key === TEMPLATE_KEY && typeof text === 'string'
    return [key, isText ? withoutTrailingBlanks(text) : text]
  })
  return texts.length === 0 ? template : { ...template, data: Object.fromEntries(texts) }
}

function isTemplate({ metadata, data }: KubernetesObject): boolean {
  return metadata.name === TEMPLATE_NAME || Object.hasOwn((data ?? {}) as object, TEMPLATE_KEY)
}

function onlyTemplate(templates: readonly KubernetesObject[], file: string): KubernetesObject {
  const [first, ...others] = templates
  if (first === undefined)
    throw new UserError(
      `${file} holds no ConfigMap ${TEMPLATE_NAME}: the chart prints it with --set nodeAgent.autoscaler.enabled=true`,
    )
  if (others.length > 0)
    throw new UserError(`${file} holds ${templates.length} templates of the chart: give a file with one`)
  return first
}

/** A policy, its target, and the ConfigMaps of Kubescape's chart beside it. */
export interface Agent extends FirstPolicy {
  readonly target: KubernetesObject
  readonly operator?: KubernetesObject
  readonly kept?: readonly KubernetesObject[]
  /** DaemonSets that the chart prints beside its template; they are no part of the package. */
  readonly printed?: readonly KubernetesObject[]
}

/** Returns the plan of the first render, of the package to be written and the given nodes. */
export function planFirst(made: readonly Agent[], nodes: readonly Item[]): Plan {
  const objects = made.flatMap(({ policy, target, kept = [], printed = [] }) => [policy, target, ...kept, ...printed])
  const items = [...objects.map((object) => newItem(object)), ...nodes]
  return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
}
