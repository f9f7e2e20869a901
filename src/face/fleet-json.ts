import { memo } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { type Fleet, nodeCountOf, readLive, type Shape } from '../facts/inventory/index.ts'
import { type PlannedChanges, type Requests, requestsReader, type Totals, totalsOf } from '../fate/index.ts'
import { isWorkloadSnapshot } from '../kinds/index.ts'
import { byHarm, type Finding } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { coresText, gibibytesText, type PodSpec, units } from '../kube/index.ts'
import { lotsIn, roomIn } from '../rules/index.ts'
import type { PackagePlan, Plan } from '../rules/plan.ts'
import { explained } from './explain.ts'
import type {
  AgentJson,
  BeforeAfter,
  ChangesJson,
  CostJson,
  FindingJson,
  FleetJson,
  OverviewJson,
  PackageJson,
  TicketsJson,
  TotalJson,
} from './fleet-types.ts'
import { groupRoom, groupsJson } from './group-json.ts'
import { NODE_TYPE, nodesJson, type Others } from './node-rows.ts'
import { type OverviewRow, overviewRows, sumOfTotals } from './overview.ts'

/**
 * Returns what a run decided for the whole fleet as plain values; of a failed run the findings. With prices, also what
 * the agents are charged of them.
 */
export function fleetJson(plan: Plan, prices?: Prices): FleetJson {
  const { packages, items, findings, failed } = plan
  const shown = failed ? [] : packages
  const totals = sumOfTotals(shown.flatMap(({ planned }) => planned.flatMap((one) => totalsOf(one) ?? [])))
  const made = shown.map((one) => packageJson(one, { items, prices }))
  const costs = made.flatMap((one) => one.costs)
  return {
    failed,
    clusters: clustersOf(packages),
    ...(totals === undefined ? {} : { totals: totalsJson(totals) }),
    ...(costs.length === 0 ? {} : { cost: costJson(sumOfCosts(costs)) }),
    overview: overviewRows(plan).map(overviewJson),
    packages: made.map(({ json }) => json),
    findings: byHarm(explained(findings, false)).map(findingJson),
  }
}

/** The clusters of all packages, each once by its name, with its nodes in the package that has most of them. */
function clustersOf(packages: readonly PackagePlan[]): FleetJson['clusters'] {
  const clusters = packages
    .flatMap(({ fleets }) => fleets)
    .map(({ cluster, observedAt, shapes }) => ({
      name: cluster,
      ...(observedAt === undefined ? {} : { observedAt }),
      nodes: nodeCountOf(shapes),
    }))
  const byName = new Map<string, (typeof clusters)[number]>()
  for (const one of clusters) if (one.nodes >= (byName.get(one.name)?.nodes ?? 0)) byName.set(one.name, one)
  return [...byName.values()]
}

interface Sources {
  readonly items: readonly Item[]
  readonly prices: Prices | undefined
}

function packageJson(
  one: PackagePlan,
  sources: Sources,
): { readonly json: PackageJson; readonly costs: readonly Cost[] } {
  const { path, fleets, planned } = one
  const lots = lotsIn(fleets)
  const costOf = sources.prices === undefined ? undefined : costsIn(fleets, sources.prices)
  const agents = planned.map((subject) => {
    const totals = totalsOf(subject)
    const cost = totals && costOf?.(subject, totals.before !== undefined)
    return { cost, json: agentJson(subject, { totals, cost, lots }) }
  })
  const { nodes, fullest } = nodesJson(one, lots, othersIn(one, sources.items))
  return {
    json: {
      path,
      agents: agents.map(({ json }) => json),
      nodes,
      ...(fullest === undefined ? {} : { fullest }),
      tickets: ticketCounts(planned),
    },
    costs: agents.flatMap(({ cost }) => cost ?? []),
  }
}

/** Returns a look-up of what other pods request on the nodes of a package, where a WorkloadSnapshot shows it. */
function othersIn({ planned }: PackagePlan, items: readonly Item[]): Others {
  const snapshots = items.map(({ object }) => object).filter(isWorkloadSnapshot)
  const rooms = roomIn(planned, { items, live: memo((cluster = '') => readLive(snapshots, cluster)) })
  const roomOf = memo((cluster: string) => rooms?.(cluster))
  return (cluster, node) => roomOf(cluster)?.(node)
}

interface AgentFacts {
  readonly totals: Totals | undefined
  readonly cost: Cost | undefined
  readonly lots: ReturnType<typeof lotsIn>
}

function agentJson(planned: PlannedChanges, { totals, cost, lots }: AgentFacts): AgentJson {
  const { kind, metadata } = planned.subject.object
  const { namespace, name } = metadata
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(totals === undefined ? {} : { totals: totalsJson(totals) }),
    ...(cost === undefined ? {} : { cost: costJson(cost) }),
    groups: groupsJson(planned, { lotsOf: (rendered) => lots(planned, rendered) }),
    changes: changesJson(planned),
    left: planned.account.flatMap((line) =>
      line.kind === 'nodes'
        ? [{ nodes: line.nodeCount, words: line.words, reason: line.reason, names: line.nodes }]
        : [],
    ),
  }
}

function overviewJson({ totals, ...row }: OverviewRow): OverviewJson {
  return { ...row, ...(totals === undefined ? {} : { totals: totalsJson(totals) }) }
}

function totalsJson({ before, after }: Pick<Totals, 'before' | 'after'>): BeforeAfter<TotalJson> {
  const json = ({ pods, cpu, memory }: Totals['after']): TotalJson => ({
    pods,
    cores: coresText(cpu),
    gib: gibibytesText(memory),
  })
  return { ...(before === undefined ? {} : { before: json(before) }), after: json(after) }
}

function findingJson({ severity, code, subject, sentence, message, lines }: Finding): FindingJson {
  const mend = message.startsWith(sentence) ? message.slice(sentence.length).replace(/^\.? /, '') : ''
  return {
    severity,
    code,
    ...(subject === undefined ? {} : { subject: describe(subject as Parameters<typeof describe>[0]) }),
    sentence,
    ...(mend === '' ? {} : { mend }),
    ...(lines === undefined ? {} : { lines }),
  }
}

/** Returns what becomes of the objects of a subject, and of those that differ which fields do, without their values. */
function changesJson({ changes }: PlannedChanges): ChangesJson {
  const shown = changes.filter(({ isNeverApplied }) => isNeverApplied !== true)
  const count = (kind: string) => shown.filter((one) => one.kind === kind).length
  return {
    added: count('added'),
    changed: count('changed'),
    removed: count('removed'),
    released: count('released'),
    unchanged: count('unchanged'),
    objects: shown.flatMap((change) => {
      const object = (change.after ?? change.before)?.object
      if (object === undefined || change.kind === 'unchanged') return []
      return [{ object: describe(object), change: change.kind, fields: change.fields.map(({ path }) => path) }]
    }),
  }
}

/** Returns how many Tickets nodes have, nodes with as many together, the most first. */
function ticketCounts(planned: readonly PlannedChanges[]): TicketsJson[] {
  const counts = new Map<string, number>()
  for (const { objects } of planned)
    for (const { object, node } of objects)
      if (object.kind === 'Ticket' && node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1)
  const byCount = new Map<number, string[]>()
  for (const [node, tickets] of counts) {
    const known = byCount.get(tickets)
    if (known === undefined) byCount.set(tickets, [node])
    else known.push(node)
  }
  return [...byCount]
    .sort(([a], [b]) => b - a)
    .map(([tickets, names]) => ({ tickets, nodes: names.length, names: names.sort() }))
}

/** The price of a node for an hour, by its type. */
type Prices = ReadonlyMap<string, number>

/** What the pods of a subject are charged for an hour, and on how many nodes that is known. */
interface Cost {
  readonly before?: number
  readonly after: number
  readonly pricedNodes: number
  readonly nodes: number
}

/**
 * Returns a function that gives what the pods of a subject are charged for an hour: of the price of its node a pod is
 * charged half for its share of the allocatable cpu, and half for its share of the allocatable memory. Nodes without a
 * price, or without a name, are not charged. Before is undefined where it is not known what ran.
 */
function costsIn(fleets: readonly Fleet[], prices: Prices): (planned: PlannedChanges, isBeforeKnown: boolean) => Cost {
  const shapes = new Map(
    fleets.flatMap((fleet) => fleet.shapes.flatMap((shape) => shape.nodes.map((name) => [name, shape] as const))),
  )
  const rooms = new Map<Shape, ReturnType<typeof groupRoom>['whole']>()
  const roomOf = (shape: Shape) => {
    const known = rooms.get(shape) ?? groupRoom([{ shape }]).whole
    rooms.set(shape, known)
    return known
  }
  const read = requestsReader()
  const costOn = (name: string, pod: PodSpec): number | undefined => {
    const shape = shapes.get(name)
    const price = shape && prices.get(shape.labels[NODE_TYPE] ?? '')
    const requests = read(pod)
    return shape === undefined || price === undefined || requests === undefined
      ? undefined
      : price * shareOf(requests, roomOf(shape))
  }
  return ({ pods }, isBeforeKnown) => {
    let [before, after, pricedNodes, nodes] = [0, 0, 0, 0]
    for (const one of pods) {
      if (one.runsAfter) nodes += one.nodeCount
      for (const name of one.nodes) {
        const was = one.runsBefore && one.before?.isOwn === true ? costOn(name, one.before.pod) : undefined
        const is = one.runsAfter && one.after !== undefined ? costOn(name, podSpecOf(one.after.object)) : undefined
        before += was ?? 0
        after += is ?? 0
        if (is !== undefined) pricedNodes++
      }
    }
    return { ...(isBeforeKnown ? { before } : {}), after, pricedNodes, nodes }
  }
}

function shareOf({ cpu, memory }: Requests, whole: ReturnType<typeof groupRoom>['whole']): number {
  const part = (requested: bigint, all: bigint | undefined) => (all === undefined ? 0 : Number(requested) / Number(all))
  return (part(units('cpu', cpu), whole.cpu) + part(units('memory', memory), whole.memory)) / 2
}

/** Hours in a month, as price lists of clouds have them. */
const MONTH = 730

/** Writes costs: an hour with four decimals, a month with two. */
function costJson({ before, after, pricedNodes, nodes }: Cost): CostJson {
  const texts = (write: (cost: number) => string) => ({
    ...(before === undefined ? {} : { before: write(before) }),
    after: write(after),
  })
  return {
    hour: texts((cost) => cost.toFixed(4)),
    month: texts((cost) => (cost * MONTH).toFixed(2)),
    pricedNodes,
    nodes,
  }
}

/** Adds costs up; before only where it is known of each. */
function sumOfCosts(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, one) => total + of(one), 0)
  const isKnown = costs.every(({ before }) => before !== undefined)
  return {
    ...(isKnown ? { before: sum(({ before = 0 }) => before) } : {}),
    after: sum(({ after }) => after),
    pricedNodes: sum((one) => one.pricedNodes),
    nodes: sum((one) => one.nodes),
  }
}
