import { type Connection, connect } from '../cluster/connection.ts'
import type { ConnectOptions } from '../cluster/kubeconfig.ts'
import { Elector } from './api/elector.ts'
import { postEvent } from './api/events.ts'
import { ClusterCache } from './cluster-cache.ts'
import { Components } from './components.ts'
import type { SyncConfig } from './config/check-config.ts'
import type { EngineContext } from './context.ts'
import { EngineRounds } from './engine-rounds.ts'
import { ChangeQueue, MAX_WAIT, runLoop } from './loop.ts'
import { type Notice, Report } from './report.ts'
import type { PushLimit } from './round.ts'
import type { Status } from './server.ts'

/** What an engine is started with besides its configuration; it stays the same when the configuration changes. */
export interface EngineOptions extends ConnectOptions {
  readonly context: EngineContext
  /** Pushes nothing, whatever the configuration says. */
  readonly dryRun: boolean
  readonly version: string
  readonly limit: PushLimit
}

/** Milliseconds between two checks whether everything is listed. */
const SYNC_POLL_INTERVAL = 200

/** Runs one configuration: watches, leader election, and the loop of the leader. */
export class Engine {
  readonly #config: SyncConfig
  readonly #options: EngineOptions
  readonly #context: EngineContext
  readonly #connection: Connection
  readonly #changes: ChangeQueue
  readonly #components = new Components()
  readonly #report: Report
  readonly #rounds: EngineRounds
  #elector: Elector | undefined
  #cluster: ClusterCache | undefined
  #turnedAt: number
  #isLeader = false

  /** Throws an error with a sentence where no cluster is configured. */
  constructor(config: SyncConfig, options: EngineOptions) {
    const context = { ...options.context, meter: this.#components.observing(options.context.meter) }
    this.#config = config
    this.#options = options
    this.#context = context
    this.#connection = connect(options, context)
    this.#changes = new ChangeQueue(context.clock)
    this.#report = new Report(context, (notice) => this.#notify(notice))
    const { limit, dryRun, version } = options
    this.#rounds = new EngineRounds(config, {
      ...{ connection: this.#connection, context, report: this.#report, limit, dryRun, version },
      onTurn: () => this.#turn(),
    })
    this.#turnedAt = context.clock.now()
  }

  /** The state for probes. */
  status(): Status {
    const { clock } = this.#context
    return {
      turnedAt: this.#isLeader ? this.#turnedAt : clock.now(),
      // a round may wait for git
      turnsWithin: MAX_WAIT + this.#config.git.timeout,
      isSynced: this.#cluster?.isSynced === true && !this.#cluster.isStale(clock.now()),
      isLeader: this.#isLeader,
      upToDateAt: this.#rounds.upToDateAt,
      held: this.#report.held,
      readyWithin: this.#config.health.readyWithin,
    }
  }

  /**
   * Fetches at once, or asks the leader to; returns whether the commit is the head that is known already. A push that
   * was announced to a standby is fetched when the leader renews its Lease.
   */
  onPush(commit: string | undefined): 'accepted' | 'known' {
    if (commit !== undefined && commit === this.#rounds.head) return 'known'
    if (this.#isLeader) this.#changes.request()
    else
      this.#elector?.tell(commit ?? '').catch((error) =>
        this.#context.log.warn('cannot tell the leader of a push: it fetches at its next interval', {
          error: messageOf(error),
        }),
      )
    return 'accepted'
  }

  /** Runs until the signal is aborted; then stops a push, which is safe, and releases the Lease. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const cluster = this.#startCache(signal, true)
    const { enabled, name, identity } = this.#config.leaderElection
    if (enabled) {
      this.#elector = new Elector({
        connection: this.#connection,
        namespace: this.#namespace(),
        name,
        identity,
        onMessage: (commit) => void this.onPush(commit === '' ? undefined : commit),
        context: this.#context,
      })
      await this.#elector.run(signal, (leading) => this.#lead(cluster, leading))
    } else {
      this.#context.meter.component('leader', true)
      await this.#lead(cluster, signal)
    }
    await cluster.ended
    this.#context.meter.forgetComponents()
  }

  /**
   * Runs one round; resolves with whether Git is up to date afterwards. Waits for the cache for `timeout` milliseconds.
   */
  async runOnce(signal: AbortSignal, timeout: number): Promise<boolean> {
    const stop = new AbortController()
    this.#isLeader = true
    const cluster = this.#startCache(AbortSignal.any([signal, stop.signal]), false)
    const { clock, log } = this.#context
    try {
      const deadline = clock.now() + timeout
      while (!cluster.isSynced && !signal.aborted && clock.now() < deadline)
        await clock.sleep(SYNC_POLL_INTERVAL, signal)
      if (!cluster.isSynced) {
        log.error(`cannot list ${cluster.waitingFor().join(', ')}: check the API server and the rights of nodefit sync`)
        return false
      }
      const { outcome, failure } = await this.#rounds.run(cluster, signal)
      // a dry run is about what would be pushed, which it says; nothing is behind by it
      const isFine = failure === undefined || this.#options.dryRun
      const isDone = (outcome === 'done' || outcome === 'pushed') && isFine && !signal.aborted
      if (!isDone) log.error(`Git is not up to date: ${failure ?? (signal.aborted ? 'it was stopped' : outcome)}`)
      return isDone
    } finally {
      stop.abort()
      await cluster.ended
    }
  }

  #startCache(signal: AbortSignal, isWriter: boolean): ClusterCache {
    const onChange = () => this.#changes.add()
    const [config, connection, context] = [this.#config, this.#connection, this.#context]
    const { memory } = this.#rounds
    const targets = () => memory.targets
    const actions = () => memory.actions
    const policies = () => memory.usagePolicies
    const leads = () => this.#isLeader
    const keptIn = { namespace: this.#namespace(), isWriter: isWriter && !this.#options.dryRun }
    const components = this.#components
    this.#cluster = new ClusterCache(
      { config, connection, context, targets, actions, policies, leads, keptIn, components, onChange },
      signal,
    )
    return this.#cluster
  }

  async #lead(cluster: ClusterCache, signal: AbortSignal): Promise<void> {
    const { clock, meter } = this.#context
    const { quietWindow, maxWindow, minPushInterval, reconcileInterval } = this.#config
    const tick = () => this.#turn()
    tick()
    this.#isLeader = true
    this.#rounds.begin()
    while (!cluster.isSynced && !signal.aborted) {
      await clock.sleep(SYNC_POLL_INTERVAL, signal)
      tick()
    }
    const watching = this.#rounds.trust.watch(() => this.#changes.request(), signal)
    await runLoop({
      windows: { quietWindow, maxWindow, minPushInterval, reconcileInterval },
      context: this.#context,
      changes: this.#changes,
      round: (stop) => this.#rounds.run(cluster, stop),
      tick,
      signal,
    })
    await watching
    this.#isLeader = false
    meter.forgetComponents('git', 'render', 'api-kubescape', 'cluster-uid')
    meter.clusterDiffers(undefined)
  }

  /** Notes that the loop moves on. */
  #turn(): void {
    this.#turnedAt = this.#context.clock.now()
  }

  /** Writes an Event about the Lease, which exists as long as there is a leader. */
  #notify(notice: Notice): void {
    const { enabled, name } = this.#config.leaderElection
    if (!enabled) return
    const namespace = this.#namespace()
    const regarding = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, namespace }
    void postEvent(this.#connection, { namespace, regarding, ...notice }, this.#context)
  }

  #namespace(): string {
    return this.#config.leaderElection.namespace ?? this.#connection.namespace ?? 'default'
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
