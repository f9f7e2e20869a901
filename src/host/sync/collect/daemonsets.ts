import { isMap, listOf, memberOf } from '../../../krm/map.ts'
import type { LabelSelector } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Informer, MakeInformer } from './collector.ts'
import { type OwnDaemonSet, ownDaemonSet, selectorQuery } from './own-daemonsets.ts'

/** The cached part of any DaemonSet. */
export interface SeenDaemonSet {
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

export function seenDaemonSet(object: KubeObject): SeenDaemonSet {
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
