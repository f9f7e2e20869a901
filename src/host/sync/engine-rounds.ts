import { getHeapStatistics } from 'node:v8'
import type { SnapshotParts } from '../../facts/inventory/index.ts'
import type { Connection } from '../cluster/connection.ts'
import { type ClusterIdentity, readIdentity } from '../cluster/identity.ts'
import type { ClusterCache } from './cluster-cache.ts'
import type { Outcome } from './collect/action-outcomes.ts'
import { DRIFT, DriftWatch } from './collect/drift.ts'
import type { CollectName, SyncConfig } from './config/check-config.ts'
import type { EngineContext } from './context.ts'
import { textDigest } from './effect/effect-of.ts'
import { evaluate, readTargets } from './effect/evaluate.ts'
import { type EffectSettings, type Evaluation, newMemory } from './effect/evaluation.ts'
import { nodesInGit } from './effect/idle.ts'
import { outcomesInGit } from './effect/outcomes.ts'
import { INVENTORY_FILE, inventoryInGit } from './effect/owned-folder.ts'
import { readTrailers } from './effect/trailers.ts'
import { TrustFile } from './effect/trust-file.ts'
import { usageKnown, usageOf } from './effect/usage-changes.ts'
import { GitFailure } from './git/failure.ts'
import { openRepository } from './git/git-repository.ts'
import type { Checkout, OwnCommit, Repository } from './git/repository.ts'
import type { RoundResult } from './loop.ts'
import { exceeds, replacementOf } from './nodes/losses.ts'
import type { Report } from './report.ts'
import { type PushLimit, runRound } from './round.ts'

/** What the rounds of an engine need of it. */
interface EngineRoundsOptions {
  readonly connection: Connection
  readonly context: EngineContext
  readonly report: Report
  readonly limit: PushLimit
  /** Pushes nothing, whatever the configuration says. */
  readonly dryRun: boolean
  readonly version: string
  /** Called whenever a round moves on. */
  readonly onTurn: () => void
}

/** The kinds of data whose targets the packages in Git name. */
const NAMED_IN_GIT: readonly CollectName[] = ['workloads', 'actions', 'usage']

/** The rounds of one configuration: what each reads of the cluster and of Git, and what it leaves to the next one. */
export class EngineRounds {
  readonly memory = newMemory()
  readonly trust: TrustFile
  readonly #config: SyncConfig
  readonly #options: EngineRoundsOptions
  readonly #settings: EffectSettings
  readonly #drift: DriftWatch | undefined
  readonly #identity: IdentityWatch
  #repository: Repository | undefined
  #clusterUid: string | undefined
  /** The newest commit of nodefit sync, and the head for which it was looked up. */
  #own: { readonly head: string; readonly commit: OwnCommit | undefined } | undefined
  #head: string | undefined
  #upToDateAt: number | undefined

  constructor(config: SyncConfig, options: EngineRoundsOptions) {
    const { connection, context, version } = options
    this.#config = config
    this.#options = options
    this.#settings = effectSettings(config, version)
    this.trust = new TrustFile(config, context)
    this.#identity = new IdentityWatch(connection, context)
    this.#drift = config.collect.includes(DRIFT) ? new DriftWatch({ connection, context }) : undefined
  }

  /** The head of the branch as it was last fetched; undefined before the first fetch. */
  get head(): string | undefined {
    return this.#head
  }

  /** When Git was last up to date, in milliseconds since 1970; undefined where it was not since `begin`. */
  get upToDateAt(): number | undefined {
    return this.#upToDateAt
  }

  /** Begins anew, as a leader does: another one may have written other inventories meanwhile. */
  begin(): void {
    this.memory.inventories.clear()
    this.#upToDateAt = undefined
  }

  /** Compares the cluster with Git once, and pushes what follows. Never rejects. */
  async run(cluster: ClusterCache, signal: AbortSignal): Promise<RoundResult> {
    const { limit, dryRun, context, report } = this.#options
    const { clock, log } = context
    const { collect, suspend } = this.#config
    if (cluster.isStale(clock.now())) {
      log.warn('the API server is silent: nothing is evaluated until it responds')
      // no backoff: the next round follows the first change that it reports
      return { outcome: 'stopped' }
    }
    try {
      this.#repository ??= await this.#open()
    } catch (error) {
      if (error instanceof GitFailure) report.notPushed(error.toRejected())
      else report.evaluationFailed(error)
      return { outcome: 'refused' }
    }
    let workload: Record<string, unknown> | undefined
    const identity = await this.#identity.read(signal)
    if (identity === 'unknown') return { outcome: 'unreachable' }
    this.#clusterUid = identity.uid
    this.#observe(cluster)
    await this.#confirmLosses(cluster, signal)
    const result = await runRound(
      {
        repository: this.#repository,
        prepare: (checkout) => this.#findOwn(checkout, signal),
        evaluate: (checkout, now) => {
          this.#take(checkout, cluster)
          workload = cluster.workload(now)
          return this.#evaluate(checkout, cluster, workload, now)
        },
        ...{ limit, report, context, suspend },
        dryRun: dryRun || this.#config.dryRun,
      },
      signal,
    )
    if (result.outcome === 'done' || result.outcome === 'pushed') this.#upToDateAt = clock.now()
    this.#head = result.head ?? this.#head
    // what was pushed may be taken back before the next round
    if (result.head !== undefined && collect.includes('usage')) cluster.rememberUsage(usageOf(workload))
    const outcomes: readonly Outcome[] | undefined = (workload?.spec as SnapshotParts | undefined)?.outcomes
    if (outcomes !== undefined) report.actions(outcomes)
    report.heldLimits(cluster.heldLimits(clock.now()))
    const differences = await this.#drift?.findings(this.memory.drifts, signal)
    if (differences !== undefined) report.clusterDiffers(differences)
    return result
  }

  /** Takes over what a checkout tells of targets, idle nodes, outcomes of actions and usage. */
  #take(checkout: Checkout, cluster: ClusterCache): void {
    const { collect } = this.#config
    const settings = this.#settings
    this.#options.onTurn()
    this.#head = checkout.commit
    if (NAMED_IN_GIT.some((name) => collect.includes(name)))
      readTargets(checkout, this.memory, settings, this.trust.read)
    cluster.carryOver(() => nodesInGit(checkout.path, settings))
    cluster.remember(outcomesInGit(checkout.path, settings))
    const known = usageKnown(checkout.path, settings, this.memory, collect.includes('usage'))
    if (known !== undefined) cluster.rememberUsage(known)
  }

  #evaluate(
    checkout: Checkout,
    cluster: ClusterCache,
    workload: Record<string, unknown> | undefined,
    now: Date,
  ): Evaluation {
    return evaluate({
      checkout,
      nodes: cluster.nodes(),
      workload,
      trust: this.trust.read,
      isDeleted: (name) => cluster.isDeleted(name),
      now,
      memory: this.memory,
      settings: this.#settings,
      ...(this.#clusterUid === undefined ? {} : { clusterUid: this.#clusterUid }),
      ...(this.#own?.commit === undefined ? {} : { own: this.#own.commit }),
      isLook: this.#options.dryRun || this.#config.dryRun,
    })
  }

  /** Takes the nodes as those of the last look, unless most of them are others: Git may be out of reach for long. */
  #observe(cluster: ClusterCache): void {
    const { present } = this.memory
    const { maxNodesReplaced } = this.#config.guards
    if (present === undefined || this.#config.inventory.counts) return
    const names = new Set([...cluster.nodes()].map(({ name }) => name))
    if (!exceeds(replacementOf(present, names), maxNodesReplaced)) this.memory.present = names
  }

  /** Looks up the newest commit of nodefit sync, where the head is another one and has an inventory of somebody's. */
  async #findOwn(checkout: Checkout, signal: AbortSignal): Promise<void> {
    const { cluster, git } = this.#config
    if (this.#own?.head === checkout.commit) return
    const trailers = readTrailers(checkout.message ?? '')
    if (trailers?.cluster === cluster && trailers.folder === git.folder) {
      const own = trailers.clusterUid === undefined ? {} : { clusterUid: trailers.clusterUid }
      this.#own = { head: checkout.commit, commit: own }
      return
    }
    // of a commit that was found before only the cluster counts: Git may have been written since
    const { clusterUid } = this.#own?.commit ?? {}
    this.#own = { head: checkout.commit, commit: clusterUid === undefined ? undefined : { clusterUid } }
    const text = inventoryInGit(checkout.path, git.folder)
    if (text === undefined || this.memory.inventories.has(textDigest(text))) return
    try {
      const of = { cluster, folder: git.folder, inventory: INVENTORY_FILE }
      this.#own = { head: checkout.commit, commit: await this.#repository?.lastOwn(checkout, of, signal) }
    } catch (error) {
      this.#options.context.log.info('cannot read the history: an inventory that somebody edited is taken as it is', {
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }

  /** Reads a full list on a connection of its own, where one is due to confirm a loss of nodes. */
  async #confirmLosses(cluster: ClusterCache, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options.context
    const { losses } = this.memory
    if (!losses.needsList(clock.now(), this.#config.guards.settle)) return
    try {
      losses.addList(await cluster.listNames(signal), clock.now())
    } catch (error) {
      log.info('cannot read a list to confirm the loss of nodes', {
        error: error instanceof Error ? error.message : String(error),
      })
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
      context: this.#options.context,
    })
  }
}

/** Bytes of heap for everything but what is read of the repository: 5,000 nodes need 25 MB. */
const RESERVED_HEAP = 32 << 20

/** Returns the part of the configuration that evaluations use. */
function effectSettings(config: SyncConfig, version: string): EffectSettings {
  const { cluster, packages, output, labels, inventory, git, maxAge, readyDebounce, retainShapes, limits, guards } =
    config
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
    undoesEdits: config.review === undefined,
    guards,
    limits: { ...limits, memory: getHeapStatistics().heap_size_limit - RESERVED_HEAP },
    template: git.messageTemplate,
    version,
  }
}

/** The component whose state says whether the identity of the cluster can be read. */
const COMPONENT = 'cluster-uid'
/** Milliseconds without a byte after which the identity stays as it was known. */
const TIMEOUT = 10_000

/**
 * Who the cluster is that a connection leads to. It is asked again before each round: a name may lead to another
 * cluster from one day to the next. Without the right to read it nothing is compared, which is said once.
 */
export class IdentityWatch {
  readonly #connection: Connection
  readonly #context: Pick<EngineContext, 'log' | 'meter'>
  #uid: string | undefined
  #problem: string | undefined
  /** Whether the API server has given the uid, or refused to. */
  #isAnswered = false

  constructor(connection: Connection, context: Pick<EngineContext, 'log' | 'meter'>) {
    this.#connection = connection
    this.#context = context
  }

  /**
   * Returns the uid of the cluster, undefined where it may not be read, or `unknown` where the API server has not said
   * yet which of the two it is. A silent API server changes nothing of what was known.
   */
  async read(signal: AbortSignal): Promise<{ readonly uid?: string } | 'unknown'> {
    let identity: ClusterIdentity
    try {
      identity = await readIdentity(this.#connection, { signal, timeout: TIMEOUT })
    } catch (error) {
      // the watches report that the API server is silent
      identity = { problem: error instanceof Error ? error.message : String(error) }
    }
    const { uid, problem, isRefused = false } = identity
    this.#isAnswered ||= uid !== undefined || isRefused
    if (!this.#isAnswered) {
      this.#context.log.warn(
        'cannot ask for the uid of the Namespace kube-system: nothing is evaluated until it is known',
        {
          error: problem,
        },
      )
      return 'unknown'
    }
    if (uid === undefined && !isRefused) return this.#known()
    const { log, meter } = this.#context
    meter.component(COMPONENT, uid !== undefined)
    if (problem !== undefined && problem !== this.#problem)
      log.warn(
        'cannot read the uid of the Namespace kube-system: another cluster of this name is not refused. Apply rbac.yaml of this version',
        { error: problem },
      )
    if (uid !== undefined && this.#problem !== undefined) log.info('the uid of the cluster is known now', { uid })
    this.#problem = problem
    // a right that is taken away does not make it another cluster
    this.#uid = uid ?? this.#uid
    return this.#known()
  }

  #known(): { readonly uid?: string } {
    return this.#uid === undefined ? {} : { uid: this.#uid }
  }
}
