import { type Connection, connect } from './api/connection.ts'
import { Elector } from './api/elector.ts'
import { postEvent } from './api/events.ts'
import type { Clock } from './clock.ts'
import type { SyncConfig } from './config/sync-config.ts'
import { evaluate } from './effect/evaluate.ts'
import { type EffectSettings, newMemory } from './effect/evaluation.ts'
import { GitFailure } from './git/failure.ts'
import { openRepository } from './git/git-repository.ts'
import type { Checkout, Repository } from './git/repository.ts'
import type { Status } from './health.ts'
import type { Log } from './log.ts'
import { Changes, LONGEST_WAIT, type RoundResult, runLoop } from './loop.ts'
import type { Meter } from './meter.ts'
import { type Notice, Report } from './report.ts'
import { oneRound, type PushLimit } from './round.ts'
import type { Secrets } from './secrets.ts'
import { Watching } from './watching.ts'

/** What outlives a configuration. */
export interface Surroundings {
  readonly kubeconfig?: string
  readonly context?: string
  /** Pushes nothing, whatever the configuration says. */
  readonly dryRun: boolean
  readonly version: string
  readonly clock: Clock
  readonly meter: Meter
  readonly log: Log
  readonly secrets: Secrets
  readonly limit: PushLimit
}

/** So often it is asked whether everything has been listed. */
const POLL = 200

/** All that one configuration starts: watches, the election, and the loop of the one that leads. */
export class Engine {
  readonly #config: SyncConfig
  readonly #around: Surroundings
  readonly #connection: Connection
  readonly #changes: Changes
  readonly #memory = newMemory()
  readonly #report: Report
  #repository: Repository | undefined
  #watching: Watching | undefined
  #turnedAt: number
  #isLeader = false
  #rightAt: number | undefined

  /** Throws a sentence where there is no cluster to be found. */
  constructor(config: SyncConfig, around: Surroundings) {
    const { kubeconfig, context, clock, meter, log } = around
    this.#config = config
    this.#around = around
    this.#connection = connect({ kubeconfig, context, clock, meter })
    this.#changes = new Changes(clock)
    this.#report = new Report(log, meter, (notice) => this.#notify(notice))
    this.#turnedAt = clock.now()
  }

  /** How it is, for probes. */
  status(): Status {
    const { clock } = this.#around
    return {
      turnedAt: this.#isLeader ? this.#turnedAt : clock.now(),
      // a round may wait for git
      turnsWithin: LONGEST_WAIT + this.#config.git.timeout,
      isSynced: this.#watching?.isSynced === true && !this.#watching.isDeaf(clock.now()),
      isLeader: this.#isLeader,
      rightAt: this.#rightAt,
      readyWithin: this.#config.health.readyWithin,
    }
  }

  /** Runs until the signal is aborted; a push is cut off then, which harms nothing, and the Lease is let go. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const watching = this.#watch(signal)
    const { enabled, name, identity } = this.#config.leaderElection
    if (enabled) {
      const { clock, meter, log } = this.#around
      const elector = new Elector({
        connection: this.#connection,
        namespace: this.#namespace(),
        name,
        identity,
        clock,
        meter,
        log,
      })
      await elector.run(signal, (leading) => this.#lead(watching, leading))
    } else await this.#lead(watching, signal)
    await watching.ended
    this.#around.meter.forgetComponents()
  }

  /** One look, and whether Git has what it should afterwards. */
  async once(signal: AbortSignal, patience: number): Promise<boolean> {
    const stop = new AbortController()
    const watching = this.#watch(AbortSignal.any([signal, stop.signal]))
    const { clock, log } = this.#around
    try {
      const end = clock.now() + patience
      while (!watching.isSynced && !signal.aborted && clock.now() < end) await clock.sleep(POLL, signal)
      if (!watching.isSynced) {
        log.error(`the cluster could not be listed: ${watching.waitingFor().join(', ')}`)
        return false
      }
      const { outcome } = await this.#round(watching, signal)
      return (outcome === 'done' || outcome === 'pushed') && !signal.aborted
    } finally {
      stop.abort()
      await watching.ended
    }
  }

  #watch(signal: AbortSignal): Watching {
    const { clock, meter, log } = this.#around
    const onChange = () => this.#changes.add()
    this.#watching = new Watching(
      { config: this.#config, connection: this.#connection, clock, meter, log, onChange },
      signal,
    )
    return this.#watching
  }

  async #lead(watching: Watching, signal: AbortSignal): Promise<void> {
    const { clock, meter } = this.#around
    const { quietWindow, maxWindow, minPushInterval, reconcileInterval } = this.#config
    const tick = () => {
      this.#turnedAt = clock.now()
    }
    tick()
    this.#isLeader = true
    this.#rightAt = undefined
    while (!watching.isSynced && !signal.aborted) {
      await clock.sleep(POLL, signal)
      tick()
    }
    await runLoop({
      windows: { quietWindow, maxWindow, minPushInterval, reconcileInterval },
      clock,
      meter,
      changes: this.#changes,
      round: (stop) => this.#round(watching, stop),
      tick,
      signal,
    })
    this.#isLeader = false
    meter.forgetComponents('git', 'render')
  }

  async #round(watching: Watching, signal: AbortSignal): Promise<RoundResult> {
    const { clock, meter, log, limit, dryRun } = this.#around
    if (watching.isDeaf(clock.now())) {
      log.warn('the API server is not heard: nothing is evaluated until it is')
      return { outcome: 'unreachable' }
    }
    try {
      this.#repository ??= await this.#open()
    } catch (error) {
      if (error instanceof GitFailure) this.#report.notPushed(error.asRejected())
      else this.#report.broken(error)
      return { outcome: 'refused' }
    }
    const settings = settingsOf(this.#config, this.#around.version)
    const result = await oneRound(
      {
        repository: this.#repository,
        evaluate: (checkout: Checkout, now) => {
          this.#turnedAt = clock.now()
          return evaluate({
            checkout,
            nodes: watching.nodes(),
            workload: watching.workload(now),
            now,
            memory: this.#memory,
            settings,
          })
        },
        limit,
        report: this.#report,
        clock,
        meter,
        log,
        suspend: this.#config.suspend,
        dryRun: dryRun || this.#config.dryRun,
      },
      signal,
    )
    if (result.outcome === 'done' || result.outcome === 'pushed') this.#rightAt = clock.now()
    return result
  }

  async #open(): Promise<Repository> {
    const { clock, meter, log, secrets } = this.#around
    const { cluster, git, review } = this.#config
    const { cache, ...rest } = git
    return openRepository({
      ...rest,
      pushOptions: review?.pushOptions ?? git.pushOptions,
      review: review === undefined ? undefined : { prefix: review.prefix, cluster },
      folder: cache,
      secrets,
      meter,
      log,
      clock,
    })
  }

  /** Failures are said about the Lease, which is there as long as somebody leads. */
  #notify(notice: Notice): void {
    const { clock, log } = this.#around
    const { enabled, name } = this.#config.leaderElection
    if (!enabled) return
    const namespace = this.#namespace()
    const regarding = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, namespace }
    void postEvent(this.#connection, { namespace, regarding, ...notice, clock, log })
  }

  #namespace(): string {
    return this.#config.leaderElection.namespace ?? this.#connection.namespace ?? 'default'
  }
}

/** What an evaluation needs of the configuration. */
function settingsOf(config: SyncConfig, version: string): EffectSettings {
  const { cluster, packages, output, labels, inventory, git, maxAge, readyDebounce, retainShapes } = config
  return {
    cluster,
    folder: git.folder,
    packages,
    output: config.mode === 'rendered' ? output : undefined,
    labels,
    ...inventory,
    maxAge,
    readyDebounce,
    retainShapes,
    template: git.messageTemplate,
    version,
  }
}
