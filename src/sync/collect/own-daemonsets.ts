import { listOf, memberOf, scalarText } from '../../krm/map.ts'
import { GROUP, ownerOf } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { LabelSelector } from '../../kube/index.ts'
import type { KubeObject } from '../api/list.ts'
import type { Watch, Watched } from './collector.ts'

/** A DaemonSet that was rendered for a node group. */
export interface OwnDaemonSet {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Namespace and name of its SizingPolicy. */
  readonly policy: string
  readonly group: string
  /** Selects its pods, as a query has it. */
  readonly selector: string
}

const POLICY = 'SizingPolicy/'

/** The DaemonSets of the cluster that nodefit rendered. */
export function watchOwnDaemonSets(watch: Watch): Watched<OwnDaemonSet> {
  return watch({ path: '/apis/apps/v1/daemonsets', resource: 'daemonsets', trim: ownDaemonSet, onChange: () => {} })
}

/** What is kept of a DaemonSet; undefined for one that nodefit did not render. */
export function ownDaemonSet(object: KubeObject): OwnDaemonSet | undefined {
  const owner = ownerOf(object as unknown as KubernetesObject)
  if (owner === undefined || !owner.startsWith(POLICY)) return undefined
  const { namespace = '', name, uid = '' } = object.metadata
  const group = memberOf(memberOf(object.metadata, 'annotations'), GROUP)
  return {
    namespace,
    name,
    uid,
    policy: `${namespace}/${owner.slice(POLICY.length)}`,
    group: scalarText(group ?? name),
    selector: selectorText(memberOf(object.spec, 'selector') as LabelSelector | undefined),
  }
}

/** A selector as `kubectl -l` takes it. */
export function selectorText(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const requirements = listOf(selector?.matchExpressions) as NonNullable<LabelSelector['matchExpressions']>
  return [...labels, ...requirements.map(requirementText)].sort().join(',')
}

function requirementText({
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
