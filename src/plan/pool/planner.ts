import {
  emptyPlanned,
  indexBy,
  keepingAnnotations,
  type Planned,
  type Planner,
  type Share,
  type World,
} from '../../core/index.ts'
import { isNodeSmithClaim, isPoolPolicy, KUBENODESMITH, NODEFIT } from '../../kinds/index.ts'
import { type Finding, isError, listNames } from '../../krm/finding.ts'
import { rendererOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { accountOf, answersOf, podFindings } from './answers.ts'
import { packageFindings, unknownPools } from './check-input.ts'
import { finding, POOL_CODES } from './codes.ts'
import { type Leaving, nextTime } from './leaving.ts'
import { liveControllerFindings } from './live-controller.ts'
import type { Machine } from './machines.ts'
import { isLeftToKarpenter, nodePoolRendered, outputFindings, outputOf } from './outputs.ts'
import { newShapeFindings } from './overhead.ts'
import { runPools } from './plan-pools.ts'
import type { Pool } from './pool.ts'
import { earlierOf } from './record.ts'
import type { PoolsRun } from './run.ts'
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

/** Returns what a run renders for one pool: what asks for its machines, and what it writes on nodes. */
function planPool(pool: Pool, run: PoolsRun, world: World, earlier: readonly Item[]): Planned {
  const { settings, machines } = pool
  const { subject } = settings
  const leaving = run.leaving.get(pool)
  if (leaving === undefined) throw new Error(`${settings.name} was not planned`)
  const failed = machines.filter(({ state, claim }) => state === 'failed' && claim?.isOurs === true)
  const until = nextTime(pool, run.packing, leaving, run.now)
  const made = outputOf(settings).render(pool, run, world, earlier)
  return {
    ...emptyPlanned({ subject, earlier }),
    ...made,
    account: accountOf(pool, run.packing, leaving, run.axes),
    answers: answersOf(pool, run, leaving),
    until: until === undefined ? undefined : new Date(until),
    findings: [
      ...made.findings,
      ...machineFindings(pool, run, leaving, failed),
      ...podFindings(pool, run),
      ...(settings.output.kind === 'NodeSmithClaim' ? liveControllerFindings(pool, world) : []),
      ...inventoryFindings(subject.object, made.shares, world),
    ],
  }
}

function machineFindings(pool: Pool, { packing }: PoolsRun, leaving: Leaving, failed: readonly Machine[]): Finding[] {
  const { settings, machines } = pool
  const subject = settings.subject.object
  const names = (all: readonly Machine[]) => listNames(all.map(({ name }) => name))
  const stale = machines.filter(({ state }) => state === 'stale')
  const minimum = packing.belowMinimum.get(pool)
  return [
    ...leaving.findings,
    ...(failed.length === 0
      ? []
      : [finding('ClaimFailed', `${settings.name}: ${names(failed)} failed and is dropped`, { subject })]),
    ...(stale.length === 0
      ? []
      : [
          finding('ClaimStale', `${settings.name}: ${names(stale)} is no Ready node after times.provision`, {
            subject,
          }),
        ]),
    ...(minimum === undefined
      ? []
      : [
          finding(
            'MinNodesNotReached',
            `${settings.name}: minNodes ${settings.limits.minNodes} is not reached: ${minimum}`,
            { subject },
          ),
        ]),
  ]
}

/** Node objects of the input are the inventory: a partial Node of the same name would be one object with them. */
function inventoryFindings(subject: KubernetesObject, shares: readonly Share[], { items }: World): Finding[] {
  const first = shares.find(({ target }) => target.kind === 'Node')
  const isNode = ({ object }: Item) =>
    object.apiVersion === 'v1' && object.kind === 'Node' && rendererOf(object) === undefined
  if (first === undefined || !items.some(isNode)) return []
  const sentence = `${subject.metadata.name}: a partial Node ${first.target.name} is to be rendered beside the Node objects of the package`
  return [finding('NeedsInventory', sentence, { subject })]
}
