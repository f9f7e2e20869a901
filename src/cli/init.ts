import { basename, relative, resolve, sep } from 'node:path'
import { operatorValues } from '../daemonset/index.ts'
import { readObjects } from '../files/read-objects.ts'
import { say } from '../files/terminal.ts'
import { UserError } from '../files/user-error.ts'
import { writeNewFiles } from '../files/write-file.ts'
import { listNames, plural } from '../finding/index.ts'
import { DEFAULT_LABEL_KEYS, labelKeyMatcher } from '../inventory/index.ts'
import { newItem } from '../krm/item.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isDns1123Label, isQualifiedName } from '../kube/index.ts'
import { plan } from '../plan.ts'
import { chartObjects } from './chart-objects.ts'
import { type Command, type Options, readArguments } from './command.ts'
import { packageFiles } from './first-package.ts'
import { type Choices, type FirstPolicy, firstPolicy } from './first-policy.ts'
import { firstWords } from './first-words.ts'
import { inventoryOf } from './inventory.ts'

const HELP = `nodefit init DIR --nodes FILE (--daemonset FILE... | --template FILE)
             [--cluster NAME] [--label KEY]

Writes a package that sizes DaemonSets of a cluster, starting from what they
have today: an inventory, a policy for each, the DaemonSets as templates, a
Kptfile and a kustomization.yaml. Says what it chose, and what the first render
changes. Stops if one of the files exists.

  --nodes FILE      kubectl get nodes -o json
  --daemonset FILE  kubectl -n NAMESPACE get ds NAME -o json; once for each
  --template FILE   the template of Kubescape's chart instead, with what its
                    operator is told: kubectl -n kubescape get configmap
                    node-agent-daemonset-template operator -o json; or what
                    helm template prints, of which no Secret is taken
  --cluster NAME    name of the cluster; an inventory of another one then fails
  --label KEY       node label that makes the groups. kubernetes.io/hostname
                    groups by size, numbers that grow with nodes by ranges

  nodefit init fluent-bit --nodes nodes.json --daemonset ds.json
  kpt fn render --allow-exec fluent-bit
`

const OPTIONS = {
  nodes: { type: 'string', about: 'what kubectl prints of the nodes', value: 'file' },
  daemonset: { type: 'string', multiple: true, about: 'what kubectl prints of a DaemonSet', value: 'file' },
  template: { type: 'string', about: 'manifests of the chart of Kubescape instead', value: 'file' },
  cluster: { type: 'string', about: 'name of the cluster' },
  label: { type: 'string', about: 'node label that makes the groups' },
} as const satisfies Options

/** `nodefit init`: a first package from what kubectl prints; all files or none. */
export const INIT: Command = {
  about: 'write a first package from what kubectl prints',
  help: HELP,
  options: OPTIONS,
  operands: 'folder',
  run: init,
}

function init(args: string[]): void {
  const { folder, nodesFile, files, kind, cluster, label } = readInit(args)
  const nodes = readObjects([nodesFile])
  const inventoryBy = (labels: readonly string[]) => inventoryOf(nodes, cluster ?? 'cluster', { label: labels })
  inventoryBy([])
  const made = files.map((file) => madeOf(file, kind, nodes, { cluster, label }))
  const inventory = inventoryBy(made.flatMap(({ labelKeys }) => labelKeys))
  const { files: written, rendered } = packageFiles(nameOf(folder, made), made, inventory)
  const said = firstWords(made, planned(made, nodes))
  writeNewFiles(folder, written, rendered)
  const lines = [
    `wrote ${Object.keys(written).join(', ')} to ${folder}`,
    ...said,
    ...laterInventory(folder, cluster, inventory),
    `next: kpt fn render --allow-exec ${folder}`,
  ]
  say(lines.map((line) => `nodefit: ${line}\n`).join(''))
}

/** A policy, what it is for, and what of Kubescape's chart stands beside it. */
interface Agent extends FirstPolicy {
  readonly target: KubernetesObject
  readonly operator?: KubernetesObject
  readonly kept?: readonly KubernetesObject[]
}

interface Request {
  readonly folder: string
  readonly nodesFile: string
  readonly files: readonly string[]
  readonly kind: 'DaemonSet' | 'ConfigMap'
  readonly cluster?: string
  readonly label?: string
}

function readInit(args: string[]): Request {
  const { values, positionals } = readArguments('nodefit init', args, OPTIONS)
  const [folder] = positionals
  if (folder === undefined) throw new UserError('give one DIR to write to')
  if (positionals.length > 1) {
    const hint = values.daemonset === undefined ? '' : '; each DaemonSet has a --daemonset of its own'
    throw new UserError(`give one DIR to write to, and not ${positionals.length}: ${positionals.join(' ')}${hint}`)
  }
  const { nodes: nodesFile, daemonset, template, cluster, label } = values
  if (nodesFile === undefined || (daemonset === undefined) === (template === undefined))
    throw new UserError('give --nodes FILE, and --daemonset FILE or --template FILE')
  if (label !== undefined && !isQualifiedName(label))
    throw new UserError(`--label ${label} is not the key of a label, such as node.kubernetes.io/instance-type`)
  const files = daemonset ?? [template ?? '']
  const inside = [nodesFile, ...files].find((file) => file !== '-' && isBelow(file, folder))
  if (inside !== undefined)
    throw new UserError(`${inside} lies in ${folder}, and would be part of the package: give another DIR`)
  return { folder, nodesFile, files, kind: daemonset === undefined ? 'ConfigMap' : 'DaemonSet', cluster, label }
}

/** A policy for what a file holds: a DaemonSet, or what is needed of Kubescape's chart. */
function madeOf(file: string, kind: Request['kind'], nodes: readonly Item[], choices: Choices): Agent {
  if (kind === 'DaemonSet') {
    const target = onlyObject(file, kind)
    return { target, ...firstPolicy(target, nodes, choices) }
  }
  const items = readObjects([file])
  // the chart's ConfigMaps are told apart by what they hold
  const unread = items.find(({ object, opaque }) => object.kind === kind && opaque !== undefined)
  if (unread?.opaque !== undefined) throw unread.opaque
  const objects = items.map(({ object }) => object)
  if (!objects.some((object) => object.kind === kind)) onlyObject(file, kind)
  const { template, operator, kept } = chartObjects(objects, file)
  const values = operator && operatorValues(operator)
  return { target: template, operator, kept, ...firstPolicy(template, nodes, { ...choices, operator: values }) }
}

function isBelow(file: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(file))
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** The one object of its kind in a file, where other objects of a chart may stand beside it. */
function onlyObject(file: string, kind: string): KubernetesObject {
  const objects = readObjects([file]).map((item) => item.object)
  const [object, ...more] = objects.filter((one) => one.kind === kind)
  if (object === undefined) {
    const held = objects.length === 1 ? `a ${objects[0]?.kind}` : plural(objects.length, 'object')
    throw new UserError(`${file} holds ${held}, and no ${kind}`)
  }
  if (more.length > 0) {
    const names = listNames([object, ...more].map(({ metadata }) => metadata.name))
    throw new UserError(`${file} holds ${more.length + 1} ${kind}s (${names}): give each in a file of its own`)
  }
  return object
}

/** A package of one agent is called like it, one of several like its folder. */
function nameOf(folder: string, made: readonly FirstPolicy[]): string {
  const [first, ...others] = made
  if (first !== undefined && others.length === 0) return first.policy.metadata.name
  const name = basename(resolve(folder)).toLowerCase()
  return isDns1123Label(name) ? name : 'agents'
}

/** How the inventory is written anew, where it takes more labels than it has by itself. */
function laterInventory(folder: string, cluster = 'cluster', inventory: Record<string, unknown>): string[] {
  const { labelKeys } = inventory.spec as { labelKeys: string[] }
  const isUsual = labelKeyMatcher(DEFAULT_LABEL_KEYS)
  const more = labelKeys.filter((key) => !isUsual(key))
  if (more.length === 0) return []
  const options = [`--cluster ${cluster}`, ...more.map((key) => `--label ${key}`)].join(' ')
  return [`when the nodes change: nodefit inventory nodes.json ${options} > ${folder}/inventory.yaml`]
}

/** The first render, of what is about to be written and the nodes with all their labels. */
function planned(made: readonly Agent[], nodes: readonly Item[]) {
  const own = made.flatMap(({ policy, target, kept = [] }) => [policy, target, ...kept])
  const items = [...own.map((object) => newItem(object)), ...nodes]
  return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
}
