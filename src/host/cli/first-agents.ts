import { otherApiMend } from '../../core/object/index.ts'
import { listNames, plural } from '../../krm/finding/index.ts'
import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { operatorValues } from '../../plan/daemonset/index.ts'
import { readObjects } from '../files/read-objects.ts'
import { UserError } from '../files/user-error.ts'
import { chartObjects } from './chart-objects.ts'
import { type ClusterChoice, liveItems, readLiveAgents } from './cluster.ts'
import type { Agent } from './first-plan.ts'
import { type Choices, firstPolicy } from './first-policy.ts'
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
export interface Source {
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
