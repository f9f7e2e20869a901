import { coresText, gibibytesText, type PlannedChanges, type Totals, totalsOf } from '../change/index.ts'
import { byHarm, type Finding } from '../finding/index.ts'
import { nodeCountOf } from '../inventory/index.ts'
import { describe } from '../krm/identity.ts'
import { Quantity } from '../kube/index.ts'
import { lotsIn } from '../proof/index.ts'
import type { PackagePlan, Plan } from '../types.ts'
import { explained } from './explain.ts'
import type { AgentJson, BeforeAfter, FindingJson, FleetJson, PackageJson, TotalJson } from './fleet-types.ts'
import { groupsJson } from './group-json.ts'
import { type UsageOf, usageIn } from './usage.ts'

/** Returns what a run decided for the whole fleet as plain values; of a failed run the findings. */
export function fleetJson({ packages, items, findings, failed }: Plan): FleetJson {
  const used = usageIn(items)
  const shown = failed ? [] : packages
  const totals = totalsOfAll(shown)
  return {
    failed,
    clusters: clustersOf(packages),
    ...(totals === undefined ? {} : { totals }),
    packages: shown.map((one) => packageJson(one, used)),
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

function packageJson({ path, fleets, planned }: PackagePlan, used: UsageOf): PackageJson {
  const lots = lotsIn(fleets)
  return { path, agents: planned.map((one) => agentJson(one, lots, used)) }
}

function agentJson(planned: PlannedChanges, lots: ReturnType<typeof lotsIn>, used: UsageOf): AgentJson {
  const { kind, metadata } = planned.subject.object
  const { namespace, name } = metadata
  const policy = namespace === undefined ? name : `${namespace}/${name}`
  const totals = totalsOf(planned)
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(totals === undefined ? {} : { totals: totalsJson(totals) }),
    groups: groupsJson(planned, {
      lotsOf: (rendered) => lots(planned, rendered),
      used: (group, container) => used(policy, group, container),
    }),
    left: planned.account.flatMap((line) =>
      line.kind === 'nodes'
        ? [{ nodes: line.nodeCount, words: line.words, reason: line.reason, names: line.nodes }]
        : [],
    ),
  }
}

function totalsJson({ before, after }: Pick<Totals, 'before' | 'after'>): BeforeAfter<TotalJson> {
  const json = ({ pods, cpu, memory }: Totals['after']): TotalJson => ({
    pods,
    cores: coresText(cpu),
    gib: gibibytesText(memory),
  })
  return { ...(before === undefined ? {} : { before: json(before) }), after: json(after) }
}

/** The sums over all subjects; before only where it is known of each. Undefined where none has pods. */
function totalsOfAll(packages: readonly PackagePlan[]): BeforeAfter<TotalJson> | undefined {
  const all = packages.flatMap(({ planned }) => planned.flatMap((one) => totalsOf(one) ?? []))
  if (all.length === 0) return undefined
  const before = all.flatMap((one) => one.before ?? [])
  const after = sumOf(all.map((one) => one.after))
  return totalsJson(before.length < all.length ? { after } : { before: sumOf(before), after })
}

function sumOf(totals: ReadonlyArray<Totals['after']>): Totals['after'] {
  return totals.reduce(
    (sum, { cpu, memory, pods }) => ({
      cpu: sum.cpu.plus(cpu),
      memory: sum.memory.plus(memory),
      pods: sum.pods + pods,
    }),
    { cpu: Quantity.of(0n, 'DecimalSI'), memory: Quantity.of(0n, 'BinarySI'), pods: 0 },
  )
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
