import { listOf, memberOf } from '../../../krm/map.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Informer, MakeInformer } from './collector.ts'

/** The cached part of a pod of a DaemonSet with restarts, or with containers that wait or were terminated. */
export interface TroubledPod {
  /** Namespace and name of its DaemonSet. */
  readonly daemonSet: string
  readonly restarts: number
  /** A reason for each container. */
  readonly waiting: readonly string[]
  readonly terminated: readonly string[]
}

/** What the pods of a DaemonSet come to. */
export interface Troubles {
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
