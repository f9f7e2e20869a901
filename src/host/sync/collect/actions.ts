import type { PlannedAction } from '../../../core/index.ts'
import type { SnapshotParts } from '../../../facts/inventory/index.ts'
import { memberOf } from '../../../krm/map.ts'
import { ACTIONS } from '../../../krm/remembered.ts'
import { ApiError } from '../../cluster/errors.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { EngineContext } from '../context.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import {
  type Blocking,
  controllerOf,
  drainBlocking,
  evictBlocking,
  isMirror,
  type LiveJob,
  liveJob,
  mergeOutcomes,
  type Outcome,
  outcomesOf,
} from './action-outcomes.ts'
import type { Collector, Informer, JsonClient, MakeInformer } from './collector.ts'

type Target = NonNullable<SnapshotParts['targets']>[number]

export interface ActionsOptions {
  readonly makeInformer: MakeInformer
  readonly connection: JsonClient
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
  readonly nodes: () => Iterable<ProjectedNode>
  /** Gives the actions of the newest render; undefined before the first. */
  readonly planned: () => readonly PlannedAction[] | undefined
  /** The namespace of the Jobs. */
  readonly namespace: string
  /** Called when an outcome or a target is another one. */
  readonly onChange: () => void
}

/** Milliseconds between two looks at what has no watch: pods that actions name, and what blocks a drain. */
const POLL_INTERVAL = 5_000
/** Milliseconds without a byte after which a request fails. */
const TIMEOUT = 20_000
const MOST_PODS = '1000'

/** Collects what became of signed actions, and the pods that they name. */
export class ActionsCollector implements Collector {
  readonly name = 'actions'
  readonly #options: ActionsOptions
  readonly #jobs: Informer<LiveJob>
  #earlier: readonly Outcome[] = []
  #blocking: ReadonlyMap<string, Blocking> = new Map()
  #targets: readonly Target[] = []
  #hasPolled = false
  #shown = ''
  #loggedError = ''

  constructor(options: ActionsOptions) {
    this.#options = options
    const { makeInformer, namespace, onChange } = options
    this.#jobs = makeInformer<LiveJob>({
      path: `/apis/batch/v1/namespaces/${namespace}/jobs`,
      resource: 'jobs',
      keyOf: ({ metadata: { name } }) => name,
      trim: liveJob,
      onChange,
    })
  }

  get isSynced(): boolean {
    return this.#jobs.isSynced && this.#hasPolled
  }

  /** Takes what Git tells of outcomes: this process may have been away, or started anew. */
  remember(inGit: readonly Outcome[]): void {
    this.#earlier = mergeOutcomes(inGit, this.#earlier)
  }

  async start(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#jobs.start(signal), this.#poll(signal)])
  }

  part(now: number): SnapshotParts {
    if (!this.isSynced) return {}
    this.#earlier = this.#outcomes(now)
    this.#shown = this.#key(this.#earlier)
    return { outcomes: [...this.#earlier], targets: [...this.#targets] }
  }

  #outcomes(now: number): Outcome[] {
    const marks = new Map<string, readonly string[]>()
    for (const { name, details } of this.#options.nodes()) {
      const ids = details?.annotations?.[ACTIONS]
      if (ids !== undefined) marks.set(name, ids.split(', '))
    }
    const [jobs, blocking, earlier] = [this.#jobs.items(), this.#blocking, this.#earlier]
    return outcomesOf({ planned: this.#options.planned(), earlier, jobs, marks, blocking, now })
  }

  #key(outcomes: readonly Outcome[]): string {
    return JSON.stringify([
      outcomes.map(({ action, digest, state, held }) => [action, digest, state, held]),
      this.#targets,
    ])
  }

  /** Looks again and again; a failure is reported, and what was seen before stays. */
  async #poll(signal: AbortSignal): Promise<void> {
    const { context, onChange } = this.#options
    const { clock } = context
    while (!signal.aborted) {
      try {
        if (this.#jobs.isSynced) await this.#look(signal)
        this.#report('')
      } catch (error) {
        if (!signal.aborted) this.#report(error instanceof Error ? error.message : String(error))
      }
      if (signal.aborted) return
      const isFirst = !this.#hasPolled
      this.#hasPolled = true
      if (isFirst || (this.isSynced && this.#key(this.#outcomes(clock.now())) !== this.#shown)) onChange()
      await clock.sleep(POLL_INTERVAL, signal)
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const read = <T>(path: string, query = {}) =>
      this.#options.connection.json<T>({ path, query, signal, timeout: TIMEOUT })
    let all: Promise<{ items: KubeObject[] }> | undefined
    const budgets = async () => {
      all ??= read<{ items: KubeObject[] }>('/apis/policy/v1/poddisruptionbudgets')
      return (await all).items
    }
    const blocking = new Map<string, Blocking>()
    for (const [name, { drain, state }] of this.#jobs.items()) {
      if (drain === undefined || state === 'complete') continue
      const query = { fieldSelector: `spec.nodeName=${drain.node}`, limit: MOST_PODS }
      const { items } = await read<{ items: KubeObject[] }>('/api/v1/pods', query)
      blocking.set(name, drainBlocking(items, await budgets(), drain))
    }
    const targets: Target[] = []
    for (const { type, state, target, jobs } of this.#options.planned() ?? []) {
      if (type !== 'evictPod' || state === 'expired' || state === 'refused') continue
      const { namespace = 'default', name } = target
      const pod = await read<KubeObject>(`/api/v1/namespaces/${namespace}/pods/${name}`).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      })
      if (pod === undefined) continue
      targets.push(targetEntry(pod, namespace))
      for (const job of jobs)
        if (this.#jobs.items().get(job)?.state === 'active') blocking.set(job, evictBlocking(pod, await budgets()))
    }
    this.#blocking = blocking
    this.#targets = targets.sort((a, b) => (targetText(a) < targetText(b) ? -1 : 1))
  }

  #report(error: string): void {
    const { meter, log } = this.#options.context
    meter.component('api-actions', error === '')
    if (this.#loggedError !== error && error !== '')
      log.warn('cannot read what actions act on: what was seen before stays', { error })
    this.#loggedError = error
  }
}

function targetEntry(pod: KubeObject, namespace: string): Target {
  const { name, uid } = pod.metadata
  const node = memberOf(pod.spec, 'nodeName')
  const controller = controllerOf(pod)
  return {
    ...{ kind: 'Pod', namespace, name },
    ...(uid === undefined ? {} : { uid }),
    ...(typeof node === 'string' ? { node } : {}),
    ...(controller === undefined ? {} : { controller }),
    ...(isMirror(pod) ? { mirror: true } : {}),
  }
}

function targetText({ namespace, name }: Target): string {
  return `${namespace}/${name}`
}
