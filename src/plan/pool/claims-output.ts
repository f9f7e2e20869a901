import { nodeShare, nodeShares, nodeTarget, type Rendered, type Share } from '../../core/index.ts'
import { withAnnotations } from '../../core/object/canonical.ts'
import { type LiveClaim, namedNodes } from '../../facts/inventory/index.ts'
import { isNodeSmithClaim, KUBENODESMITH } from '../../kinds/index.ts'
import { memberOf, sortedByKey } from '../../krm/map.ts'
import { LEAVING, OPENED, OPENED_FOR, RELEASED_BY, REOPENED } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { timeText } from '../../kube/index.ts'
import type { Leaving } from './leaving.ts'
import {
  type Machine,
  type MachineClaim,
  type MachineNode,
  openedAt,
  podsIn,
  requirementsOf,
  timeAt,
} from './machines.ts'
import type { Opened } from './openings.ts'
import type { ClaimInput, Output } from './output.ts'
import type { Pool } from './pool.ts'
import { recordNext } from './record.ts'
import type { PoolsRun } from './run.ts'
import type { PoolSettings } from './settings.ts'

/** A NodeSmithClaim for each machine: KubeNodeSmith makes and removes it. */
export const claimsOutput: Output = {
  picks: false,
  takesSizes: true,
  remembersPods: true,
  problems: () => [],
  claims: claimsOf,
  render: (pool, run, world, earlier) => {
    const { settings, machines } = pool
    const gone = goneNames(pool, run)
    const claims = earlier.filter(({ object }) => isNodeSmithClaim(object))
    const kept = world.isSeen
      ? claims
          .filter(({ object }) => !gone.has(object.metadata.name))
          .map((item) => keptClaim(item, machines, { now: run.now, clock: world.clock }))
      : machines.flatMap(({ claim }) => (claim?.live === undefined ? [] : [liveClaim(claim.live, pool)]))
    const opened = run.packing.opened.get(pool) ?? []
    const added = opened.map((one) => rendered(renderClaim(one, settings, run.now), settings))
    return withRecord(pool, run, world, earlier, [...kept, ...added])
  },
}

/** Adds the fields of nodes and the number of the next claim to the objects of a pool whose machines have names. */
export function withRecord(
  pool: Pool,
  run: PoolsRun,
  world: Parameters<Output['render']>[2],
  earlier: readonly Item[],
  objects: readonly Rendered[],
): ReturnType<Output['render']> {
  const leaving = run.leaving.get(pool)
  const record = recordNext(pool.settings, run.next.get(pool) ?? 1, earlier, world)
  const shares = leaving === undefined ? [] : poolNodeShares(pool, leaving, run.documents, run.fleet.knows, run.now)
  return { objects: [...objects, ...record.objects], shares: [...shares, ...record.shares], findings: [] }
}

/** Returns the names of the machines that are given up: those that leave, and those that failed without a node. */
export function goneNames({ machines, ...pool }: Pool, run: PoolsRun): ReadonlySet<string> {
  const failed = machines.filter(({ state, claim }) => state === 'failed' && claim?.isOurs === true)
  const leaving = [...run.leaving].find(([one]) => one.settings === pool.settings)?.[1]
  return new Set([...(leaving?.dropped ?? []), ...failed.map(({ name }) => name)])
}

/** Returns the claims of a pool by name, those of Git and those of the cluster as one. */
function claimsOf({ claims, liveClaims, own, now }: ClaimInput): Map<string, MachineClaim> {
  const found = new Map<string, MachineClaim>()
  for (const item of claims) {
    const { metadata, spec } = item.object
    const opened = openedAt(item.object, now)
    const requirements = requirementsOf(memberOf(spec, 'requirements'))
    const isOurs = own.has(item)
    const times = { openedAt: opened, createdAt: opened ?? takenOverAt(item, now) }
    const openedFor = podsIn(metadata.annotations?.[OPENED_FOR])
    found.set(metadata.name, { name: metadata.name, item, isOurs, requirements, openedFor, ...times })
  }
  for (const one of liveClaims) {
    const inGit = found.get(one.name)
    const [opened, created] = [one.openedAt?.getTime(), one.createdAt?.getTime()]
    found.set(one.name, {
      name: one.name,
      item: inGit?.item,
      isOurs: inGit?.isOurs === true,
      live: one,
      isDeleting: one.isDeleting,
      hasFailed: one.failed === true,
      nodeName: one.nodeName,
      requirements: inGit?.requirements ?? requirementsOf(one.requirements),
      openedFor: inGit?.openedFor ?? [],
      openedAt: inGit?.openedAt ?? opened ?? created,
      createdAt: created ?? opened ?? inGit?.createdAt,
    })
  }
  return found
}

/** When a run takes over the object of a machine that says no time itself: from then on it is waited for. */
export function takenOverAt({ object: { metadata } }: Item, now: number): number | undefined {
  return metadata.annotations?.[RELEASED_BY] === undefined ? undefined : now
}

export function rendered(object: KubernetesObject, { name }: PoolSettings): Rendered {
  return { object, file: `${name}-claims.yaml`, about: `machine ${object.metadata.name}`, ...namedNodes([]) }
}

/**
 * A claim is never edited, whatever became of its pool, but for a time that a clock wrote that was ahead. One that was
 * released is ours again, and says a time.
 */
export function keptClaim(
  item: Item,
  machines: readonly Machine[],
  { now, clock }: { readonly now: number; readonly clock?: Date },
): Rendered {
  const { object } = item
  const about = `machine ${object.metadata.name}`
  const file = { file: '', about, ...namedNodes([]) }
  const isLate = clock !== undefined && (timeAt(object.metadata.annotations?.[OPENED]) ?? 0) > clock.getTime()
  if (isLate) return { object: withAnnotations(object, { [OPENED]: timeText(now) }), ...file }
  if (object.metadata.annotations?.[RELEASED_BY] === undefined) return { object, isKept: true, ...file }
  const known = machines.find(({ claim }) => claim?.item === item)?.claim
  // a user may have written any value, and one that KubeNodeSmith opened has none
  const opened = timeText(known?.openedAt ?? known?.createdAt ?? now)
  return { object: withAnnotations(object, { [RELEASED_BY]: undefined, [OPENED]: opened }), ...file }
}

/** Renders a claim of the cluster again, where the earlier output is not in the input: what is missing is pruned. */
function liveClaim(live: LiveClaim, { settings }: Pool): Rendered {
  const { labelKey, name: pool, templateLabels, namespace } = settings
  const { name, requirements, idempotencyKey, terminationGracePeriod, openedAt, createdAt } = live
  const opened = openedAt ?? createdAt
  const labels = sortedByKey({ ...templateLabels, [labelKey]: pool })
  const object: KubernetesObject = {
    apiVersion: KUBENODESMITH,
    kind: 'NodeSmithClaim',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      ...(opened === undefined ? {} : { annotations: { [OPENED]: timeText(opened) } }),
    },
    spec: {
      poolRef: pool,
      ...(requirements === undefined ? {} : { requirements: { ...requirements } }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
    },
  }
  return rendered(object, settings)
}

/**
 * Returns the fields of Nodes that a pool writes: mark and cordon of those that leave, and the labels that a node
 * joined without. A document whose mark is withdrawn stays until the cluster no longer shows it, so that the tool
 * that applied its fields takes them back. `documents` are the partial Nodes of Git, by node; `now` is in milliseconds.
 */
function poolNodeShares(
  { settings, machines }: Pool,
  { marks, reopened, dropped }: Leaving,
  documents: ReadonlyMap<string, KubernetesObject>,
  knows: (label: string) => boolean,
  now: number,
): Share[] {
  const wanted = Object.entries({ ...settings.templateLabels, [settings.labelKey]: settings.name })
  return machines.flatMap(({ node, claim, state }) => {
    if (node === undefined || state === 'deleting' || claim === undefined || dropped.has(claim.name)) return []
    const document = documents.get(node.name)?.metadata
    const written = document?.labels ?? {}
    const labels = wanted.filter(([key]) => isMissing(key, node, knows) || Object.hasOwn(written, key))
    const mark = marks.get(node.name)
    // with the snapshot by which the mark was withdrawn the document stays; a later one that lacks the mark ends it
    const since = timeAt(document?.annotations?.[REOPENED])
    const isReopening = reopened.has(node.name) && (node.mark !== undefined || document !== undefined)
    const stays = isReopening || (mark === undefined && since !== undefined && since >= now)
    if (labels.length === 0 && mark === undefined && !stays) return []
    const target = nodeTarget(node.name)
    const share = (path: readonly string[], value: unknown) => nodeShare(target, path, value)
    return [
      ...nodeShares(target, node.uid),
      ...labels.map(([key, value]) => share(['metadata', 'labels', key], value)),
      ...(mark === undefined
        ? []
        : [share(['metadata', 'annotations', LEAVING], mark), share(['spec', 'unschedulable'], true)]),
      ...(stays ? [share(['metadata', 'annotations', REOPENED], timeText(since ?? now))] : []),
    ]
  })
}

/** Whether a node lacks a label, as far as the inventory shows; another value is left as it is. */
function isMissing(key: string, { labels }: MachineNode, knows: (label: string) => boolean): boolean {
  return !Object.hasOwn(labels, key) && knows(key)
}

/** Renders the claim of a machine that a run opens. The label of the pool wins over those of its template. */
function renderClaim({ bin, size, pods }: Opened, settings: PoolSettings, now: number): KubernetesObject {
  const { name, namespace, labelKey, templateLabels, drainText } = settings
  const labels = { ...templateLabels, [labelKey]: name }
  return {
    apiVersion: KUBENODESMITH,
    kind: 'NodeSmithClaim',
    metadata: {
      name: bin.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: sortedByKey(labels),
      annotations: {
        [OPENED]: timeText(now),
        ...(pods.length === 0 ? {} : { [OPENED_FOR]: [...pods].sort().join(' ') }),
      },
    },
    spec: { poolRef: name, requirements: { ...size.requirements }, terminationGracePeriod: drainText },
  }
}
