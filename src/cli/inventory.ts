import { statSync } from 'node:fs'
import { writeWithSchema } from '../files/manifest.ts'
import { readObjects } from '../files/read-objects.ts'
import { snapshotOf, type Workload } from '../files/snapshot-of.ts'
import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import {
  DEFAULT_LABEL_KEYS,
  inventoryName,
  lastHeartbeat,
  nodeNameLabel,
  nodeProblem,
  poolLabelKeys,
  shapeOfNode,
  toInventory,
} from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import { isLabelValue, type Node, timeText } from '../kube/index.ts'
import { liveItems, readLiveAgents } from './cluster.ts'
import { type Command, type Options, readArguments } from './command.ts'
import { readUsageFiles } from './usage-files.ts'

const HELP = `nodefit inventory [FILE|-] --cluster NAME [--context NAME] [--kubeconfig FILE]
    [--label PATTERN]... [--exact] [--uid | --counts] [--pods FILE]
    [--tickets FILE] [--claims FILE] [--pools FILE] [--machines FILE]
    [--usage FILE]... [--earlier FILE]

Converts nodes to a NodeInventory: equal nodes become one shape, in any order.
  --cluster NAME   the cluster of the nodes
  --context NAME   read the nodes of a cluster instead, as kubectl would
  --kubeconfig FILE  that of the cluster, or instead of the usual one
  --label PATTERN  export these label keys, too; * matches any characters
  --exact          keep nodes that differ by a few Ki in separate shapes
  --uid            write the UIDs of the nodes
  --counts         write the number of nodes of each shape instead of names

These write a WorkloadSnapshot too (kubectl get KIND -A -o json):
  --pods FILE      the requests on each node, and the pods that wait for one
  --tickets FILE   the state of korder's Tickets
  --claims FILE    the NodeSmithClaims
  --pools FILE     the NodeSmithPools, whose labels are exported
  --machines FILE  the Machines and MachineDeployments of Cluster API
  --usage FILE     answers of Prometheus, VerticalPodAutoscalers; repeatable
  --earlier FILE   the snapshot before it, which says since when nodes are idle

  kubectl get nodes -o json | nodefit inventory - --cluster prod-eu
`

const OPTIONS = {
  cluster: { type: 'string', about: 'the cluster of the nodes' },
  context: { type: 'string', about: 'read the nodes of this context' },
  kubeconfig: { type: 'string', about: 'read the nodes of a cluster', value: 'file' },
  label: { type: 'string', multiple: true, about: 'export these label keys too' },
  exact: { type: 'boolean', about: 'keep nodes that differ by a few Ki in separate shapes' },
  uid: { type: 'boolean', about: 'write the UIDs of the nodes' },
  counts: { type: 'boolean', about: 'write the number of nodes instead of names' },
  pods: { type: 'string', about: 'write a WorkloadSnapshot of these pods too', value: 'file' },
  tickets: { type: 'string', about: 'write a WorkloadSnapshot of these Tickets too', value: 'file' },
  claims: { type: 'string', about: 'write a WorkloadSnapshot of these NodeSmithClaims too', value: 'file' },
  pools: { type: 'string', about: 'write a WorkloadSnapshot of these NodeSmithPools too', value: 'file' },
  machines: { type: 'string', about: 'write a WorkloadSnapshot of these Machines too', value: 'file' },
  usage: { type: 'string', multiple: true, about: 'write what these say that agents use', value: 'file' },
  earlier: { type: 'string', about: 'the WorkloadSnapshot that was written before', value: 'file' },
} as const satisfies Options

/** `nodefit inventory`: converts nodes as kubectl prints them to a NodeInventory. */
export const INVENTORY: Command = {
  about: 'convert nodes from kubectl to a NodeInventory',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: inventory,
}

async function inventory(args: string[]): Promise<void> {
  const { values, positionals } = readArguments('nodefit inventory', args, OPTIONS)
  if (positionals.length > 1)
    throw new UserError(`give one FILE, or - for stdin, not ${positionals.length}: ${positionals.join(' ')}`)
  if (values.cluster === undefined) throw new UserError('name the cluster: --cluster NAME')
  if (values.uid && values.counts)
    throw new UserError('give --uid or --counts, not both: without names there are no UIDs')
  const { pods, tickets, claims, pools, machines, earlier } = values
  const files = { pods, tickets, claims, pools, machines, earlier }
  for (const [flag, file] of Object.entries(files))
    if (file !== undefined && values.counts)
      throw new UserError(`give --${flag} or --counts: a WorkloadSnapshot names the nodes`)
  if (earlier !== undefined && pods === undefined)
    throw new UserError('give --pods with --earlier: pods decide which nodes are idle')
  const { context, kubeconfig } = values
  const isLive = (context ?? kubeconfig) !== undefined
  if (isLive && positionals.length > 0)
    throw new UserError('give a FILE, or --context and --kubeconfig of a cluster, not both')
  const source = positionals[0] ?? (isLive ? undefined : '-')
  const fromStdin = Object.entries({ nodes: source, ...files }).flatMap(([name, file]) => (file === '-' ? [name] : []))
  if (fromStdin.length > 1) throw new UserError(`only one of ${fromStdin.join(' and ')} can come from stdin`)
  const nodes =
    source === undefined ? liveItems(await readLiveAgents({ context, kubeconfig }, process.env)) : readObjects([source])
  const read: Workload = Object.fromEntries(
    Object.entries(files).flatMap(([flag, file]) => (file === undefined ? [] : [[flag, readObjects([file])]])),
  )
  const { exact, uid, counts } = values
  const label = [...(values.label ?? []), ...poolLabelKeys((read.pools ?? []).map(({ object }) => object))]
  const written = inventoryOf(nodes, values.cluster, { label, exact, uid, counts, exportedAt: writtenAt(source) })
  const usage = values.usage && readUsageFiles(values.usage, nodes, written)
  const workload = { ...read, ...(usage && { usage }) }
  const hasWorkload = usage !== undefined || WORKLOAD_FLAGS.some((flag) => files[flag] !== undefined)
  const more = hasWorkload ? [snapshotOf(workload, nodes, written)] : []
  writeOutput([written, ...more].map(writeWithSchema).join('---\n'))
}

/** The options that name what is written into a WorkloadSnapshot. */
const WORKLOAD_FLAGS = ['pods', 'tickets', 'claims', 'pools', 'machines'] as const

/** Kubelets report every node at least this often, if nothing changes. */
const HEARTBEAT_MILLISECONDS = 300_000

/**
 * Returns when the nodes were read: the time of the export, where a heartbeat not more than five minutes before shows
 * that it is; else the newest heartbeat, as of a file that was copied or checked out. Undefined without heartbeats.
 */
function observationTime(nodes: readonly Node[], exportedAt: Date | undefined): string | undefined {
  const newest = nodes
    .flatMap((node) => lastHeartbeat(node) ?? [])
    .sort()
    .at(-1)
  if (newest === undefined || exportedAt === undefined) return newest
  const lag = exportedAt.getTime() - Date.parse(newest)
  return lag > 0 && lag <= HEARTBEAT_MILLISECONDS ? timeText(exportedAt) : newest
}

/** Returns when a file was written; of stdin and of a cluster, now. */
function writtenAt(source: string | undefined): Date {
  return source === undefined || source === '-' ? new Date() : statSync(source).mtime
}

/**
 * The NodeInventory of Node items. Throws `UserError` for other kinds, invalid or repeated nodes, and an empty list.
 */
export function inventoryOf(
  items: readonly Item[],
  cluster: string,
  options: { label?: readonly string[]; exact?: boolean; uid?: boolean; counts?: boolean; exportedAt?: Date } = {},
): Record<string, unknown> {
  if (cluster === '' || !isLabelValue(cluster))
    throw new UserError(`"${cluster}" is not a valid cluster name: use at most 63 letters, digits, -, _ and .`)
  const others = items.find(({ object }) => object.apiVersion !== 'v1' || object.kind !== 'Node')
  if (others !== undefined) throw new UserError(`${others.object.kind} ${others.object.metadata.name} is not a Node`)
  const nodes = items.map(({ object }) => object as unknown as Node)
  if (nodes.length === 0) throw new UserError('NoNodes: the list of nodes is empty')
  for (const node of nodes) {
    const problem = nodeProblem(node)
    if (problem !== undefined) throw new UserError(`InventoryInvalid: Node ${node.metadata.name}: ${problem}`)
  }
  const seen = new Set<string>()
  const twice = nodes.map(({ metadata }) => metadata.name).find((name) => seen.has(name) || !seen.add(name))
  if (twice !== undefined) throw new UserError(`DuplicateNode: node ${twice} is in the list twice`)
  const labelKeys = [...new Set([...DEFAULT_LABEL_KEYS, ...(options.label ?? [])])].sort()
  const named = options.counts
    ? nodeNameLabel(
        nodes.map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} })),
        labelKeys,
      )
    : undefined
  if (named !== undefined)
    throw new UserError(`--counts writes no node names, but the label ${named} contains them: leave out its --label`)
  return toInventory(nodes.map(shapeOfNode), {
    name: inventoryName(cluster),
    cluster,
    observedAt: observationTime(nodes, options.exportedAt),
    labelKeys,
    exact: options.exact,
    uid: options.uid,
    counts: options.counts,
  })
}
