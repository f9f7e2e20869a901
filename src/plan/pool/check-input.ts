import { aheadFinding, type World } from '../../core/index.ts'
import { type Fleet, isCounted, type Live, type LiveClaim, nodesText } from '../../facts/inventory/index.ts'
import { isNodeInventory, isPoolPolicy, isRenderConfig } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { packageOf } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { OPENED } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { notExportedFindings } from '../sizing/index.ts'
import { finding } from './codes.ts'
import { timeAt } from './machines.ts'
import { outputOf } from './outputs.ts'
import { recordedNumber, recordedOf } from './record.ts'
import type { PoolSettings } from './settings.ts'

/** The parts of a snapshot without which nothing is decided. */
const NEEDED = ['nodes', 'pending'] as const
/** Snapshot and inventory are written by one command, which reads for a while. */
const APART_MILLISECONDS = 60_000
const OPENED_PATH = `metadata.annotations.${OPENED}`

/** What the pools of a cluster read. */
export interface PoolSources {
  readonly fleet: Fleet
  readonly live: Live
  readonly claims: readonly Item[]
  /** Returns the claims of a pool in the cluster. */
  readonly liveClaims: (settings: PoolSettings) => readonly LiveClaim[]
  readonly world: World
}

/** Whether a snapshot shows all that a plan needs. */
export function isComplete(all: readonly PoolSettings[], live: Live): boolean {
  return missingParts(all, live).length === 0
}

/** The Machines of a MachineDeployment are known from the snapshot alone. */
function missingParts(all: readonly PoolSettings[], live: Live) {
  const isCounted = all.some(({ output }) => output.kind === 'MachineDeployment')
  const needed = isCounted ? ([...NEEDED, 'machines'] as const) : NEEDED
  return needed.filter((part) => live[part] === undefined)
}

/** Finds why the pools of a cluster cannot be planned, or not as they should. */
export function inputFindings(all: readonly PoolSettings[], sources: PoolSources): Finding[] {
  const [first] = all
  if (first === undefined) return []
  const subject = first.subject.object
  const { fleet, live, world } = sources
  const missing = missingParts(all, live)
  if (missing.length > 0) {
    const sentence = `${subject.metadata.name}: no WorkloadSnapshot of the cluster has ${missing.join(' and ')}`
    return [finding('PoolInputUnknown', sentence, { subject })]
  }
  const isDated = NEEDED.every((part) => live.times[part] !== undefined)
  if (!isDated || world.now === undefined)
    return [finding('NoTime', `${subject.metadata.name}: the WorkloadSnapshot has no observedAt`, { subject })]
  return [
    ...all.flatMap((one) => recordFindings(one, world)),
    ...twiceFindings(all),
    ...all.flatMap((one) => outputOf(one).liveProblems?.(one, world, live) ?? []),
    ...all.flatMap((one) => labelFindings(one, fleet)),
    ...apartFindings(first, sources),
    ...olderFindings(first, sources),
    ...liveFindings(all, sources),
  ]
}

/** Two policies of one pool, or of one prefix, would open each machine twice, or two of one name. */
function twiceFindings(all: readonly PoolSettings[]): Finding[] {
  return all.flatMap((one, index) => {
    const twin = all.slice(0, index).find(({ name, prefix }) => name === one.name || prefix === one.prefix)
    if (twin === undefined) return []
    const what = twin.name === one.name ? `pool ${one.name}` : `the namePrefix ${one.prefix}`
    const subject = one.subject.object
    const sentence = `PoolPolicies ${twin.subject.object.metadata.name} and ${subject.metadata.name} both have ${what}`
    return [finding('DuplicatePool', sentence, { subject })]
  })
}

/** A number that cannot be read is no reason to begin with the first name again. */
function recordFindings(settings: PoolSettings, world: World): Finding[] {
  const { object } = settings.subject
  return recordedOf(settings, world)
    .filter((text) => recordedNumber(text) === undefined)
    .map((text) => {
      const sentence = `${object.metadata.name}: the recorded number of the next claim is ${JSON.stringify(text)}, not a whole number above 0`
      const mend = 'Write a number above that of every machine that the pool ever had.'
      return finding('PoolInvalid', sentence, { subject: object, mend })
    })
}

function labelFindings({ subject: { object }, labelKey, name }: PoolSettings, fleet: Fleet): Finding[] {
  const path = 'spec.poolRef'
  const counted = fleet.shapes.find((shape) => shape.labels[labelKey] === name && isCounted(shape))
  return [
    ...notExportedFindings(fleet, [{ key: labelKey, path }], object),
    ...(counted === undefined
      ? []
      : [
          finding(
            'NodesNotNamed',
            `${object.metadata.name}: an inventory does not name ${nodesText(counted)} of the pool`,
            { subject: object },
          ),
        ]),
  ]
}

function apartFindings({ subject: { object } }: PoolSettings, { fleet, live }: PoolSources): Finding[] {
  const inventory = timeAt(fleet.observedAt)
  const snapshot = live.times.pending?.getTime()
  if (inventory === undefined || snapshot === undefined || Math.abs(inventory - snapshot) <= APART_MILLISECONDS)
    return []
  const sentence = `${object.metadata.name}: the snapshot is of ${timeText(snapshot)}, the inventory of ${timeText(inventory)}`
  return [finding('SnapshotsApart', sentence, { subject: object })]
}

function olderFindings({ subject: { object } }: PoolSettings, { claims, world }: PoolSources): Finding[] {
  const now = world.now?.getTime() ?? 0
  const { clock } = world
  const openedAt = (item: Item) => timeAt(item.object.metadata.annotations?.[OPENED]) ?? 0
  const isLate = (item: Item) => clock !== undefined && openedAt(item) > clock.getTime()
  // what was opened after the clock counts as opened now
  const late = claims
    .filter(isLate)
    .flatMap((item) => (clock ? [aheadFinding(item.object, OPENED_PATH, new Date(openedAt(item)), clock)] : []))
  const later = claims.filter((item) => openedAt(item) > now && !isLate(item))
  if (later.length === 0) return late
  const names = listNames(later.map((item) => item.object.metadata.name).sort())
  const by = formatDuration(BigInt(Math.max(...later.map(openedAt)) - now) * 1_000_000n)
  const sentence = `${names} opened up to ${by} after ${timeText(now)}, the time of the snapshot`
  return [...late, finding('SnapshotOlder', sentence, { subject: object })]
}

/** What the cluster has and Git has not: without the earlier output, only the cluster says what runs. */
function liveFindings(all: readonly PoolSettings[], { liveClaims, claims, world }: PoolSources): Finding[] {
  if (!world.isSeen) return []
  const known = new Set(claims.map(({ object }) => object.metadata.name))
  return all.flatMap((settings) => {
    const { object } = settings.subject
    const others = liveClaims(settings).filter((one) => !one.isDeleting && !known.has(one.name))
    if (others.length === 0) return []
    const names = listNames(others.map((one) => one.name).sort())
    return [
      finding('ClaimsNotInGit', `${object.metadata.name}: ${names} in the cluster, not in the package`, {
        subject: object,
      }),
    ]
  })
}

/** Reports the claims of the package whose pool is not in it. */
export function unknownPools(pools: ReadonlySet<string>, claims: readonly Item[]): Finding[] {
  return claims.flatMap(({ object }) => {
    const pool = memberOf(object.spec, 'poolRef')
    const key = `${object.metadata.namespace ?? ''}/${String(pool)}`
    if (pools.has(key)) return []
    const sentence = `NodeSmithClaim ${object.metadata.name}: pool ${String(pool)} is not in the package`
    return [finding('UnknownPool', sentence, { subject: object })]
  })
}

/** Reports that another package of the run has pools of the cluster: each places the same pods. */
export function packageFindings(
  [first]: readonly PoolSettings[],
  cluster: string | undefined,
  { everything, path }: World,
): Finding[] {
  if (first === undefined || cluster === undefined) return []
  const others = everything.filter((item) => packageOf(item) !== path && isEnabledPolicy(item))
  const other = others.find((item) => clusterOfPolicy(item, everything) === cluster)
  if (other === undefined) return []
  const { object: subject } = first.subject
  const sentence = `${subject.metadata.name} and PoolPolicy ${other.object.metadata.name} of package ${packageOf(other) || '.'} are both of cluster ${cluster}`
  return [finding('PoolsInTwoPackages', sentence, { subject })]
}

function isEnabledPolicy({ object }: Item): boolean {
  return isPoolPolicy(object) && memberOf(object.spec, 'enabled') !== false
}

/** Returns the cluster that a policy of another package is of: as it, its RenderConfig or its inventory names it. */
function clusterOfPolicy(item: Item, everything: readonly Item[]): unknown {
  const own = memberOf(item.object.spec, 'cluster')
  if (own !== undefined) return own
  const beside = everything.filter((one) => packageOf(one) === packageOf(item)).map(({ object }) => object)
  const source = beside.find(isRenderConfig) ?? beside.find(isNodeInventory)
  const cluster = memberOf(source?.spec, 'cluster')
  return cluster ?? memberOf(beside.find(isNodeInventory)?.spec, 'cluster')
}
