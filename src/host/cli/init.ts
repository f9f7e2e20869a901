import { existsSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { Fraction } from '../../kinds/index.ts'
import { KUSTOMIZATION_FILES, kustomizationObject, withResources } from '../../krm/kustomization.ts'
import { listOf } from '../../krm/map.ts'
import { SIZE_LABEL } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { isDns1123Label, isQualifiedName } from '../../kube/index.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { writeFileAtomically, writeNewFiles } from '../files/write-file.ts'
import { allWords, labelWords } from './all-words.ts'
import { type Command, type Options, readArguments } from './command.ts'
import { type Agent, type AgentSources, planFirst, sourcesOf } from './first-agents.ts'
import { firstLook, isMeasured, starvedIn } from './first-look.ts'
import { filesForSync, packageFiles } from './first-package.ts'
import { firstPlan } from './first-plan.ts'
import type { Choices, FirstPolicy } from './first-policy.ts'
import { applyWords, firstWords, laterInventory, syncWords } from './first-words.ts'

const HELP = `nodefit init DIR --all FILE...
nodefit init DIR --context NAME (--all | --daemonset NS/NAME...)
nodefit init DIR --nodes FILE (--daemonset FILE... | --template FILE)
             [--usage FILE...] [--group-by KEY|classes|ranges] [--budget +25%]

Writes a package that sizes DaemonSets by what they use, or else starts from
their present sizes. Overwrites no file. Exit code 1 if all are left out.

  --all             every DaemonSet for which groups pay; FILEs as for scan
  --usage FILE      pods, PodMetrics, or an answer of Prometheus; repeatable
  --nodes FILE      kubectl get nodes -o json
  --daemonset FILE  kubectl -n NAMESPACE get ds NAME -o json; repeatable
  --context NAME    read the cluster of a context instead
  --kubeconfig FILE that of the cluster, or instead of the usual one
  --template FILE   the ConfigMaps node-agent-daemonset-template and operator of
                    Kubescape, or the output of helm template without Secrets
  --cluster NAME    name of the cluster; other inventories are then refused
  --group-by KEY    node label to group by: kubernetes.io/hostname groups by
                    node size; or classes, or ranges, of the best label for them
  --budget +25%     by how much requests may grow where nothing is measured
  --anyway          write what would be left out, too
  --sync            leave out what nodefit sync writes, such as the inventory

  nodefit init agents --all nodes.json daemonsets.json pods.json metrics.json
`

const OPTIONS = {
  nodes: { type: 'string', about: 'nodes as kubectl prints them', value: 'file' },
  daemonset: { type: 'string', multiple: true, about: 'a DaemonSet as kubectl prints it', value: 'file' },
  context: { type: 'string', about: 'read nodes and DaemonSets of this context' },
  kubeconfig: { type: 'string', about: 'read nodes and DaemonSets of a cluster', value: 'file' },
  template: { type: 'string', about: 'manifests of the Kubescape chart instead', value: 'file' },
  cluster: { type: 'string', about: 'name of the cluster' },
  'group-by': { type: 'string', about: 'node label to group by, classes or ranges', value: ['classes', 'ranges'] },
  budget: { type: 'string', about: 'by how much all requests may grow' },
  anyway: { type: 'boolean', about: 'write what would be left out, too' },
  usage: { type: 'string', multiple: true, about: 'pods, metrics, or what Prometheus knows', value: 'file' },
  all: { type: 'boolean', about: 'one package for all DaemonSets that pay' },
  sync: { type: 'boolean', about: 'leave out what nodefit sync writes' },
} as const satisfies Options

/** `nodefit init`: writes a first package from the output of kubectl, all files or none. */
export const INIT: Command = {
  about: 'write a first package from the output of kubectl',
  help: HELP,
  options: OPTIONS,
  operands: 'folder',
  run: init,
}

async function init(args: string[]): Promise<void> {
  const { folder, isAnyway, isForSync, cluster, groupBy, growth, ...from } = readInit(args)
  const choices = { cluster, groupBy, growth }
  const { nodes, sources, cluster: known } = await sourcesOf(from)
  const look = isMeasured(known) ? firstLook(known, starvedIn(known)) : undefined
  if (from.isAll === true && look === undefined)
    throw new UserError(`nothing is measured, so nothing is written: ${HOW_TO_MEASURE}`)
  const plan = firstPlan({
    nodes,
    sources,
    kind: from.kind,
    choices,
    present: known.daemonSets,
    look,
    isAnyway,
    isAll: from.isAll,
  })
  const { agents, made, failures, inventory, snapshot } = plan
  const left =
    from.isAll === true
      ? failures.map((failure) => `${failure.from}: left out: ${failure.why}`)
      : leftWords(agents, isAnyway, nodes)
  if (made.length === 0) {
    sayLines([...left, ...(from.isAll === true && look !== undefined ? allWords(agents, made, undefined, look) : [])])
    throw new UserError('nothing is written; --anyway writes what is left out')
  }
  const { files: all, rendered } = packageFiles(packageName(folder, made), made, inventory, snapshot)
  const written = isForSync ? filesForSync(all) : all
  const first = plan.render()
  const words =
    from.isAll === true && look !== undefined
      ? allWords(agents, made, first, look)
      : firstWords(
          made.map((agent) => ({ ...agent, growth: choices.growth })),
          first,
        )
  const labelling = look?.carrier.isYours && made.some(usesSizeLabel) ? labelWords(nodes, look) : []
  const present = isForSync
    ? undefined
    : KUSTOMIZATION_FILES.map((name) => join(folder, name)).find((file) => existsSync(file))
  sayLines([
    ...left,
    ...(present === undefined
      ? writePackage(folder, written, rendered)
      : joinPackage(folder, written, rendered, present)),
    ...words,
    ...labelling,
    ...(isForSync
      ? syncWords(folder, cluster, inventory)
      : [...laterInventory(folder, cluster, inventory), ...applyWords(folder, made, first)]),
  ])
}

function sayLines(lines: readonly string[]): void {
  say(lines.map((line) => `nodefit: ${line}\n`).join(''))
}

function writePackage(folder: string, files: Readonly<Record<string, string>>, rendered: readonly string[]): string[] {
  writeNewFiles(folder, files, rendered)
  return [`wrote ${Object.keys(files).join(', ')} to ${folder}`]
}

/**
 * Writes the files into a folder that has a kustomization, which lists the inputs then; the first render adds what it
 * renders.
 */
function joinPackage(
  folder: string,
  { 'kustomization.yaml': _, ...files }: Readonly<Record<string, string>>,
  rendered: readonly string[],
  present: string,
): string[] {
  // the render that retires the template could not list the groups: the agent would be deleted
  if (!present.endsWith('.yaml') && !present.endsWith('.yml'))
    throw new UserError(
      `${present}: kpt shows functions no file of this name: rename it to kustomization.yaml, which kustomize reads as well, and run this command again; or give a new DIR`,
    )
  const text = readFileSync(present, 'utf8')
  const { object, opaque } = kustomizationObject(text)
  if (opaque !== undefined) throw new UserError(`${present}: ${opaque.message}: correct it, or give a new DIR`)
  const listed = listOf(object.resources)
  const inputs = Object.keys(files).filter((name) => name !== 'Kptfile' && !listed.includes(name))
  const changed = withResources({ object, text }, inputs).text
  if (changed === undefined)
    throw new UserError(
      `${present} has no place for more resources: list ${inputs.join(', ')} there, or give a new DIR`,
    )
  writeNewFiles(folder, files, rendered, () => writeFileAtomically(present, changed))
  return [`wrote ${Object.keys(files).join(', ')} to ${folder}`, `${present} now lists ${inputs.join(', ')}`]
}

/** Why agents are left alone; for one without anything to gain also what else its nodes may be grouped by. */
function leftWords(agents: readonly Agent[], isAnyway: boolean, nodes: readonly Item[]): string[] {
  return agents.flatMap((agent) => {
    const { policy, leave } = agent
    if (leave === undefined) return []
    const spread = planFirst([agent], nodes).findings.find(({ code }) => code === 'GroupSpread')
    const next = leave.isOfGrouping && spread !== undefined ? spread.message : leave.next
    return [`${policy.metadata.name}: ${leave.why}; ${isAnyway ? 'written because of --anyway' : `left out: ${next}`}`]
  })
}

const HOW_TO_MEASURE =
  'give pods and metrics (kubectl get pods -A -o json, kubectl get pods.metrics.k8s.io -A -o json), or what Prometheus knows of each node (docs/daemonset/init.md)'

function usesSizeLabel({ policy }: FirstPolicy): boolean {
  return (policy.spec as { nodeGroupLabel?: string }).nodeGroupLabel === SIZE_LABEL
}

interface Request extends Pick<Choices, 'cluster' | 'groupBy' | 'growth'>, AgentSources {
  readonly folder: string
  readonly isAnyway: boolean
  readonly isForSync: boolean
}

function readInit(args: string[]): Request {
  const old = args.find((arg) => arg === '--label' || arg.startsWith('--label='))
  if (old !== undefined) throw new UserError('--label is now --group-by: write --group-by KEY, classes or ranges')
  const { values, positionals } = readArguments('nodefit init', args, OPTIONS)
  const [folder, ...read] = positionals
  const { all: isAll = false, usage = [] } = values
  if (folder === undefined) throw new UserError('give one DIR to write to')
  if (positionals.length > 1 && !isAll) {
    const hint = values.daemonset === undefined ? '' : '; write --daemonset before each DaemonSet file'
    throw new UserError(`give one DIR, not ${positionals.length}: ${positionals.join(' ')}${hint}`)
  }
  const {
    nodes: nodesFile,
    daemonset,
    template,
    cluster,
    context,
    kubeconfig,
    budget,
    'group-by': groupBy,
    anyway = false,
    sync = false,
  } = values
  const isLive = (context ?? kubeconfig) !== undefined
  if (isAll) {
    const more = { nodes: nodesFile, daemonset, template, usage: values.usage, 'group-by': groupBy, budget }
    const other = Object.entries(more).find(([, value]) => value !== undefined)?.[0]
    if (other !== undefined)
      throw new UserError(`--all takes every DaemonSet, from a cluster or from FILES: leave --${other} out`)
    if (isLive === read.length > 0)
      throw new UserError(
        'give FILES of kubectl behind DIR (nodes, DaemonSets, pods, PodMetrics), or --context NAME, and not both',
      )
    refuseInside(read, folder)
    const files = { files: [], kind: 'DaemonSet' as const, usage: read, isAll }
    const from = isLive ? { live: { context, kubeconfig } } : {}
    return { folder, ...from, ...files, cluster, isAnyway: anyway, isForSync: sync }
  }
  if (isLive && (nodesFile ?? template) !== undefined)
    throw new UserError('give files, or --context and --kubeconfig of a cluster with --daemonset NS/NAME, not both')
  if (
    isLive ? daemonset === undefined : nodesFile === undefined || (daemonset === undefined) === (template === undefined)
  )
    throw new UserError(
      'give --nodes FILE, and --daemonset FILE or --template FILE; or --context NAME and --daemonset NS/NAME',
    )
  if (groupBy !== undefined && !isQualifiedName(groupBy))
    throw new UserError(`--group-by ${groupBy} is not a label key such as node.kubernetes.io/instance-type`)
  const files = daemonset ?? [template ?? '']
  if (!isLive) refuseInside([nodesFile ?? '-', ...files, ...usage], folder)
  const kind = daemonset === undefined ? 'ConfigMap' : 'DaemonSet'
  return {
    folder,
    nodesFile,
    ...(isLive ? { live: { context, kubeconfig } } : {}),
    files,
    kind,
    usage,
    cluster,
    groupBy,
    growth: readBudget(budget),
    isAnyway: anyway,
    isForSync: sync,
  }
}

function refuseInside(files: readonly string[], folder: string): void {
  const inside = files.find((file) => file !== '-' && isBelow(file, folder))
  if (inside !== undefined)
    throw new UserError(`${inside} is in ${folder} and would be part of the package: give another DIR`)
}

function isBelow(file: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(file))
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** The name of the package: that of its only agent, else that of the folder. */
function packageName(folder: string, made: readonly FirstPolicy[]): string {
  const [first, ...others] = made
  if (first !== undefined && others.length === 0) return first.policy.metadata.name
  const name = basename(resolve(folder)).toLowerCase()
  return isDns1123Label(name) ? name : 'agents'
}

/** The growth that --budget allows, as a fraction; undefined where it is not given. */
function readBudget(text: string | undefined): Fraction | undefined {
  if (text === undefined) return undefined
  const [, percent] = /^\+?(\d{1,4})%?$/.exec(text) ?? []
  if (percent === undefined) throw new UserError(`--budget ${text} is not a growth in whole percent, such as +25%`)
  return { numerator: BigInt(percent), denominator: 100n }
}
