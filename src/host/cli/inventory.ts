import { statSync } from 'node:fs'
import { printable } from '../../face/index.ts'
import {
  DEFAULT_LABEL_KEYS,
  inventoryName,
  isSameUid,
  nodeNameLabel,
  nodeProblem,
  observationOf,
  poolLabelKeys,
  type ReadTime,
  readInventory,
  shapeOfNode,
  toInventory,
  type UsageRow,
} from '../../facts/inventory/index.ts'
import { type Imported, LEAST_DAYS, readPrometheus } from '../../facts/usage/index.ts'
import { isNodeInventory, isWorkloadSnapshot, type NodeInventory } from '../../kinds/index.ts'
import { isError, listNames, plural, type Subject } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import { formatDuration, isLabelValue, isTime, isUid, type Node, readQuantity } from '../../kube/index.ts'
import type { ClusterIdentity } from '../cluster/identity.ts'
import { answerIn } from '../files/answer-in.ts'
import { writeWithSchema } from '../files/manifest.ts'
import { readObjects } from '../files/read-objects.ts'
import { snapshotOf, type Workload } from '../files/snapshot-of.ts'
import { writeOutput } from '../files/stdio.ts'
import { say } from '../files/terminal.ts'
import { importedRows } from '../files/usage-rows.ts'
import { UserError } from '../files/user-error.ts'
import { type KnownNodes, newNodeMemory } from '../sync/nodes/projected-node.ts'
import { retainedShapes } from '../sync/nodes/retain.ts'
import { liveItems, readLiveAgents } from './cluster.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit inventory [FILE|-] --cluster NAME [OPTION]...

Converts nodes to a NodeInventory: equal nodes become one shape, in any order.
  --cluster NAME   the cluster of the nodes
  --context NAME   read the nodes of a cluster instead, as kubectl would
  --kubeconfig FILE  that of the cluster, or instead of the usual one
  --cluster-uid UID  the uid of the Namespace kube-system; --context reads it
  --observed-at TIME  when the nodes were read, if not now
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
  --earlier FILE   what was written before: since when nodes and shapes are idle

  kubectl get nodes -o json | nodefit inventory - --cluster prod-eu
`

const OPTIONS = {
  cluster: { type: 'string', about: 'the cluster of the nodes' },
  context: { type: 'string', about: 'read the nodes of this context' },
  kubeconfig: { type: 'string', about: 'read the nodes of a cluster', value: 'file' },
  'cluster-uid': { type: 'string', about: 'the uid of the Namespace kube-system' },
  'observed-at': { type: 'string', about: 'when the nodes were read' },
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
  earlier: { type: 'string', about: 'what was written before', value: 'file' },
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
  const { context, kubeconfig } = values
  const isLive = (context ?? kubeconfig) !== undefined
  if (isLive && positionals.length > 0)
    throw new UserError('give a FILE, or --context and --kubeconfig of a cluster, not both')
  const source = positionals[0] ?? (isLive ? undefined : '-')
  const fromStdin = Object.entries({ nodes: source, ...files }).flatMap(([name, file]) => (file === '-' ? [name] : []))
  if (fromStdin.length > 1) throw new UserError(`only one of ${fromStdin.join(' and ')} can come from stdin`)
  const live = source === undefined ? await readLiveAgents({ context, kubeconfig }, process.env) : undefined
  const nodes = live === undefined ? readNodes(source ?? '-') : liveItems(live)
  const clusterUid = identityOf(values['cluster-uid'], live?.identity)
  const read: Workload = Object.fromEntries(
    Object.entries(files).flatMap(([flag, file]) => (file === undefined ? [] : [[flag, readObjects([file])]])),
  )
  const { exact, uid, counts } = values
  const label = [...(values.label ?? []), ...poolLabelKeys((read.pools ?? []).map(({ object }) => object))]
  const readTime = readTimeOf(values['observed-at'], source, live?.identity)
  const before = earlierInventory(read.earlier, {
    earlier,
    cluster: values.cluster,
    clusterUid,
    hasPods: pods !== undefined,
  })
  const written = inventoryOf(nodes, values.cluster, { label, exact, uid, counts, clusterUid, readTime, before })
  sayClocksAhead(nodes, readTime)
  const usage = values.usage && readUsageFiles(values.usage, nodes, written)
  const workload = { ...read, ...(usage && { usage }) }
  const hasWorkload = usage !== undefined || WORKLOAD_FLAGS.some((flag) => files[flag] !== undefined)
  const more = hasWorkload ? [snapshotOf(workload, nodes, written)] : []
  writeOutput([written, ...more].map(writeWithSchema).join('---\n'))
}

/** The objects of a file, or `-` for stdin, that lists nodes. Throws `UserError` for one without any. */
export function readNodes(source: string): Item[] {
  const nodes = readObjects([source])
  if (nodes.length > 0) return nodes
  const file = source === '-' ? 'the input' : source
  throw new UserError(`NoNodes: ${file} has no object: write it again, with kubectl get nodes -o json`)
}

/**
 * Returns the nodes of the inventory that was written before; undefined where none is given. Throws `UserError` for a
 * file that has nothing of the cluster: the shell empties a file before nodefit reads it.
 */
function earlierInventory(
  items: readonly Item[] | undefined,
  {
    earlier,
    cluster,
    clusterUid,
    hasPods,
  }: { earlier: string | undefined; cluster: string; clusterUid: string | undefined; hasPods: boolean },
): KnownNodes | undefined {
  if (items === undefined) return undefined
  const objects = items.map(({ object }) => object)
  const needed = hasPods ? 'WorkloadSnapshot' : 'NodeInventory'
  if (!objects.some((object) => (hasPods ? isWorkloadSnapshot(object) : isNodeInventory(object))))
    throw new UserError(
      `--earlier ${earlier} has no ${needed}: give the file that was written before, and write to another one, since the shell empties a file before it is read`,
    )
  const inventories = objects.filter(isNodeInventory).flatMap((object) => {
    const { value, findings } = readInventory(object)
    const error = findings.find(isError)
    if (value === undefined || error !== undefined) throw new UserError(`${error?.code}: ${error?.sentence}`)
    if (value.cluster !== cluster || !isSameUid(value.clusterUid, clusterUid))
      throw new UserError(
        `WrongCluster: NodeInventory ${object.metadata.name} of --earlier is of cluster ${value.cluster}${value.clusterUid === undefined ? '' : ` with the uid ${value.clusterUid}`}, not of ${cluster}${clusterUid === undefined ? '' : ` with ${clusterUid}`}`,
      )
    return [{ shapes: value.shapes, labelKeys: (object as unknown as NodeInventory).spec.labelKeys }]
  })
  return inventories.length === 0
    ? undefined
    : { shapes: inventories.flatMap(({ shapes }) => shapes), labelKeys: inventories[0]?.labelKeys ?? [] }
}

/** How long a shape stays after its last node, as `retainShapes` of nodefit sync and `retainGroups` of a policy. */
const RETAINED_MILLISECONDS = 336 * 3_600_000

/** The options that name what is written into a WorkloadSnapshot. */
const WORKLOAD_FLAGS = ['pods', 'tickets', 'claims', 'pools', 'machines'] as const

/**
 * Returns which cluster the nodes are of: as given, or as its API server says. Throws `UserError` for what is no uid,
 * and where the two differ; without the right to read it, it stays unknown, which one line says.
 */
function identityOf(given: string | undefined, live: ClusterIdentity | undefined): string | undefined {
  if (given !== undefined && !isUid(given))
    throw new UserError(
      `--cluster-uid "${given}" is no uid, such as 6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b: kubectl get namespace kube-system -o jsonpath='{.metadata.uid}' prints it`,
    )
  if (given !== undefined && live?.uid !== undefined && live.uid !== given)
    throw new UserError(`WrongCluster: --cluster-uid is ${given}, but the cluster that was read has ${live.uid}`)
  if (live?.problem !== undefined && given === undefined)
    say(
      `nodefit: warning: the inventory has no clusterUid, so clusters of one name are not told apart: ${printable(live.problem)}\n`,
    )
  return given ?? live?.uid
}

/** Returns what tells when the nodes were read: a person, the API server, the clock for stdin, or the file. */
function readTimeOf(
  given: string | undefined,
  source: string | undefined,
  live: ClusterIdentity | undefined,
): ReadTime {
  const clock = new Date()
  if (given !== undefined) {
    if (!isTime(given))
      throw new UserError(`--observed-at "${given}" is no RFC 3339 time, such as 2026-11-20T12:00:00Z`)
    return { at: new Date(given), isSure: true, clock }
  }
  if (source === undefined) return { at: live?.time ?? clock, isSure: true, clock }
  return { at: source === '-' ? clock : statSync(source).mtime, clock }
}

/** Names the nodes whose heartbeats are of a later time than their export. */
function sayClocksAhead(items: readonly Item[], readTime: ReadTime): void {
  const { ahead, observedAt } = observationOf(nodesOf(items), readTime)
  if (ahead.length === 0) return
  const shown = ahead.slice(0, SHOWN_CLOCKS).map(({ name, milliseconds }) => `${name} by ${durationText(milliseconds)}`)
  const more = ahead.length > SHOWN_CLOCKS ? ` and ${ahead.length - SHOWN_CLOCKS} more` : ''
  say(
    `nodefit: warning: ClockAhead: the clocks of ${plural(ahead.length, 'node')} are ahead of the export, ${observedAt}: ${shown.join(', ')}${more}. Their heartbeats are not taken for the time. Correct the clocks (NTP)\n`,
  )
}

/** How many clocks a line names. */
const SHOWN_CLOCKS = 3
const durationText = (milliseconds: number) => formatDuration(BigInt(Math.round(milliseconds / 1000)) * 1_000_000_000n)
const nodesOf = (items: readonly Item[]) => items.map(({ object }) => object as unknown as Node)

/** Says which amount of a node is no quantity; undefined where all are. */
function malformedAmount({ status }: Node): string | undefined {
  const { capacity, allocatable } = (status ?? {}) as Partial<
    Record<'capacity' | 'allocatable', Record<string, unknown>>
  >
  for (const [side, amounts] of Object.entries({ capacity, allocatable }))
    for (const [name, amount] of Object.entries(amounts ?? {}))
      if (readQuantity(amount as string) === undefined)
        return `status.${side}.${name} is ${JSON.stringify(amount)}, not a quantity such as 500m or 2Gi`
  return undefined
}

/**
 * The NodeInventory of Node items. Throws `UserError` for other kinds, invalid or repeated nodes, and an empty list.
 */
export function inventoryOf(
  items: readonly Item[],
  cluster: string,
  options: {
    label?: readonly string[]
    exact?: boolean
    uid?: boolean
    counts?: boolean
    clusterUid?: string
    readTime?: ReadTime
    /** The nodes of the inventory before it: shapes that have none any more stay, with the time since when. */
    before?: KnownNodes
  } = {},
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
    const amount = malformedAmount(node)
    if (amount !== undefined) throw new UserError(`InventoryInvalid: Node ${node.metadata.name}: ${amount}`)
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
  const { before, exact, uid, counts, clusterUid } = options
  const { observedAt } = observationOf(nodes, options.readTime ?? {})
  const written = { name: inventoryName(cluster), cluster, clusterUid, observedAt, labelKeys, exact, uid, counts }
  const shapes = nodes.map(shapeOfNode)
  if (before === undefined || observedAt === undefined) return toInventory(shapes, written)
  const present = readInventory(toInventory(shapes, written) as unknown as Subject).value?.shapes ?? []
  const kept = { now: Date.parse(observedAt), retainShapes: RETAINED_MILLISECONDS, labelKeys, memory: newNodeMemory() }
  const retained = retainedShapes(before, present, kept).shapes
  return toInventory(retained.length === 0 ? shapes : [...present, ...retained], {
    ...written,
    ...(retained.length === 0 ? {} : { exact: true }),
  })
}

/**
 * Reads the rows of usage from files: answers of Prometheus, and objects. `written` is the inventory beside them, whose
 * time counts for what says none. Throws `UserError` for an answer that cannot be used, and where nothing is left.
 */
function readUsageFiles(
  files: readonly string[],
  nodes: readonly Item[],
  { spec }: Record<string, unknown>,
): readonly UsageRow[] {
  const answers: Array<readonly Imported[]> = []
  const objects: Item[] = []
  for (const file of files) {
    const answer = answerIn(file)
    if (answer === undefined) {
      objects.push(...readObjects([file]))
      continue
    }
    const read = readPrometheus(answer)
    if (typeof read === 'string') throw new UserError(`${file}: ${read}`)
    answers.push(read)
  }
  const { observedAt } = spec as { observedAt?: string }
  const now = observedAt === undefined ? Date.now() : Date.parse(observedAt)
  const { rows, unknown, floors } = importedRows({ answers, objects }, nodes, now)
  const left = `no FILE has a policy or a rendered DaemonSet for ${listNames(unknown)}`
  if (floors.length > 0)
    say(
      `nodefit: of ${listNames(floors)} the recommendation is the least that a recommender makes (25m, 250Mi), whatever is used: left out\n`,
    )
  if (rows.length === 0 && floors.length === 0)
    throw new UserError(unknown.length > 0 ? left : 'no FILE says what the container of a DaemonSet uses')
  if (unknown.length > 0) say(`nodefit: ${left}: left out\n`)
  const young = rows.filter(({ days = 0, settled }) => settled === undefined && days < LEAST_DAYS)
  if (young.length > 0)
    say(`nodefit: nothing is settled of fewer than ${LEAST_DAYS} days: ${listNames(young.map(daysText))}\n`)
  return rows
}

function daysText({ policy, container, group, days = 0 }: UsageRow): string {
  return `${policy} ${container} ${group} (${plural(days, 'day')} of twelve hours or more)`
}
