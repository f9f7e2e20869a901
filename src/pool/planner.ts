import { isNodeSmithClaim, isPoolPolicy, KUBENODESMITH, NODEFIT } from '../policy/index.ts'
import { emptyPlanned, indexBy, type Planned, type Planner, type World } from '../world/index.ts'
import { unknownPools } from './check-input.ts'
import { finding, POOL_CODES } from './codes.ts'
import { planPool } from './plan-pool.ts'
import { earlierClaims, runPools } from './plan-pools.ts'
import { type PoolInput, type PoolSettings, readPool } from './settings.ts'

const ORPHAN_MEND =
  'Restore the PoolPolicy. If it is gone on purpose, allow OrphanedOutput: its claims stay in their file and are yours again.'

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
  leaves: ({ kind }, why, path) => {
    if (kind === 'NodeSmithClaim') return why === 'dropped' ? 'removed' : 'released'
    return kind === 'Node' && (why === 'dropped' || path?.[1] !== 'labels') ? 'removed' : 'released'
  },
  read: readPool,
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

function planCluster(
  settings: readonly PoolSettings[],
  cluster: string | undefined,
  world: World,
  before: readonly Planned[],
): Planned[] {
  const { run, findings } = runPools(settings, cluster, world, before)
  const hidden = world.isSeen ? [] : hiddenFindings(settings, run !== undefined && run.live.claims !== undefined)
  const common = [...findings, ...hidden]
  if (run === undefined || hidden.some(({ code }) => code === 'ClaimsUnknown'))
    return settings.map((one, index) => keep(one, world, index === 0 ? common : []))
  return settings.map((one, index): Planned => {
    const pool = run.pools.find((other) => other.settings === one)
    if (pool === undefined) throw new Error(`${one.name} was not planned`)
    const planned = planPool(pool, run, world, earlierClaims(one, world))
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
  return [finding('NeedsEarlierOutput', `${name}: claims in Git are not in the input`, { subject })]
}

/** Keeps every claim and every mark as it is. */
function keep(settings: PoolSettings, world: World, findings: Planned['findings']): Planned {
  const earlier = earlierClaims(settings, world)
  const objects = earlier.map(({ object }) => ({
    ...{ object, isKept: true, file: '', about: `machine ${object.metadata.name}` },
    ...{ nodes: [], nodeCount: 0 },
  }))
  return { ...emptyPlanned({ subject: settings.subject, earlier }), isSuspended: true, objects, findings }
}

/** Gives the claims of a disabled policy back; the number of the next claim stays, since its names are used. */
function planDisabled({ subject }: PoolInput, world: World): Planned {
  const { namespace } = subject.object.metadata
  const earlier = earlierClaims({ subject, ...(namespace === undefined ? {} : { namespace }) }, world)
  return emptyPlanned({ subject, isEnabled: false, earlier })
}
