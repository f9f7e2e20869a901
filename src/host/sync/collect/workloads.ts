import type { SnapshotParts, UsageRow } from '../../../facts/inventory/index.ts'
import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import type { LabelSelector } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Collector, Informer, MakeInformer, NamedTargets } from './collector.ts'
import { type OwnDaemonSet, ownDaemonSet, selectorQuery } from './own-daemonsets.ts'
import type { UsageCollector } from './usage.ts'

type Row = NonNullable<SnapshotParts['workloads']>[number]

interface WorkloadsOptions {
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

/** The cached part of any DaemonSet. */
interface SeenDaemonSet {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The selector of its pods, as a labelSelector query. */
  readonly selector: string
  /** Present where nodefit rendered it. */
  readonly own?: OwnDaemonSet
  /** Numbers of its status. */
  readonly counts: { readonly desired: number; readonly updated: number; readonly ready: number }
  readonly containers: ReadonlyArray<{
    readonly name: string
    readonly requests?: Record<string, string>
    readonly limits?: Record<string, string>
  }>
}

/** Caches all DaemonSets of the cluster: it is not known before the first render which ones policies name. */
export function daemonSetInformer(makeInformer: MakeInformer): Informer<SeenDaemonSet> {
  return makeInformer({
    path: '/apis/apps/v1/daemonsets',
    resource: 'daemonsets',
    trim: seenDaemonSet,
    onChange: () => {},
  })
}

/** An informer of all DaemonSets, as one of those that a function takes. */
export function selectedDaemonSets(
  informer: Informer<SeenDaemonSet>,
  select: (seen: SeenDaemonSet) => OwnDaemonSet | undefined,
): Informer<OwnDaemonSet> {
  return {
    start: (signal) => informer.start(signal),
    get isSynced() {
      return informer.isSynced
    },
    items() {
      const selected = [...informer.items()].map(([key, seen]) => [key, select(seen)] as const)
      return new Map(selected.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])))
    },
  }
}

function seenDaemonSet(object: KubeObject): SeenDaemonSet {
  const { namespace = '', name, uid = '' } = object.metadata
  const rendered = ownDaemonSet(object)
  const template = memberOf(memberOf(object.spec, 'template'), 'spec')
  return {
    namespace,
    name,
    uid,
    selector: selectorQuery(memberOf(object.spec, 'selector') as LabelSelector | undefined),
    ...(rendered && { own: rendered }),
    counts: {
      desired: countIn(object.status, 'desiredNumberScheduled'),
      updated: countIn(object.status, 'updatedNumberScheduled'),
      ready: countIn(object.status, 'numberReady'),
    },
    containers: listOf(memberOf(template, 'containers')).map((container) => ({
      name: String(memberOf(container, 'name')),
      requests: amountsIn(container, 'requests'),
      limits: amountsIn(container, 'limits'),
    })),
  }
}

function countIn(status: unknown, name: string): number {
  const count = memberOf(status, name)
  return Number.isSafeInteger(count) ? (count as number) : 0
}

function amountsIn(container: unknown, name: 'requests' | 'limits'): Record<string, string> | undefined {
  const amounts = memberOf(memberOf(container, 'resources'), name)
  if (!isMap(amounts)) return undefined
  return Object.fromEntries(Object.entries(amounts).map(([resource, amount]) => [resource, String(amount)]))
}

/** The cached part of a pod of a DaemonSet with restarts, or with containers that wait or were terminated. */
interface TroubledPod {
  /** Namespace and name of its DaemonSet. */
  readonly daemonSet: string
  readonly restarts: number
  /** A reason for each container. */
  readonly waiting: readonly string[]
  readonly terminated: readonly string[]
}

/** What the pods of a DaemonSet come to. */
interface Troubles {
  readonly restarts: number
  readonly waiting?: Readonly<Record<string, number>>
  readonly terminated?: Readonly<Record<string, number>>
}

/** Caches the pods of DaemonSets that are not well; the others need no memory. */
export function troubledPodInformer(makeInformer: MakeInformer): Informer<TroubledPod> {
  return makeInformer({
    path: '/api/v1/pods',
    resource: 'pods',
    query: { fieldSelector: 'spec.nodeName!=,status.phase!=Succeeded' },
    keyOf: ({ metadata: { uid, namespace, name } }) => uid ?? `${namespace}/${name}`,
    trim: troubledPod,
    onChange: () => {},
  })
}

export function troubledPod({ metadata, status }: KubeObject): TroubledPod | undefined {
  const owner = listOf(memberOf(metadata, 'ownerReferences')).find((entry) => memberOf(entry, 'controller') === true)
  if (memberOf(owner, 'kind') !== 'DaemonSet') return undefined
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => listOf(memberOf(status, list)))
  const counts = containers.map((container) => memberOf(container, 'restartCount'))
  const restarts = counts.reduce<number>((sum, count) => sum + (Number.isSafeInteger(count) ? (count as number) : 0), 0)
  const waiting = containers.flatMap((container) => reasonOf(memberOf(memberOf(container, 'state'), 'waiting')))
  const terminated = containers.flatMap((container) =>
    reasonOf(memberOf(memberOf(container, 'lastState'), 'terminated')),
  )
  if (restarts + waiting.length + terminated.length === 0) return undefined
  return { daemonSet: `${metadata.namespace}/${String(memberOf(owner, 'name'))}`, restarts, waiting, terminated }
}

/** What the pods come to, by namespace and name of their DaemonSet. */
export function troublesOf(pods: Iterable<TroubledPod>): ReadonlyMap<string, Troubles> {
  const lists = new Map<string, TroubledPod[]>()
  for (const pod of pods) lists.set(pod.daemonSet, [...(lists.get(pod.daemonSet) ?? []), pod])
  return new Map(
    [...lists].map(([daemonSet, list]) => [
      daemonSet,
      {
        restarts: list.reduce((sum, { restarts }) => sum + restarts, 0),
        ...countedAs(
          'waiting',
          list.flatMap(({ waiting }) => waiting),
        ),
        ...countedAs(
          'terminated',
          list.flatMap(({ terminated }) => terminated),
        ),
      },
    ]),
  )
}

/** At most this many reasons, so that no pod can fill a file. */
const MAX_REASONS = 10

function countedAs(name: 'waiting' | 'terminated', reasons: readonly string[]): Partial<Troubles> {
  if (reasons.length === 0) return {}
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const most = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)).slice(0, MAX_REASONS)
  return { [name]: Object.fromEntries(most.sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function reasonOf(state: unknown): string[] {
  if (state === undefined || state === null) return []
  const reason = memberOf(state, 'reason')
  // a reason is a word of Kubernetes; what a runtime writes beside it is not kept
  return [typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : 'Unknown']
}
