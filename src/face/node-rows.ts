import type { Rendered } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import type { Fleet, Nodes, Shape } from '../facts/inventory/index.ts'
import { requestsReader } from '../fate/index.ts'
import { Quantity, type ResourceQuantities, units } from '../kube/index.ts'
import type { Lot } from '../rules/index.ts'
import type { PackagePlan } from '../rules/plan.ts'
import type { FullestJson, NodeRowJson, RequestedJson } from './fleet-types.ts'
import { amountText, groupRoom, percentOf, type Resource } from './group-json.ts'

/** The label of a node's type. */
export const NODE_TYPE = 'node.kubernetes.io/instance-type'

type Planned = PackagePlan['planned'][number]
type Sum = Record<Resource, bigint>

/** An agent on some nodes: the number of its subject, and what is rendered for them. */
interface Served {
  readonly agent: number
  readonly rendered: Rendered
}

/** Nodes of one type that have the same agents. */
interface Row {
  readonly cluster: string
  readonly type: string
  readonly served: readonly Served[]
  readonly lots: Array<Nodes & { readonly shape: Shape }>
}

/** What pods other than the agents request on a node; undefined where nothing shows it. */
export type Others = (cluster: string, node: string) => ResourceQuantities | undefined

/**
 * Returns the nodes of a package by type and agents, with what the agents request on each; and the node of all with the
 * least room beside them.
 */
export function nodesJson(
  { fleets, planned }: PackagePlan,
  lotsOf: (planned: Planned, rendered: Rendered) => readonly Lot[],
  others: Others,
): { nodes: NodeRowJson[]; fullest?: FullestJson } {
  const read = requestsReader()
  const requestsOf = ({ rendered }: Served): Sum | undefined => {
    const requests = read(podSpecOf(rendered.object))
    return requests && { cpu: units('cpu', requests.cpu), memory: units('memory', requests.memory) }
  }
  const rows = rowsOf(fleets, servedOf(planned, lotsOf))
  const nodes = rows.map(({ cluster, type, served, lots }): NodeRowJson => {
    const room = groupRoom(lots)
    return {
      ...(cluster === '' ? {} : { cluster }),
      ...(type === '' ? {} : { type }),
      nodes: lots.reduce((sum, { nodeCount }) => sum + nodeCount, 0),
      names: lots.flatMap((lot) => lot.nodes),
      ...(room.least === undefined ? {} : { allocatable: room.least }),
      requested: requestedJson(sumOf(served.map(requestsOf)), room.whole),
      agents: served.map((one) => {
        const requests = requestsOf(one)
        const amounts = requests && {
          cpu: amountText('cpu', requests.cpu),
          memory: amountText('memory', requests.memory),
        }
        return { agent: one.agent, group: one.rendered.object.metadata.name, ...amounts }
      }),
    }
  })
  const fullest = rows
    .flatMap((row) => fullestOf(row, sumOf(row.served.map(requestsOf)), others))
    .reduce<FullestJson | undefined>(
      (most, one) => (most === undefined || most.percent < one.percent ? one : most),
      undefined,
    )
  return { nodes, ...(fullest === undefined ? {} : { fullest }) }
}

/** Returns what serves the nodes of each shape: by name, and under an empty name those that are only counted. */
function servedOf(
  planned: readonly Planned[],
  lotsOf: (planned: Planned, rendered: Rendered) => readonly Lot[],
): ReadonlyMap<Shape, ReadonlyMap<string, readonly Served[]>> {
  const found = new Map<Shape, Map<string, Served[]>>()
  for (const [agent, one] of planned.entries()) {
    if (one.constraints === undefined || !one.isEnabled) continue
    for (const rendered of one.objects)
      for (const { shape, nodes } of lotsOf(one, rendered)) {
        const names = found.get(shape) ?? new Map<string, Served[]>()
        found.set(shape, names)
        const served = { agent, rendered }
        for (const name of nodes.length === 0 ? [''] : nodes) names.set(name, [...(names.get(name) ?? []), served])
      }
  }
  return found
}

function rowsOf(fleets: readonly Fleet[], served: ReadonlyMap<Shape, ReadonlyMap<string, readonly Served[]>>): Row[] {
  const rows = new Map<string, Row>()
  const add = (fleet: Fleet, shape: Shape, nodes: readonly string[], unnamed: number, agents: readonly Served[]) => {
    const type = shape.labels[NODE_TYPE] ?? ''
    const { cluster } = fleet
    const key = JSON.stringify([
      cluster,
      type,
      agents.map(({ agent, rendered }) => [agent, rendered.object.metadata.name]),
    ])
    const row = rows.get(key) ?? { cluster, type, served: agents, lots: [] }
    rows.set(key, row)
    row.lots.push({ shape, nodes, nodeCount: nodes.length + unnamed })
  }
  for (const fleet of fleets)
    for (const shape of fleet.shapes) {
      if (shape.nodeCount === 0) continue
      const byAgents = new Map<string, { names: string[]; agents: readonly Served[] }>()
      for (const name of shape.nodes) {
        const agents = served.get(shape)?.get(name) ?? []
        const key = agents.map(({ agent, rendered }) => `${agent} ${rendered.object.metadata.name}`).join()
        const known = byAgents.get(key)
        if (known === undefined) byAgents.set(key, { names: [name], agents })
        else known.names.push(name)
      }
      for (const { names, agents } of byAgents.values()) add(fleet, shape, names, 0, agents)
      const unnamed = shape.nodeCount - shape.nodes.length
      if (unnamed > 0) add(fleet, shape, [], unnamed, served.get(shape)?.get('') ?? [])
    }
  const order = ({ cluster, type, served }: Row) => [cluster, type, served.length === 0 ? '1' : '0'].join(' ')
  return [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))
}

function sumOf(all: ReadonlyArray<Sum | undefined>): Sum {
  return all.reduce<Sum>(
    (sum, one) => ({ cpu: sum.cpu + (one?.cpu ?? 0n), memory: sum.memory + (one?.memory ?? 0n) }),
    { cpu: 0n, memory: 0n },
  )
}

function requestedJson(sum: Sum, whole: Partial<Sum>): RequestedJson {
  const [cpuPercent, memoryPercent] = [percentOf(sum.cpu, whole.cpu), percentOf(sum.memory, whole.memory)]
  return {
    cpu: amountText('cpu', sum.cpu),
    memory: amountText('memory', sum.memory),
    ...(cpuPercent === undefined ? {} : { cpuPercent }),
    ...(memoryPercent === undefined ? {} : { memoryPercent }),
  }
}

/** Returns each node of a row with what is requested on it: by its agents, and by other pods where that is known. */
function fullestOf({ cluster, type, lots }: Row, agents: Sum, others: Others): FullestJson[] {
  return lots.flatMap(({ shape, nodes }) => {
    const { whole } = groupRoom([{ shape }])
    const { cpu, memory } = whole
    if (cpu === undefined || memory === undefined) return []
    return (nodes.length === 0 ? [''] : nodes).flatMap((name): FullestJson[] => {
      const beside = name === '' ? undefined : others(cluster, name)
      const all = sumOf([agents, beside && sumIn(beside)])
      const percents = [percentOf(all.cpu, cpu) ?? 0, percentOf(all.memory, memory) ?? 0]
      return [
        {
          ...(name === '' ? {} : { name }),
          ...(type === '' ? {} : { type }),
          countsOthers: beside !== undefined,
          percent: Math.max(...percents),
          requested: requestedJson(all, whole),
          free: { cpu: amountText('cpu', cpu - all.cpu), memory: amountText('memory', memory - all.memory) },
        },
      ]
    })
  })
}

function sumIn(amounts: ResourceQuantities): Sum {
  return {
    cpu: units('cpu', Quantity.parse(amounts.cpu ?? 0)),
    memory: units('memory', Quantity.parse(amounts.memory ?? 0)),
  }
}
