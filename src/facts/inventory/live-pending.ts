import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Finding, Read, Subject } from '../../krm/finding/index.ts'
import {
  type Affinity,
  type Labels,
  nodeSelectorProblem,
  type ResourceQuantities,
  type Toleration,
  tolerationProblem,
} from '../../kube/index.ts'
import { amountFindings, duplicateFindings, invalidEntry, timeFindings, timeOf } from './live-checks.ts'

/** Pending pods that are equal in all that decides where they may run. */
export interface PendingPods {
  /** What one of them requests. */
  readonly requests: ResourceQuantities
  readonly nodeSelector: Labels
  /** Their required node affinity, and nothing else of it. */
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
  readonly priority: number
  readonly priorityClassName?: string
  readonly schedulerName: string
  /** The kind of the object that controls them. */
  readonly controller?: string
  /** The scheduling gates that hold them. */
  readonly gates: readonly string[]
  /** What limits where they run and is not planned with. */
  readonly limits: readonly string[]
  readonly pods: readonly PendingPod[]
}

/** A pod that has no node. */
export interface PendingPod {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  /** When the scheduler first refused it, or it was created; undefined if that is unknown. */
  readonly since?: Date
  /** `Unschedulable` or `SchedulingGated`; undefined if the scheduler has not looked at it. */
  readonly reason?: string
  /** The node that the scheduler makes room on for it. */
  readonly nominated?: string
  readonly isDeleting: boolean
}

type Entry = NonNullable<WorkloadSnapshot['spec']['pending']>[number]

/** Reads the pending pods of a snapshot; without a value the snapshot does not record them. */
export function readPending(subject: Subject, { pending }: WorkloadSnapshot['spec']): Read<PendingPods[]> {
  if (pending === undefined) return { findings: [] }
  const names = pending.flatMap(({ pods }) => pods.map(({ namespace = '', name }) => `${namespace}/${name}`))
  const malformed = [
    ...pending.flatMap((entry, index) => entryFindings(subject, entry, `spec.pending.${index}`)),
    ...duplicateFindings(subject, 'pending', names),
  ]
  return malformed.length > 0 ? { findings: malformed } : { value: pending.map(toPending), findings: [] }
}

function toPending({ like, pods }: Entry): PendingPods {
  return {
    ...like,
    requests: like.requests ?? {},
    nodeSelector: like.nodeSelector ?? {},
    affinity: like.affinity as Affinity | undefined,
    tolerations: (like.tolerations ?? []) as Toleration[],
    priority: like.priority ?? 0,
    schedulerName: like.schedulerName ?? 'default-scheduler',
    gates: like.gates ?? [],
    limits: like.limits ?? [],
    pods: pods.map(({ namespace = '', since, deleting, ...pod }) => ({
      ...pod,
      namespace,
      since: timeOf(since),
      isDeleting: deleting === true,
    })),
  }
}

function entryFindings(subject: Subject, { like, pods }: Entry, path: string): Finding[] {
  const tolerations = (like.tolerations ?? []) as Toleration[]
  const required = (like.affinity as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const affinity = required === undefined ? undefined : affinityProblem(required)
  return [
    ...amountFindings(subject, like.requests, `${path}.like.requests`),
    ...pods.flatMap((pod, index) => timeFindings(subject, pod, ['since'], `${path}.pods.${index}`)),
    ...tolerations.flatMap((toleration, index) => {
      const problem = tolerationProblem(toleration)
      if (problem === undefined) return []
      return [invalidEntry(subject, `${path}.like.tolerations.${index}`, toleration, (at) => `${at}: ${problem}`)]
    }),
    ...(affinity === undefined
      ? []
      : [invalidEntry(subject, `${path}.like.affinity`, like.affinity, (at) => `${at}: ${affinity}`)]),
  ]
}

function affinityProblem(required: unknown): string | undefined {
  const terms = (required as { nodeSelectorTerms?: unknown } | null)?.nodeSelectorTerms
  return Array.isArray(terms) ? nodeSelectorProblem(terms) : 'nodeSelectorTerms is not a list'
}
