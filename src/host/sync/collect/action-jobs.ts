import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import { listOf, memberOf } from '../../../krm/map.ts'
import { ACTIONS } from '../../../krm/remembered.ts'
import { type LabelSelector, type Labels, matchesLabels, parseSelector } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'

/** What became of an action, as a snapshot tells it. */
export type Outcome = NonNullable<SnapshotParts['outcomes']>[number]

/** The cached part of a Job of an action. */
export interface LiveJob {
  readonly action: string
  /** The first ten hex digits of what was signed, with which its name ends. */
  readonly digest: string
  readonly state: 'active' | 'complete' | 'failed'
  readonly message?: string
  /** Whether it takes away what an earlier Job set. */
  readonly isEnd: boolean
  /** The node that it drains, and how. */
  readonly drain?: DrainOptions
}

interface DrainOptions {
  readonly node: string
  readonly force: boolean
  readonly deleteEmptyDirData: boolean
  readonly podSelector?: string
}

/** What keeps a Job from going on. */
export interface Blocking {
  /** How many pods are left to evict. */
  readonly left: number
  readonly pods: NonNullable<Outcome['blocking']>
}

const DIGEST = /-([0-9a-f]{10})$/

/** Returns what counts of a Job; undefined where it is of no action. */
export function liveJob({ metadata, spec, status }: KubeObject): LiveJob | undefined {
  const action = memberOf(memberOf(metadata, 'annotations'), ACTIONS)
  const [, digest] = DIGEST.exec(metadata.name) ?? []
  if (typeof action !== 'string' || digest === undefined) return undefined
  const conditions = listOf(memberOf(status, 'conditions'))
  const ended = conditions.find(
    (one) => memberOf(one, 'status') === 'True' && ['Complete', 'Failed'].includes(String(memberOf(one, 'type'))),
  )
  const isFailed = memberOf(ended, 'type') === 'Failed'
  const message = memberOf(ended, 'message')
  const [container] = listOf(memberOf(memberOf(memberOf(spec, 'template'), 'spec'), 'containers'))
  const drain = drainOptions(listOf(memberOf(container, 'args')).map(String))
  return {
    action,
    digest,
    state: ended === undefined ? 'active' : isFailed ? 'failed' : 'complete',
    ...(isFailed && typeof message === 'string' ? { message } : {}),
    isEnd: metadata.name.startsWith('untaintnode-'),
    ...(drain && { drain }),
  }
}

function drainOptions([verb, node, ...flags]: readonly string[]): DrainOptions | undefined {
  if (verb !== 'drain' || node === undefined) return undefined
  const selector = flags.find((flag) => flag.startsWith('--pod-selector='))?.slice('--pod-selector='.length)
  return {
    node,
    force: flags.includes('--force'),
    deleteEmptyDirData: flags.includes('--delete-emptydir-data'),
    ...(selector === undefined ? {} : { podSelector: selector }),
  }
}

/** Returns the kind of the object that controls an object. */
export function controllerOf({ metadata }: KubeObject): string | undefined {
  const owner = listOf(memberOf(metadata, 'ownerReferences')).find((one) => memberOf(one, 'controller') === true)
  const kind = memberOf(owner, 'kind')
  return typeof kind === 'string' ? kind : undefined
}

/** Whether a pod is the mirror of a static pod. */
export function isMirror({ metadata }: KubeObject): boolean {
  return memberOf(memberOf(metadata, 'annotations'), 'kubernetes.io/config.mirror') !== undefined
}

/**
 * Returns what keeps pods of a node from being drained: budgets that allow no disruption, and pods without a controller
 * or with local data where the drain does not ask for those (the filters of kubectl drain).
 */
export function drainBlocking(
  pods: readonly KubeObject[],
  budgets: readonly KubeObject[],
  { force, deleteEmptyDirData, podSelector }: DrainOptions,
): Blocking {
  const selector = podSelector === undefined ? undefined : parseSelector(podSelector)
  const left = pods.filter(
    (pod) =>
      controllerOf(pod) !== 'DaemonSet' &&
      !isMirror(pod) &&
      (selector === undefined || matchesLabels(selector, labelsOf(pod))),
  )
  const blocked = left.flatMap((pod) => {
    const by = hasEnded(pod)
      ? undefined
      : controllerOf(pod) === undefined && !force
        ? 'no controller would make it again, and force is not set'
        : hasLocalData(pod) && !deleteEmptyDirData
          ? 'it has local data, and deleteEmptyDirData is not set'
          : budgetText(pod, budgets)
    return by === undefined ? [] : [{ pod: podName(pod), by }]
  })
  return { left: left.length, pods: blocked.sort((a, b) => (a.pod < b.pod ? -1 : 1)) }
}

/** Returns the budget that keeps a pod from being evicted. */
export function evictBlocking(pod: KubeObject, budgets: readonly KubeObject[]): Blocking {
  const by = budgetText(pod, budgets)
  return { left: 1, pods: by === undefined ? [] : [{ pod: podName(pod), by }] }
}

function budgetText(pod: KubeObject, budgets: readonly KubeObject[]): string | undefined {
  const kept = budgets.find(
    (budget) =>
      budget.metadata.namespace === pod.metadata.namespace &&
      memberOf(budget.status, 'disruptionsAllowed') === 0 &&
      matchesLabels(memberOf(budget.spec, 'selector') as LabelSelector | undefined, labelsOf(pod)),
  )
  return kept && `PodDisruptionBudget ${podName(kept)} allows 0`
}

function hasEnded({ status }: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(String(memberOf(status, 'phase')))
}

function hasLocalData({ spec }: KubeObject): boolean {
  return listOf(memberOf(spec, 'volumes')).some((volume) => memberOf(volume, 'emptyDir') !== undefined)
}

function labelsOf({ metadata }: KubeObject): Labels {
  return (memberOf(metadata, 'labels') ?? {}) as Labels
}

function podName({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`
}
