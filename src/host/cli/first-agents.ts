import { otherApiMend } from '../../core/object/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import { newItem } from '../../krm/item.ts'
import { isMap } from '../../krm/map.ts'
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
import { UserError } from '../files/user-error.ts'
import { type ClusterChoice, liveItems, readLiveAgents } from './cluster.ts'
import { type Choices, type FirstPolicy, firstPolicy } from './first-policy.ts'
import { readNodes } from './inventory.ts'

/** What `nodefit init` reads: files, or DaemonSets of a cluster by namespace and name. */
export interface AgentSources {
  /** Undefined where a cluster is read. */
  readonly nodesFile?: string
  readonly live?: ClusterChoice
  readonly files: readonly string[]
  readonly kind: 'DaemonSet' | 'ConfigMap'
}

/** The objects of one agent, and the file or name that they come from. */
interface Source {
  readonly from: string
  readonly items: readonly Item[]
}

/** Reads the files, or the cluster: nodes, and the objects of each agent. */
export async function sourcesOf({
  live,
  nodesFile = '-',
  files,
  kind,
}: AgentSources): Promise<{ nodes: readonly Item[]; sources: readonly Source[] }> {
  if (live === undefined || kind !== 'DaemonSet')
    return { nodes: readNodes(nodesFile), sources: files.map((from) => ({ from, items: readObjects([from]) })) }
  const { daemonSets, ...cluster } = await readLiveAgents(live, process.env, files)
  const itemOf = (object: object) => newItem(object as KubernetesObject)
  return {
    nodes: liveItems(cluster),
    sources: daemonSets.map((object, index) => ({ from: files[index] ?? '', items: [itemOf(object)] })),
  }
}

/** The policies for the DaemonSets or the Kubescape chart in some files; their objects have names of their own. */
export function agentsFrom(
  sources: readonly Source[],
  kind: AgentSources['kind'],
  nodes: readonly Item[],
  choices: Choices,
): Agent[] {
  const taken = new Map<string, Set<string>>()
  return sources.map((source) => {
    const agent = agentFrom(source, kind, nodes, choices, taken)
    const names = taken.get(homeOf(agent.target)) ?? new Set<string>()
    for (const name of agent.names) names.add(name)
    taken.set(homeOf(agent.target), names)
    return agent
  })
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
): Agent {
  if (kind === 'DaemonSet') {
    const target = onlyObject(items, file, kind)
    if (target.apiVersion !== APPS)
      throw new UserError(
        `${file}: DaemonSet ${target.metadata.name} is of apiVersion ${target.apiVersion}; ${APPS} is needed. ${otherApiMend(target.apiVersion)}`,
      )
    return { target, ...firstPolicy(target, nodes, { ...choices, taken: taken.get(homeOf(target)) }) }
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
