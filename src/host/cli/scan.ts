import { isatty } from 'node:tty'
import { isReadablePodSpec, podSpecOf } from '../../core/object/index.ts'
import { printable, totalsOf } from '../../face/index.ts'
import { type ScannedDaemonSet, scanDaemonSets, scanJson, scanLines, scanSummary } from '../../face/scan/index.ts'
import type { ExactAmounts } from '../../facts/usage/index.ts'
import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { writeYaml } from '../../krm/write-yaml.ts'
import { type Node, units } from '../../kube/index.ts'
import { firstContainer, leaveReason } from '../../plan/daemonset/index.ts'
import { placementKeys } from '../../plan/sizing/index.ts'
import { writeView } from '../files/stdio.ts'
import { endProgress, paintFor, say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { type ClusterChoice, readLiveCluster } from './cluster.ts'
import { type Command, loadPages, type Options, readArguments, shellWords } from './command.ts'
import { allIn, planFirst } from './first-agents.ts'
import {
  type AgentLook,
  type Cluster,
  clusterIn,
  clusterOf,
  type FirstLook,
  firstLook,
  isMeasured,
  leaveOf,
  machineLabelsOf,
} from './first-look.ts'
import { firstPlan } from './first-plan.ts'
import { firstPolicy } from './first-policy.ts'
import { inventoryOf } from './inventory.ts'
import { changeText, groupTexts, leaveByUse, withoutVerdict } from './look-words.ts'

const HELP = `nodefit scan [--context NAME] [--kubeconfig FILE] [--namespace NAME]
             [--output table|json|yaml|html]
nodefit scan PATH... [--namespace NAME] [--output table|json|yaml|html]

Shows what each DaemonSet requests of the nodes it runs on, what it uses, who
owns it, and whether its size fits. Reads a cluster, as kubectl would, and
changes nothing; or files of kubectl: nodes, DaemonSets, pods, PodMetrics.

The first verdict that fits:
  leave it      an add-on sets its size, or its node depends on it
  starved       it uses more than 90 % of a limit, was OOMKilled, waits for room
  uneven        sizes for groups of nodes pay
  lower, raise  one other size pays
  fine          none of these; without metrics it is not measured

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
      ? clusterIn(positionals)
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
    if (first !== undefined && cluster.context !== undefined)
      sayNext(first, isMeasured(cluster), { kubeconfig, context: cluster.context })
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

/** Says how to write the first package: of all agents that pay or, where nothing is measured, of the first. */
function sayNext(first: ScannedDaemonSet, isAll: boolean, { kubeconfig, context }: ClusterChoice): void {
  const { namespace, name } = first
  const from = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context ? ['--context', context] : []),
  ]
  const words = shellWords(
    isAll
      ? ['nodefit', 'init', 'agents', ...from, '--all']
      : ['nodefit', 'init', name, ...from, '--daemonset', `${namespace}/${name}`],
  )
  say(`nodefit: next: ${printable(words)}, which writes a package and applies nothing\n`)
}

function scannedRows(cluster: Cluster): ScannedDaemonSet[] {
  const { nodes, daemonSets, pods, metrics } = cluster
  const readable = daemonSets.filter((one) => isReadablePodSpec(podSpecOf(one)))
  const look = isMeasured(cluster) ? firstLook(cluster) : undefined
  const label = readable.flatMap((one) => {
    const { nodeSelector = {}, affinity } = podSpecOf(one)
    return placementKeys({ nodeSelector, affinity })
  })
  // equal nodes are one shape: a policy for each DaemonSet then costs little
  const inventory = newItem(
    inventoryOf(nodes, 'cluster', { label: [...label, ...machineLabelsOf(nodes)] }) as unknown as KubernetesObject,
  )
  return scanDaemonSets({
    nodes: nodes.map(({ object }) => object as unknown as Node),
    daemonSets,
    ...(pods === undefined ? {} : { pods }),
    metrics,
    leave: look === undefined ? leftAlone : leaveOf,
    judge: (daemonSet) => {
      const own = look?.of(daemonSet)
      return own && { verdict: own.proposal.verdict, why: whyOfLook(daemonSet, own) }
    },
    first: look === undefined ? (daemonSet) => firstTotal(daemonSet, inventory) : totalsByLook(cluster, look),
  })
}

/** The figures of a verdict: the sizes of groups that pay, else what is to be changed, or why nothing is. */
function whyOfLook(daemonSet: KubernetesObject, look: AgentLook): string {
  if (look.proposal.isWritten) return groupTexts(look)
  const leave = leaveByUse(daemonSet, podSpecOf(daemonSet), look)
  const { verdict } = look.proposal
  return verdict === 'lower' || verdict === 'raise' ? changeText(look) : withoutVerdict(leave?.why ?? verdict)
}

/** What the pods of each agent request by the package of `nodefit init --all`. */
function totalsByLook(cluster: Cluster, look: FirstLook): (daemonSet: KubernetesObject) => ExactAmounts | undefined {
  const { nodes } = cluster
  const plan = firstPlan({ nodes, sources: allIn(cluster), kind: 'DaemonSet', choices: {}, look, isAll: true })
  if (plan.made.length === 0) return () => undefined
  const { made } = plan
  const first = plan.render()
  const planned = first.failed ? [] : first.packages.flatMap((one) => one.planned)
  return (daemonSet) => {
    const agent = made.find(({ target }) => isSameObject(target, daemonSet))
    const own = agent && planned.find(({ subject: { object } }) => isSameObject(object, agent.policy))
    const total = own && totalsOf(own)?.after
    return total && { cpu: units('cpu', total.cpu), memory: units('memory', total.memory) }
  }
}

function isSameObject(one: KubernetesObject, other: KubernetesObject): boolean {
  return one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace
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
