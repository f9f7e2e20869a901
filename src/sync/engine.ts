import { type Connection, connect } from '../api/connection.ts'
import type { ConnectOptions } from '../api/kubeconfig.ts'
import type { SnapshotParts } from '../inventory/index.ts'
import { Elector } from './api/elector.ts'
import { postEvent } from './api/events.ts'
import { ClusterCache } from './cluster-cache.ts'
import type { Outcome } from './collect/action-outcomes.ts'
import { DRIFT, DriftWatch } from './collect/drift.ts'
import { Components } from './components.ts'
import type { CollectName, SyncConfig } from './config/sync-config.ts'
import type { EngineContext } from './context.ts'
import { evaluate, readTargets } from './effect/evaluate.ts'
import { newMemory } from './effect/evaluation.ts'
import { nodesInGit } from './effect/idle.ts'
import { KeyringFile } from './effect/keyring.ts'
import { outcomesInGit } from './effect/outcomes.ts'
import { usageInGit, usageOf } from './effect/usage-in-git.ts'
import { effectSettings } from './effect-settings.ts'
import { GitFailure } from './git/failure.ts'
import { openRepository } from './git/git-repository.ts'
import type { Checkout, Repository } from './git/repository.ts'
import type { Status } from './health.ts'
import { ChangeQueue, MAX_WAIT, type RoundResult, runLoop } from './loop.ts'
import { type Notice, Report } from './report.ts'
import { type PushLimit, runRound } from './round.ts'

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
  readonly #memory = newMemory()
  readonly #components = new Components()
  readonly #report: Report
  readonly #drift: DriftWatch | undefined
  readonly #keyring: KeyringFile
  #repository: Repository | undefined
  #elector: Elector | undefined
  /** The head of the branch as it was last fetched. */
  #head: string | undefined
  #cluster: ClusterCache | undefined
  #turnedAt: number
  #isLeader = false
  #upToDateAt: number | undefined

  /** Throws an error with a sentence where no cluster is configured. */
  constructor(config: SyncConfig, options: EngineOptions) {
    const context = { ...options.context, meter: this.#components.observing(options.context.meter) }
    this.#config = config
    this.#options = options
    this.#context = context
    this.#connection = connect(options, context)
    this.#changes = new ChangeQueue(context.clock)
    this.#report = new Report(context, (notice) => this.#notify(notice))
    this.#drift = config.collect.includes(DRIFT) ? new DriftWatch({ connection: this.#connection, context }) : undefined
    this.#keyring = new KeyringFile(config, context)
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
      upToDateAt: this.#upToDateAt,
      held: this.#report.held,
      readyWithin: this.#config.health.readyWithin,
    }
  }

  /**
   * Fetches at once, or asks the leader to; returns whether the commit is the head that is known already. A push that
   * was announced to a standby is fetched when the leader renews its Lease.
   */
  onPush(commit: string | undefined): 'accepted' | 'known' {
    if (commit !== undefined && commit === this.#head) return 'known'
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
      const { outcome } = await this.#round(cluster, signal)
      return (outcome === 'done' || outcome === 'pushed') && !signal.aborted
    } finally {
      stop.abort()
      await cluster.ended
    }
  }

  #startCache(signal: AbortSignal, isWriter: boolean): ClusterCache {
    const onChange = () => this.#changes.add()
    const [config, connection, context] = [this.#config, this.#connection, this.#context]
    const targets = () => this.#memory.targets
    const actions = () => this.#memory.actions
    const policies = () => this.#memory.usagePolicies
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
    const tick = () => {
      this.#turnedAt = clock.now()
    }
    tick()
    this.#isLeader = true
    // another leader may have written others meanwhile
    this.#memory.inventories.clear()
    this.#upToDateAt = undefined
    while (!cluster.isSynced && !signal.aborted) {
      await clock.sleep(SYNC_POLL_INTERVAL, signal)
      tick()
    }
    const watching = this.#keyring.watch(() => this.#changes.request(), signal)
    await runLoop({
      windows: { quietWindow, maxWindow, minPushInterval, reconcileInterval },
      context: this.#context,
      changes: this.#changes,
      round: (stop) => this.#round(cluster, stop),
      tick,
      signal,
    })
    await watching
    this.#isLeader = false
    meter.forgetComponents('git', 'render', 'api-kubescape')
    meter.clusterDiffers(undefined)
  }

  async #round(cluster: ClusterCache, signal: AbortSignal): Promise<RoundResult> {
    const { clock, log } = this.#context
    const { limit, dryRun, version } = this.#options
    if (cluster.isStale(clock.now())) {
      log.warn('the API server is silent: nothing is evaluated until it responds')
      // no backoff: the next round follows the first change that it reports
      return { outcome: 'stopped' }
    }
    try {
      this.#repository ??= await this.#open()
    } catch (error) {
      if (error instanceof GitFailure) this.#report.notPushed(error.toRejected())
      else this.#report.evaluationFailed(error)
      return { outcome: 'refused' }
    }
    const settings = effectSettings(this.#config, version)
    const { collect } = this.#config
    let outcomes: readonly Outcome[] | undefined
    let written: Record<string, unknown> | undefined
    await this.#confirmLosses(cluster, signal)
    const result = await runRound(
      {
        repository: this.#repository,
        evaluate: (checkout: Checkout, now) => {
          this.#turnedAt = clock.now()
          this.#head = checkout.commit
          if (['workloads', 'actions', 'usage'].some((name) => collect.includes(name as CollectName)))
            readTargets(checkout, this.#memory, settings, this.#keyring.read)
          cluster.carryOver(() => nodesInGit(checkout.path, settings))
          cluster.remember(outcomesInGit(checkout.path, settings))
          const { rows, problem } = usageInGit(checkout.path, settings, this.#memory)
          if (collect.includes('usage') || rows.size > 0 || problem !== undefined) cluster.rememberUsage(rows)
          const workload = cluster.workload(now)
          written = workload
          outcomes = (workload?.spec as SnapshotParts | undefined)?.outcomes
          return evaluate({
            checkout,
            nodes: cluster.nodes(),
            workload,
            keyring: this.#keyring.read,
            isDeleted: (name) => cluster.isDeleted(name),
            now,
            memory: this.#memory,
            settings,
          })
        },
        limit,
        report: this.#report,
        context: this.#context,
        suspend: this.#config.suspend,
        dryRun: dryRun || this.#config.dryRun,
      },
      signal,
    )
    if (result.outcome === 'done' || result.outcome === 'pushed') this.#upToDateAt = clock.now()
    this.#head = result.head ?? this.#head
    // what was pushed may be taken back before the next round
    if (result.head !== undefined && collect.includes('usage')) cluster.rememberUsage(usageOf(written))
    if (outcomes !== undefined) this.#report.actions(outcomes)
    this.#report.heldLimits(cluster.heldLimits(clock.now()))
    const differences = await this.#drift?.findings(this.#memory.drifts, signal)
    if (differences !== undefined) this.#report.clusterDiffers(differences)
    return result
  }

  /** Reads a full list on a connection of its own, where one is due to confirm a loss of nodes. */
  async #confirmLosses(cluster: ClusterCache, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context
    const { losses } = this.#memory
    if (!losses.needsList(clock.now(), this.#config.guards.settle)) return
    try {
      losses.addList(await cluster.listNames(signal), clock.now())
    } catch (error) {
      log.info('cannot read a list to confirm the loss of nodes', { error: messageOf(error) })
    }
  }

  async #open(): Promise<Repository> {
    const { cluster, git, review } = this.#config
    const { cache, ...options } = git
    return openRepository({
      ...options,
      pushOptions: review?.pushOptions ?? git.pushOptions,
      review: review === undefined ? undefined : { prefix: review.prefix, cluster },
      folder: cache,
      context: this.#context,
    })
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
