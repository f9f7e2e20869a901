import { listOf, memberOf, scalarText } from '../../../krm/map.ts'
import { GROUP, ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { LabelSelector } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Informer, MakeInformer } from './collector.ts'

/** A DaemonSet that nodefit rendered for a node group. */
export interface OwnDaemonSet {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Namespace and name of its SizingPolicy. */
  readonly policy: string
  readonly group: string
  /** The selector of its pods, as a labelSelector query. */
  readonly selector: string
  /** The keys of the labels that its pods must have. */
  readonly labelKeys: readonly string[]
  /** The pods that it wants. */
  readonly desired: number
}

const POLICY_PREFIX = 'SizingPolicy/'

/** Caches the DaemonSets of the cluster that nodefit rendered. */
export function ownDaemonSetInformer(makeInformer: MakeInformer): Informer<OwnDaemonSet> {
  return makeInformer({
    path: '/apis/apps/v1/daemonsets',
    resource: 'daemonsets',
    trim: ownDaemonSet,
    onChange: () => {},
  })
}

/** The cached part of a DaemonSet; undefined for one that nodefit did not render. */
export function ownDaemonSet(object: KubeObject): OwnDaemonSet | undefined {
  const owner = ownerOf(object as unknown as KubernetesObject)
  if (owner === undefined || !owner.startsWith(POLICY_PREFIX)) return undefined
  const { namespace = '', name, uid = '' } = object.metadata
  const group = memberOf(memberOf(object.metadata, 'annotations'), GROUP)
  return {
    namespace,
    name,
    uid,
    policy: `${namespace}/${owner.slice(POLICY_PREFIX.length)}`,
    group: scalarText(group ?? name),
    ...selectedPods(object),
  }
}

/** Which pods a DaemonSet has, and how many it wants. */
export function selectedPods({ spec, status }: KubeObject): Pick<OwnDaemonSet, 'selector' | 'labelKeys' | 'desired'> {
  const selector = memberOf(spec, 'selector') as LabelSelector | undefined
  const desired = memberOf(status, 'desiredNumberScheduled')
  return {
    selector: selectorQuery(selector),
    labelKeys: Object.keys(selector?.matchLabels ?? {}),
    desired: Number.isSafeInteger(desired) ? (desired as number) : 0,
  }
}

/** A label selector as `kubectl -l` takes it. */
export function selectorQuery(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const requirements = listOf(selector?.matchExpressions) as NonNullable<LabelSelector['matchExpressions']>
  return [...labels, ...requirements.map(requirementQuery)].sort().join(',')
}

function requirementQuery({
  key,
  operator,
  values,
}: {
  key: string
  operator: string
  values?: string[] | null
}): string {
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${(values ?? []).join(',')})`
}
