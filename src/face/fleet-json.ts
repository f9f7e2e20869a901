import { memo } from '../core/index.ts'
import { nodeCountOf, readLive } from '../facts/inventory/index.ts'
import { type PlannedChanges, type Totals, totalsOf } from '../fate/index.ts'
import { isWorkloadSnapshot } from '../kinds/index.ts'
import { byHarm, type Finding } from '../krm/finding/index.ts'
import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { coresText, gibibytesText } from '../kube/index.ts'
import { lotsIn, roomIn } from '../rules/index.ts'
import type { PackagePlan, Plan } from '../rules/plan.ts'
import { changesJson } from './changes-json.ts'
import { type Cost, costJson, costsIn, type Prices, sumOfCosts } from './cost.ts'
import { explained } from './explain.ts'
import type {
  AgentJson,
  BeforeAfter,
  FindingJson,
  FleetJson,
  OverviewJson,
  PackageJson,
  TotalJson,
} from './fleet-types.ts'
import { groupsJson } from './group-json.ts'
import { nodesJson, type Others } from './node-rows.ts'
import { type OverviewRow, overviewRows, sumOfTotals } from './overview.ts'
import { ticketCounts } from './ticket-counts.ts'

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
