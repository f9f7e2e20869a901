import { emptyPlanned, indexBy, keepingAnnotations, type Planned, type Planner, type World } from '../../core/index.ts'
import { isNodeSmithClaim, isPoolPolicy, KUBENODESMITH, NODEFIT } from '../../kinds/index.ts'
import { isError } from '../../krm/finding/index.ts'
import { packageFindings, unknownPools } from './check-input.ts'
import { finding, POOL_CODES } from './codes.ts'
import { newShapeFindings } from './new-shape.ts'
import { isLeftToKarpenter, nodePoolRendered, outputFindings } from './outputs.ts'
import { planPool } from './plan-pool.ts'
import { runPools } from './plan-pools.ts'
import { earlierOf } from './record.ts'
import { type PoolInput, type PoolSettings, readPool } from './settings.ts'

const ORPHAN_MEND =
  'Restore the PoolPolicy. If it is gone on purpose, allow OrphanedOutput: its claims stay in their file and are yours again.'

const FIRST_DAY_MEND =
  'Render with nodefit build --output-dir DIR, with --earlier PATH of what was rendered before, or in place with kpt. On the first day DIR and PATH need not exist. If allowed, the claims of the cluster are rendered again, and the name of a machine that is gone may be used twice.'

/** Renders the claims of node pools: the machines that pending pods need, within the limits of their pools. */
export const poolPlanner = {
  codes: POOL_CODES,
  schemas: [{ apiVersion: NODEFIT, kind: 'PoolPolicy' }],
  summary: () => 'PoolSummary',
  asksFor: 'PoolPolicy',
  volatile: [],
  sharesFields: true,
  claims: ({ object }) => isPoolPolicy(object),
  isInput: ({ object }) => isPoolPolicy(object),
  // a machine is removed by a decision alone; what a mark did to a Node is undone, its labels stay
  leaves: ({ kind }, why, path = []) => {
    if (kind === 'Node' || kind === 'Machine') return why === 'dropped' || !isLeftBehind(path) ? 'removed' : 'released'
    return why === 'dropped' && path.length === 0 ? 'removed' : 'released'
  },
  read: (subject, world) => {
    const { value, findings } = readPool(subject, world)
    if (value?.settings === undefined) return { value, findings }
    const found = outputFindings(value.settings, world)
    return { ...(found.some(isError) ? {} : { value }), findings: [...findings, ...found] }
  },
  plan: (all, world, before) => {
    const enabled = all.flatMap(({ settings }) => settings ?? [])
    const disabled = all.filter(({ settings }) => settings === undefined)
    const { cluster: ofRun = '' } = world.options
    const byCluster = [...indexBy(enabled, ({ cluster = ofRun }) => cluster)].sort(([a], [b]) => (a < b ? -1 : 1))
    const planned = byCluster.flatMap(([cluster, settings]) =>
      planCluster(settings, cluster || undefined, world, before),
    )
    return [...planned, ...disabled.map((one) => planDisabled(one, world))]
  },
  check: (_, world) => {
    const claims = world.items.filter(({ object }) => isNodeSmithClaim(object))
    const pools = world.items.filter(
      ({ object }) => object.apiVersion === KUBENODESMITH && object.kind === 'NodeSmithPool',
    )
    const known = new Set(pools.map(({ object }) => `${object.metadata.namespace ?? ''}/${object.metadata.name}`))
    return claims.length === 0 ? [] : unknownPools(known, claims)
  },
  mends: { orphan: (ownerKind) => (ownerKind === 'PoolPolicy' ? ORPHAN_MEND : undefined) },
} as const satisfies Planner<PoolInput>

/**
 * Whether a field of a partial Node or Machine stays when its policy goes: labels, and what keeps it from being pruned
 * or made anew. With them the document stays, and its user removes it once what was withdrawn is applied.
 */
function isLeftBehind([, part, key = '']: readonly string[]): boolean {
  return part === 'labels' || part === 'uid' || (part === 'annotations' && Object.hasOwn(keepingAnnotations, key))
}

function planCluster(
  all: readonly PoolSettings[],
  cluster: string | undefined,
  world: World,
  before: readonly Planned[],
): Planned[] {
  const left = all.filter(isLeftToKarpenter)
  const settings = all.filter((one) => !left.includes(one))
  const planned = [...planMachines(settings, cluster, world, before), ...left.map((one) => planLeft(one, world))]
  return planned.map((one, index) => {
    const of = [...settings, ...left][index]
    const findings = of === undefined ? [] : newShapeFindings(of, before)
    return findings.length === 0 ? one : { ...one, findings: [...one.findings, ...findings] }
  })
}

/** Renders what Karpenter needs to decide itself. */
function planLeft(settings: PoolSettings, world: World): Planned {
  const start = emptyPlanned({ subject: settings.subject, earlier: earlierOf(settings, world) })
  return { ...start, objects: [nodePoolRendered(settings, world)] }
}

function planMachines(
  settings: readonly PoolSettings[],
  cluster: string | undefined,
  world: World,
  before: readonly Planned[],
): Planned[] {
  if (settings.length === 0) return []
  const { run, facts, findings, isStopped } = runPools(settings, cluster, world, before)
  // an error of the input is why nothing is known, and is said alone
  const isSaid = world.isSeen || isStopped === true
  const hidden = isSaid ? [] : hiddenFindings(settings, run?.live.claims !== undefined)
  const common = [...findings, ...hidden, ...packageFindings(settings, cluster ?? run?.fleet.cluster, world)]
  if (run === undefined || hidden.some(({ code }) => code === 'ClaimsUnknown'))
    return settings.map((one, index) => ({ ...keep(one, world, index === 0 ? common : []), facts }))
  return settings.map((one, index): Planned => {
    const pool = run.pools.find((other) => other.settings === one)
    if (pool === undefined) throw new Error(`${one.name} was not planned`)
    const planned = { ...planPool(pool, run, world, earlierOf(one, world)), facts }
    return index === 0 ? { ...planned, findings: [...common, ...planned.findings] } : planned
  })
}

/** Where the earlier output is hidden, what is not rendered is pruned: only the cluster says which machines run. */
function hiddenFindings(settings: readonly PoolSettings[], areClaimsKnown: boolean) {
  const [first] = settings
  if (first === undefined) return []
  const subject = first.subject.object
  const { name } = subject.metadata
  if (!areClaimsKnown)
    return [
      finding('ClaimsUnknown', `${name}: neither earlier output nor a snapshot shows which claims exist`, { subject }),
    ]
  const sentence = `${name}: neither the claims in Git nor the number of the next one are in the input`
  return [finding('NeedsEarlierOutput', sentence, { subject, mend: FIRST_DAY_MEND })]
}

/** Keeps every claim and every mark as it is. */
function keep(settings: PoolSettings, world: World, findings: Planned['findings']): Planned {
  const earlier = earlierOf(settings, world)
  const objects = earlier.map(({ object }) => ({
    ...{ object, isKept: true, file: '', about: `${object.kind} ${object.metadata.name}` },
    ...{ nodes: [], nodeCount: 0 },
  }))
  return { ...emptyPlanned({ subject: settings.subject, earlier }), isSuspended: true, objects, findings }
}

/** Gives the claims of a disabled policy back; the number of the next claim stays, since its names are used. */
function planDisabled({ subject }: PoolInput, world: World): Planned {
  const earlier = earlierOf({ subject }, world)
  return emptyPlanned({ subject, isEnabled: false, earlier })
}
