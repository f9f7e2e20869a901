import { writeWithSchema } from '../files/manifest.ts'
import { readObjects } from '../files/read-objects.ts'
import { snapshotOf } from '../files/snapshot-of.ts'
import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import {
  DEFAULT_LABEL_KEYS,
  inventoryName,
  lastHeartbeat,
  nodeNameLabel,
  nodeProblem,
  shapeOfNode,
  toInventory,
} from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import { isLabelValue, type Node } from '../kube/index.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit inventory [FILE|-] --cluster NAME [--label PATTERN]... [--exact]
                  [--uid | --counts] [--pods FILE] [--tickets FILE]

Turns the nodes of a cluster into a NodeInventory: nodes alike in all that a
policy can see become one shape. The result depends on the nodes alone, not on
their order.

  --cluster NAME   the cluster the nodes belong to
  --label PATTERN  export these label keys too; * stands for any characters
  --exact          keep nodes apart that differ by a few Ki
  --uid            write the nodes' UIDs
  --counts         write how many nodes there are, and no names
  --pods FILE      write a WorkloadSnapshot too: what the pods of each node
                   request, so that nodefit knows the room that they leave
  --tickets FILE   write korder's Tickets into the WorkloadSnapshot: what is
                   claimed or has ended (kubectl get tickets -A -o json)

  kubectl get nodes -o json > nodes.json
  nodefit inventory nodes.json --cluster prod-eu > inventory.yaml

  kubectl get pods -A -o json > pods.json
  nodefit inventory nodes.json --cluster prod-eu --pods pods.json > both.yaml
`

const OPTIONS = {
  cluster: { type: 'string', about: 'the cluster the nodes belong to' },
  label: { type: 'string', multiple: true, about: 'export these label keys too' },
  exact: { type: 'boolean', about: 'keep nodes apart that differ by a few Ki' },
  uid: { type: 'boolean', about: 'write the UIDs of the nodes' },
  counts: { type: 'boolean', about: 'write how many nodes there are, and no names' },
  pods: { type: 'string', about: 'write a WorkloadSnapshot of these pods too', value: 'file' },
  tickets: { type: 'string', about: 'write a WorkloadSnapshot of these Tickets too', value: 'file' },
} as const satisfies Options

/** `nodefit inventory`: what kubectl prints of nodes, as a NodeInventory. */
export const INVENTORY: Command = {
  about: 'turn the nodes of kubectl into a NodeInventory',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: inventory,
}

function inventory(args: string[]): void {
  const { values, positionals } = readArguments('nodefit inventory', args, OPTIONS)
  if (positionals.length > 1)
    throw new UserError(`give one FILE, or - for stdin, and not ${positionals.length}: ${positionals.join(' ')}`)
  if (values.cluster === undefined) throw new UserError('name the cluster: --cluster NAME')
  if (values.uid && values.counts) throw new UserError('give --uid or --counts: a node without a name has no uid')
  const { pods, tickets } = values
  for (const [flag, file] of Object.entries({ pods, tickets }))
    if (file !== undefined && values.counts)
      throw new UserError(`give --${flag} or --counts: a WorkloadSnapshot names the nodes`)
  const { exact, uid, counts } = values
  const options = { label: values.label ?? [], exact, uid, counts }
  const source = positionals[0] ?? '-'
  const fromStdin = Object.entries({ nodes: source, pods, tickets }).flatMap(([name, file]) =>
    file === '-' ? [name] : [],
  )
  if (fromStdin.length > 1) throw new UserError(`only one of ${fromStdin.join(' and ')} can come from stdin`)
  const nodes = readObjects([source])
  const written = inventoryOf(nodes, values.cluster, options)
  const read = (file: string | undefined) => (file === undefined ? undefined : readObjects([file]))
  const looked = { pods: read(pods), tickets: read(tickets) }
  const isLooked = looked.pods !== undefined || looked.tickets !== undefined
  const more = isLooked ? [snapshotOf(looked, nodes, written)] : []
  writeOutput([written, ...more].map(writeWithSchema).join('---\n'))
}

/** The NodeInventory of the Node objects among the items. Throws `UserError` where there is none. */
export function inventoryOf(
  items: readonly Item[],
  cluster: string,
  options: { label?: readonly string[]; exact?: boolean; uid?: boolean; counts?: boolean } = {},
): Record<string, unknown> {
  if (cluster === '' || !isLabelValue(cluster))
    throw new UserError(`"${cluster}" cannot name a cluster: letters, digits, - _ . and at most 63 of them`)
  const others = items.find(({ object }) => object.apiVersion !== 'v1' || object.kind !== 'Node')
  if (others !== undefined) throw new UserError(`${others.object.kind} ${others.object.metadata.name} is not a Node`)
  const nodes = items.map(({ object }) => object as unknown as Node)
  if (nodes.length === 0) throw new UserError('NoNodes: the list of nodes is empty')
  for (const node of nodes) {
    const problem = nodeProblem(node)
    if (problem !== undefined) throw new UserError(`InventoryInvalid: Node ${node.metadata.name}: ${problem}`)
  }
  const names = new Set(nodes.map(({ metadata }) => metadata.name))
  if (names.size < nodes.length) throw new UserError('DuplicateNode: a node is in the list twice')
  const labelKeys = [...new Set([...DEFAULT_LABEL_KEYS, ...(options.label ?? [])])].sort()
  const telling = options.counts
    ? nodeNameLabel(
        nodes.map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} })),
        labelKeys,
      )
    : undefined
  if (telling !== undefined)
    throw new UserError(`--counts writes no names of nodes, and the label ${telling} holds them: do not export it`)
  return toInventory(nodes.map(shapeOfNode), {
    name: inventoryName(cluster),
    cluster,
    observedAt:
      nodes
        .map((node) => lastHeartbeat(node) ?? '')
        .sort()
        .at(-1) || undefined,
    labelKeys,
    exact: options.exact,
    uid: options.uid,
    counts: options.counts,
  })
}
