import type { SnapshotParts, UsageRow } from '../../../facts/inventory/index.ts'
import type { Collector, Informer, NamedTargets } from './collector.ts'
import type { SeenDaemonSet } from './daemonsets.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { type TroubledPod, type Troubles, troublesOf } from './troubled-pods.ts'
import type { UsageCollector } from './usage.ts'

type Row = NonNullable<SnapshotParts['workloads']>[number]

export interface WorkloadsOptions {
  readonly daemonSets: Informer<SeenDaemonSet>
  readonly pods: Informer<TroubledPod>
  readonly usage: UsageCollector
  /** The DaemonSets that policies name; undefined where no render has read the policies yet. */
  readonly targets: () => NamedTargets | undefined
}

/**
 * Collects the DaemonSets that policies name, and those that are rendered: pods, restarts, requests and usage. No
 * change of them starts an evaluation: the next one sees it.
 */
export function workloadsCollector({ daemonSets, pods, usage, targets }: WorkloadsOptions): Collector {
  const isSynced = () => daemonSets.isSynced && pods.isSynced && usage.isSynced
  return {
    name: 'workloads',
    start: (signal) => pods.start(signal),
    get isSynced() {
      return isSynced()
    },
    part(now) {
      const named = targets()
      if (!isSynced() || named === undefined) return {}
      return { ...usage.availability(), workloads: workloadRows(daemonSets, named, pods, usage.seen(now)) }
    },
  }
}

/** A DaemonSet whose pods are measured: one that is rendered, or that a policy names; undefined for any other. */
export function measuredDaemonSet(seen: SeenDaemonSet, targets: NamedTargets | undefined): OwnDaemonSet | undefined {
  const { namespace, name, uid, selector, counts } = seen
  if (seen.own !== undefined) return seen.own
  const policy = targets?.get(`${namespace}/${name}`)
  // a target that is not rendered is one group of its own, which no node group can be named like
  if (policy === undefined) return undefined
  return { namespace, name, uid, selector, policy, group: targetGroup(name), labelKeys: [], desired: counts.desired }
}

const targetGroup = (name: string): string => `target/${name}`

/** One row for each DaemonSet, sorted by namespace and name. */
function workloadRows(
  daemonSets: Informer<SeenDaemonSet>,
  targets: NamedTargets,
  pods: Informer<TroubledPod>,
  usage: readonly UsageRow[],
): Row[] {
  const troubles = troublesOf(pods.items().values())
  const ofContainer = new Map(usage.map((row) => [JSON.stringify([row.policy, row.group, row.container]), row]))
  return [...daemonSets.items().values()]
    .map((seen) => ({ seen, key: `${seen.namespace}/${seen.name}`, as: measuredDaemonSet(seen, targets) }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .flatMap(({ seen, key, as }) =>
      as === undefined
        ? []
        : [rowOf(seen, as, troubles.get(key), (name) => ofContainer.get(JSON.stringify([as.policy, as.group, name])))],
    )
}

function rowOf(
  { namespace, name, own: rendered, counts, containers }: SeenDaemonSet,
  { policy }: OwnDaemonSet,
  { restarts = 0, waiting, terminated }: Partial<Troubles> = {},
  usageOf: (container: string) => UsageRow | undefined,
): Row {
  return {
    object: `DaemonSet/${namespace}/${name}`,
    policy,
    ...(rendered && { group: rendered.group }),
    ...counts,
    restarts,
    ...(waiting && { waiting }),
    ...(terminated && { terminated }),
    containers: containers.map(({ name: container, requests, limits }) => {
      const { seen } = usageOf(container) ?? {}
      return {
        name: container,
        ...(requests && { requests }),
        ...(limits && { limits }),
        ...(seen && { seen }),
      }
    }),
  }
}
