import { isatty } from 'node:tty'
import { isReadablePodSpec, podSpecOf } from '../../core/object/index.ts'
import { printable, totalsOf } from '../../face/index.ts'
import { type ScannedDaemonSet, scanDaemonSets, scanJson, scanLines, scanSummary } from '../../face/scan/index.ts'
import { type PodObject, podProblem } from '../../facts/inventory/index.ts'
import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { writeYaml } from '../../krm/write-yaml.ts'
import { type Node, units } from '../../kube/index.ts'
import { firstContainer, leaveReason } from '../../plan/daemonset/index.ts'
import { placementKeys } from '../../plan/sizing/index.ts'
import type { ClusterObjects } from '../cluster/read-cluster.ts'
import { readObjects } from '../files/read-objects.ts'
import { writeView } from '../files/stdio.ts'
import { endProgress, paintFor, say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { type ClusterChoice, readLiveCluster } from './cluster.ts'
import { type Command, loadPages, type Options, readArguments, shellWords } from './command.ts'
import { planFirst } from './first-agents.ts'
import { firstPolicy } from './first-policy.ts'
import { inventoryOf } from './inventory.ts'

const HELP = `nodefit scan [--context NAME] [--kubeconfig FILE] [--namespace NAME]
             [--output table|json|yaml|html]
nodefit scan PATH... [--namespace NAME] [--output table|json|yaml|html]

Shows what each DaemonSet requests of the nodes it runs on, what it uses, who
owns it, and whether its size fits. Reads a cluster, as kubectl would, and
changes nothing; or files of kubectl: nodes, DaemonSets, pods, PodMetrics.

A verdict is
  starved   it uses more than 90 % of a limit, was OOMKilled, or waits for room
  uneven    one size on nodes that differ by more than four times
  wasteful  it uses less than 30 % of a request
  fine      none of these
  leave it  an add-on sets its size, or its node depends on it

  --context NAME     another context of the kubeconfig than its current one
  --kubeconfig FILE  instead of KUBECONFIG or ~/.kube/config
  --namespace NAME   only the DaemonSets of a namespace
  --output FORM      a table, or the same as JSON, YAML or an HTML page

  nodefit scan --context prod-eu
`

const FORMS = ['table', 'json', 'yaml', 'html'] as const
const OPTIONS = {
  context: { type: 'string', about: 'a context of the kubeconfig' },
  kubeconfig: { type: 'string', about: 'of the cluster', value: 'file' },
  namespace: { type: 'string', about: 'only the DaemonSets of a namespace' },
  output: { type: 'string', about: 'a table, JSON, YAML or HTML', value: FORMS },
} as const satisfies Options

const STDOUT = 1

/** `nodefit scan`: what the DaemonSets of a cluster request and use, and which sizes do not fit. */
export const SCAN: Command = {
  about: 'show what DaemonSets request and use',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: scan,
}

async function scan(args: string[]): Promise<void> {
  const { values, positionals } = readArguments('nodefit scan', args, OPTIONS)
  const { namespace, output = 'table', context, kubeconfig } = values
  const form = FORMS.find((known) => known === output)
  if (form === undefined) throw new UserError(`--output ${output} is not known: use ${FORMS.join(', ')}`)
  if (positionals.length > 0 && (context ?? kubeconfig) !== undefined)
    throw new UserError('give files, or --context and --kubeconfig of a cluster, not both')
  const cluster =
    positionals.length > 0
      ? clusterIn(readObjects(positionals))
      : clusterOf(await readLiveCluster({ context, kubeconfig, namespace }, process.env))
  if (cluster.nodes.length === 0) throw new UserError(`NoNodes: ${noNodesText(positionals)}`)
  if (cluster.pods === undefined) say('nodefit: without pods each DaemonSet counts as running wherever it may start\n')
  const rows = scannedRows(cluster).filter((row) => namespace === undefined || row.namespace === namespace)
  endProgress()
  if (form === 'json') writeView(`${JSON.stringify(scanJson(rows), undefined, 2)}\n`)
  else if (form === 'yaml') writeView(writeYaml(scanJson(rows)))
  else if (form === 'html') writeView(loadPages().scanPage(scanJson(rows), scanSummary(rows)))
  else {
    writeView(tableText(rows))
    const first = rows.find((row) => row.first !== undefined)
    if (first !== undefined && cluster.context !== undefined) sayNext(first, { kubeconfig, context: cluster.context })
  }
}

function noNodesText(files: readonly string[]): string {
  if (files.length === 0) return 'the cluster has no nodes, so there is nothing that its DaemonSets could fit'
  return `there is no Node in ${files.join(', ')}: give the output of kubectl get nodes -o json, too`
}

function tableText(rows: readonly ScannedDaemonSet[]): string {
  if (rows.length === 0) return 'nodefit: no DaemonSets\n'
  const isTerminal = isatty(STDOUT)
  const columns = isTerminal ? process.stdout.columns || undefined : undefined
  const lines = scanLines(rows, paintFor(isTerminal, process.env), columns)
  return [...lines, '', `nodefit: ${scanSummary(rows)}`].map((line) => `${line}\n`).join('')
}

/** Says how to write the first package: of the DaemonSet that matters most. */
function sayNext({ namespace, name }: ScannedDaemonSet, { kubeconfig, context }: ClusterChoice): void {
  const from = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context ? ['--context', context] : []),
  ]
  const words = shellWords(['nodefit', 'init', name, ...from, '--daemonset', `${namespace}/${name}`])
  say(`nodefit: next: ${printable(words)}, which writes a package and applies nothing\n`)
}

interface Cluster {
  /** The context that it was read by; undefined of files. */
  readonly context?: string
  readonly nodes: readonly Item[]
  readonly daemonSets: readonly KubernetesObject[]
  /** Undefined where they are not known. */
  readonly pods?: readonly PodObject[]
  readonly metrics: readonly KubernetesObject[]
}

const KINDS = ['Node', 'DaemonSet', 'Pod', 'PodMetrics']

/** Throws `UserError` for other kinds, without nodes, and for a pod that cannot be read. */
function clusterIn(items: readonly Item[]): Cluster {
  const other = items.find(({ object }) => !KINDS.includes(object.kind))?.object
  if (other !== undefined)
    throw new UserError(`${other.kind} ${other.metadata.name} is not one of ${KINDS.join(', ')}: leave it out`)
  const ofKind = (kind: string) => items.filter(({ object }) => object.kind === kind)
  const objectsOf = (kind: string) => ofKind(kind).map(({ object }) => object)
  const pods = objectsOf('Pod') as unknown as PodObject[]
  for (const pod of pods) {
    const problem = podProblem(pod)
    if (problem !== undefined) throw new UserError(`Pod ${pod.metadata.name} cannot be read: ${problem}`)
  }
  const known = pods.length === 0 ? {} : { pods }
  const ofOtherApi = objectsOf('DaemonSet').find(({ apiVersion }) => apiVersion !== 'apps/v1')
  if (ofOtherApi !== undefined)
    throw new UserError(
      `DaemonSet ${ofOtherApi.metadata.name} is of apiVersion ${ofOtherApi.apiVersion}; apps/v1 is needed. Leave it out of the input: kubectl get daemonsets.apps -A -o json lists the others`,
    )
  return { nodes: ofKind('Node'), daemonSets: objectsOf('DaemonSet'), ...known, metrics: objectsOf('PodMetrics') }
}

function clusterOf({ nodes, daemonSets, pods, metrics, context, leftOut }: ClusterObjects): Cluster {
  for (const sentence of leftOut) say(`nodefit: ${printable(sentence)}\n`)
  const objects = (all: readonly object[]) => all as readonly KubernetesObject[]
  return {
    nodes: objects(nodes).map((object) => newItem(object)),
    daemonSets: objects(daemonSets),
    ...(pods === undefined ? {} : { pods: pods as unknown as PodObject[] }),
    metrics: objects(metrics),
    ...(context && { context }),
  }
}

function scannedRows({ nodes, daemonSets, pods, metrics }: Cluster): ScannedDaemonSet[] {
  const readable = daemonSets.filter((one) => isReadablePodSpec(podSpecOf(one)))
  const label = readable.flatMap((one) => {
    const { nodeSelector = {}, affinity } = podSpecOf(one)
    return placementKeys({ nodeSelector, affinity })
  })
  // equal nodes are one shape: a policy for each DaemonSet then costs little
  const inventory = newItem(inventoryOf(nodes, 'cluster', { label }) as unknown as KubernetesObject)
  return scanDaemonSets({
    nodes: nodes.map(({ object }) => object as unknown as Node),
    daemonSets,
    ...(pods === undefined ? {} : { pods }),
    metrics,
    leave: leftAlone,
    first: (daemonSet) => firstTotal(daemonSet, inventory),
  })
}

function leftAlone(daemonSet: KubernetesObject): string | undefined {
  const pod = podSpecOf(daemonSet)
  if (!isReadablePodSpec(pod)) return undefined
  const name = firstContainer(pod, daemonSet.metadata.name)
  const container = pod.containers?.find((one) => one.name === name)
  return container && leaveReason(daemonSet, pod, container)?.why.replace(/^leave it: /, '')
}

/**
 * What the pods of a DaemonSet request by the defaults of `nodefit init`, or why it leaves it out; undefined where it
 * proposes nothing.
 */
function firstTotal(target: KubernetesObject, inventory: Item) {
  try {
    const made = firstPolicy(target, [inventory], {})
    if (made.leave !== undefined) return made.leave.why
    const { packages, failed } = planFirst([{ target, ...made }], [inventory])
    const [planned] = failed ? [] : packages.flatMap((one) => one.planned)
    const total = planned && totalsOf(planned)?.after
    return total && { cpu: units('cpu', total.cpu), memory: units('memory', total.memory) }
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}
