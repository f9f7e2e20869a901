import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './fleets/api.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

const POLL_MILLISECONDS = 25
const SETTLED_MILLISECONDS = 90_000

/** What was seen at one instant: the agents that are ready on each node, of every DaemonSet. */
export type Seen = ReadonlyMap<string, number>

/**
 * Stands in for the kubelets of a cluster without any: an agent is ready so long after its pod was made. Each instant that is looked
 * at is handed to the observer.
 */
export class Agents {
  readonly #api: Api
  readonly #startMilliseconds: number
  readonly #made = new Map<string, number>()
  #observe: (seen: Seen) => void = () => undefined
  #isRunning = true
  readonly #turning: Promise<void>

  constructor(api: Api, startMilliseconds: number) {
    this.#api = api
    this.#startMilliseconds = startMilliseconds
    this.#turning = this.#turn()
  }

  /** Every instant from now on is handed to this one. */
  observe(observer: (seen: Seen) => void): void {
    this.#observe = observer
  }

  /** Waits until every DaemonSet has all of its pods, ready, and of its newest template but with OnDelete. */
  async settled(): Promise<void> {
    const end = Date.now() + SETTLED_MILLISECONDS
    while (Date.now() < end) {
      const { items } = await this.#api.get('/apis/apps/v1/namespaces/default/daemonsets')
      if (items.every(isDone)) return
      await pause(POLL_MILLISECONDS * 4)
    }
    throw new Error('the DaemonSets did not settle')
  }

  /** Ends; what was thrown on the way is thrown here. */
  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#turning
  }

  async #turn(): Promise<void> {
    while (this.#isRunning) {
      const [{ items: pods }, { items: nodes }] = await Promise.all([
        this.#api.get('/api/v1/namespaces/default/pods'),
        this.#api.get('/api/v1/nodes'),
      ])
      const ready = new Map<string, number>(nodes.map(({ metadata }: Any) => [metadata.name, 0]))
      const now = Date.now()
      for (const pod of pods.filter(({ metadata }: Any) => metadata.deletionTimestamp === undefined)) {
        const node = nodeOf(pod)
        if (isReady(pod)) ready.set(node, (ready.get(node) ?? 0) + 1)
        else if (now - this.#since(pod, now) >= this.#startMilliseconds) await this.#start(pod)
      }
      this.#observe(ready)
      await pause(POLL_MILLISECONDS)
    }
  }

  #since({ metadata: { uid } }: Any, now: number): number {
    const since = this.#made.get(uid) ?? now
    this.#made.set(uid, since)
    return since
  }

  async #start({ metadata }: Any): Promise<void> {
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    }
    try {
      await this.#api.patch(`/api/v1/namespaces/default/pods/${metadata.name}/status`, { status })
    } catch (error) {
      // its DaemonSet may have taken it away since
      if (!/: 404 /.test((error as Error).message)) throw error
    }
  }
}

/** The DaemonSet controller chooses a pod's node by affinity; no scheduler runs that would bind it. */
function nodeOf({ spec }: Any): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return spec.nodeName ?? terms?.[0]?.matchFields?.[0]?.values?.[0] ?? ''
}

function isReady({ status }: Any): boolean {
  return status?.conditions?.some(({ type, status: is }: Any) => type === 'Ready' && is === 'True') ?? false
}

function isDone({ metadata, spec, status }: Any): boolean {
  const {
    observedGeneration = 0,
    desiredNumberScheduled = 0,
    updatedNumberScheduled = 0,
    numberReady = 0,
    currentNumberScheduled = 0,
  } = status ?? {}
  return (
    observedGeneration >= metadata.generation &&
    currentNumberScheduled === desiredNumberScheduled &&
    (updatedNumberScheduled === desiredNumberScheduled || spec.updateStrategy.type === 'OnDelete') &&
    numberReady === desiredNumberScheduled
  )
}
