import { type Finding, listNames } from '../finding/index.ts'
import { type Fleet, isCounted, type Live, nodesText } from '../inventory/index.ts'
import { memberOf } from '../krm/map.ts'
import { OPENED } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { timeText } from '../kube/index.ts'
import { notExportedFindings } from '../sizing/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import { timeAt } from './machines.ts'
import type { PoolSettings } from './settings.ts'

/** The parts of a snapshot without which nothing is decided. */
const NEEDED = ['nodes', 'pending'] as const
/** Snapshot and inventory are written by one command, which reads for a while. */
const APART_MILLISECONDS = 60_000

/** What the pools of a cluster read. */
export interface PoolSources {
  readonly fleet: Fleet
  readonly live: Live
  readonly claims: readonly Item[]
  readonly world: World
}

/** Whether a snapshot shows all that a plan needs. */
export function isComplete(live: Live): boolean {
  return NEEDED.every((part) => live[part] !== undefined)
}

/** Finds why the pools of a cluster cannot be planned, or not as they should. */
export function inputFindings(all: readonly PoolSettings[], sources: PoolSources): Finding[] {
  const [first] = all
  if (first === undefined) return []
  const subject = first.subject.object
  const { fleet, live, world } = sources
  const missing = NEEDED.filter((part) => live[part] === undefined)
  if (missing.length > 0) {
    const sentence = `${subject.metadata.name}: no WorkloadSnapshot of the cluster has ${missing.join(' and ')}`
    return [finding('PoolInputUnknown', sentence, { subject })]
  }
  const isDated = NEEDED.every((part) => live.times[part] !== undefined)
  if (!isDated || world.now === undefined)
    return [finding('NoTime', `${subject.metadata.name}: the WorkloadSnapshot has no observedAt`, { subject })]
  return [
    ...twiceFindings(all),
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
  const later = claims.filter((item) => (timeAt(item.object.metadata.annotations?.[OPENED]) ?? 0) > now)
  if (later.length === 0) return []
  const names = listNames(later.map((item) => item.object.metadata.name).sort())
  return [
    finding('SnapshotOlder', `${names} opened after ${timeText(now)}, the time of the snapshot`, { subject: object }),
  ]
}

/** What the cluster has and Git has not: without the earlier output, only the cluster says what runs. */
function liveFindings(all: readonly PoolSettings[], { live, claims, world }: PoolSources): Finding[] {
  if (!world.isSeen) return []
  const known = new Set(claims.map(({ object }) => object.metadata.name))
  return all.flatMap(({ name, namespace = '', subject: { object } }) => {
    const others = (live.claims ?? []).filter(
      (one) => one.poolRef === name && one.namespace === namespace && !one.isDeleting && !known.has(one.name),
    )
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
