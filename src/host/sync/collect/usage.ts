import type { SnapshotParts, UsageRow } from '../../../facts/inventory/index.ts'
import type { Schedule } from '../../../kube/index.ts'
import type { EngineContext } from '../context.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import { type AgentContainer, containersOf } from './agent-pods.ts'
import type { Collector, Informer, JsonClient, MakeInformer, UsagePolicies } from './collector.ts'
import { KillsSeen } from './kills-seen.ts'
import { MetricsPoll, POLL_INTERVAL, type Sample } from './metrics-poll.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { PodWatches, podSelections } from './pod-watches.ts'
import { type Present, presentSeries } from './usage-facts.ts'
import type { UsageHistory } from './usage-history.ts'
import type { RowInGit } from './usage-rows.ts'
import { seriesId, UsageSeries } from './usage-series.ts'
import { type HeldLimit, newNames, UsageSettling } from './usage-settling.ts'

/** Milliseconds between two looks while this process does not measure yet. */
const FIRST_POLL_INTERVAL = 1000
/** Milliseconds by which the clocks of the API server and this process may differ: beyond them nothing is counted. */
const MOST_SKEW = 600_000
/** Milliseconds in which kills are collected before they are answered. */
const ANSWER_AFTER = 1000

export interface UsageOptions {
  readonly connection: JsonClient
  readonly makeInformer: MakeInformer
  /** The DaemonSets that nodefit rendered. */
  readonly daemonSets: Informer<OwnDaemonSet>
  /** All DaemonSets that are measured. Default: those that nodefit rendered. */
  readonly measured?: Informer<OwnDaemonSet>
  /** Gives the present nodes. */
  readonly nodes: () => Iterable<ProjectedNode>
  /** What policies say of usage; undefined where that is not known yet. */
  readonly policies: () => UsagePolicies | undefined
  /** Whether this process leads: another one measures otherwise. */
  readonly leads: () => boolean
  readonly schedule: Schedule
  /** Milliseconds that a row stays after its group is gone. */
  readonly retain: number
  /** Where histories are kept; absent where they are not. */
  readonly history?: UsageHistory
  /** Whether histories are written. */
  readonly isWriter: boolean
  readonly context: Pick<EngineContext, 'clock' | 'meter' | 'log'>
  /** Called after each poll. */
  readonly onPoll: () => void
  /** Called when sizes may change: kills ask for it, or the schedule has fired. */
  readonly onChange: () => void
}

/**
 * Collects what the containers of DaemonSets use, from the metrics API, and their kills, from their pods. Settles sizes
 * from that and from what Git has.
 */
export class UsageCollector implements Collector {
  readonly name = 'usage'
  readonly #options: UsageOptions
  readonly #watches: PodWatches
  readonly #poll: MetricsPoll
  readonly #kills: KillsSeen
  #series = new UsageSeries()
  readonly #settling: UsageSettling
  /** Whether what was kept is known: without it the schedule settles nothing. */
  #isLoaded = false
  #isLeading = false
  #isUnsaved = false
  /** The writing of histories: one begins when the one before has ended, whose version it needs. */
  #saving: Promise<unknown> = Promise.resolve()
  #isAnswering = false
  #signal: AbortSignal | undefined
  /** When the clock was last confirmed by a measurement, in milliseconds since 1970. */
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(options: UsageOptions) {
    const { connection, makeInformer, context, schedule, retain } = options
    this.#options = options
    this.#poll = new MetricsPoll(connection, context)
    this.#kills = new KillsSeen(context.clock)
    this.#watches = new PodWatches(makeInformer, (object, pod) => {
      const { namespace = '', name } = object.metadata
      if (this.#kills.see(object, pod, this.#watches.find(namespace, name))) void this.#answerSoon()
    })
    this.#settling = new UsageSettling({ schedule, retain, historyOf: (id) => this.#series.historyOf(id) })
  }

  get isSynced(): boolean {
    if (!this.#options.leads()) return this.#watches.isSynced
    return this.#isLeading && this.#watches.isSynced && this.#poll.isAvailable !== undefined
  }

  async start(signal: AbortSignal): Promise<void> {
    const { daemonSets, leads, context } = this.#options
    this.#signal = signal
    while (!signal.aborted) {
      if (daemonSets.isSynced) this.#watches.follow(podSelections(this.#measured(), this.#options.policies()), signal)
      if (this.#isLeading && !leads()) this.#follow()
      const isTurning = leads() && daemonSets.isSynced && this.#watches.isSynced
      if (isTurning) await this.#turn(signal)
      await context.clock.sleep(isTurning ? POLL_INTERVAL : FIRST_POLL_INTERVAL, signal)
    }
    await this.#saving
    await this.#watches.end()
  }

  part(now: number): SnapshotParts {
    // pods that are listed anew are unknown for a moment, and not gone
    const usage = this.#watches.isSynced ? this.#settling.rows(this.#present('own'), now) : this.#settling.rowsOfGit()
    return this.#poll.isAvailable === undefined ? {} : { ...this.availability(), usage }
  }

  /** Whether the metrics API works, as a part; nothing before it was asked. */
  availability(): SnapshotParts {
    return this.#poll.isAvailable === undefined ? {} : { metricsAvailable: this.#poll.isAvailable }
  }

  /** What the containers of all measured DaemonSets were seen to use, and of which policy and group. */
  seen(now: number): readonly UsageRow[] {
    return this.#settling.seen(this.#present('measured'), now)
  }

  /** The limits that are not raised though kills ask for it. */
  held(now: number): readonly HeldLimit[] {
    return this.#isLeading && this.#watches.isSynced ? this.#settling.held(this.#present('own'), now) : []
  }

  /** Takes the rows of Git, by `seriesId`. */
  remember(inGit: ReadonlyMap<string, RowInGit>): void {
    const { policies, context } = this.#options
    const settled = this.#settling.remember(inGit, policies())
    if (!this.#series.remember(settled, context.clock.now())) return
    this.#isUnsaved = true
    // who takes it back may do so before the next poll, and a process that is killed until then would not know
    if (this.#isLeading && this.#signal !== undefined) void this.#save(this.#signal)
  }

  #measured(): readonly OwnDaemonSet[] {
    const { daemonSets, measured = daemonSets } = this.#options
    return [...measured.items().values()]
  }

  #present(of: 'own' | 'measured'): Present {
    const { daemonSets, nodes, policies } = this.#options
    return presentSeries({
      daemonSets: of === 'own' ? daemonSets.items().values() : this.#measured(),
      pods: this.#watches.pods(),
      nodes: nodes(),
      policies: policies(),
    })
  }

  /** Leaves the histories to the process that leads now. */
  #follow(): void {
    this.#isLeading = false
    this.#isLoaded = false
    this.#isUnsaved = false
    this.#series = new UsageSeries()
    this.#poll.forget()
    this.#options.context.meter.forgetComponents('metricsAvailable', 'usage-history')
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { context, onPoll, onChange } = this.#options
    const { clock } = context
    if (!this.#isLoaded) await this.#load(signal)
    this.#rename()
    const present = this.#present('measured')
    this.#addKills()
    const now = clock.now()
    if (this.#series.endHour(now, present.series)) this.#isUnsaved = true
    await this.#measure(present, signal)
    this.#isLeading = true
    if (signal.aborted) return
    const fire = this.#settling.fire(now)
    const isConfirmed = Math.abs(now - this.#confirmedAt) <= MOST_SKEW
    if (fire !== undefined && this.#isLoaded && isConfirmed && this.#series.freeze(fire, present.series)) {
      this.#isUnsaved = true
      if (this.#settling.hasNewDecision(this.#present('own'), now)) onChange()
    }
    await this.#save(signal)
    onPoll()
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { history } = this.#options
    const kept = history === undefined ? { histories: [], until: Number.NEGATIVE_INFINITY } : await history.load(signal)
    if (kept === undefined) return
    this.#series.load(kept.histories, kept.until)
    this.#isLoaded = true
    this.#kills.again()
  }

  async #save(signal: AbortSignal): Promise<void> {
    const { history, isWriter } = this.#options
    if (history === undefined || !isWriter) return
    const saving = this.#saving.then(async () => {
      if (signal.aborted || !this.#isUnsaved || !this.#isLoaded) return
      // what is learned while it is written is not in it
      this.#isUnsaved = false
      if (!(await history.save(this.#series.kept(), signal)) && this.#isLoaded) this.#isUnsaved = true
    })
    this.#saving = saving
    await saving
  }

  async #measure({ series }: Present, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.context
    const sets = new Map(this.#measured().map((one) => [one.uid, one]))
    const known = new Map<string, readonly AgentContainer[]>()
    const add = ({ namespace, pod: name, at, container, cpu, memory }: Sample) => {
      const pod = this.#watches.find(namespace, name)
      const daemonSet = pod && sets.get(pod.daemonSet)
      const now = clock.now()
      if (pod === undefined || daemonSet === undefined || Math.abs(now - at) > MOST_SKEW) return
      this.#confirmedAt = now
      const containers = containersOf(pod.containers, known)
      const index = containers.findIndex((one) => one.name === container)
      const { policy, group } = daemonSet
      const key = { policy, container, group }
      if (index < 0 || !series.has(seriesId(key))) return
      const startedAt = pod.startedAt[index] || undefined
      const limitCPU = containers[index]?.limits.cpu
      this.#series.add(key, { pod: pod.uid, at, startedAt, cpu, memory, limitCPU })
    }
    const selections = podSelections(this.#measured(), this.#options.policies())
    await this.#poll.poll(selections, add, signal)
    this.#prune()
  }

  #addKills(): boolean {
    const sets = new Map(this.#measured().map((one) => [one.uid, one]))
    const now = this.#options.context.clock.now()
    let isNew = false
    for (const { daemonSet, container, kill } of this.#kills.take(new Set(sets.keys()))) {
      const { policy = '', group = '' } = sets.get(daemonSet) ?? {}
      if (this.#series.addKill({ policy, container, group }, kill, now)) isNew = true
    }
    return isNew
  }

  /** Answers kills that the watch has just shown; several that come together are answered together. */
  async #answerSoon(): Promise<void> {
    const { context, onChange } = this.#options
    if (this.#isAnswering || !this.#isLeading) return
    this.#isAnswering = true
    await context.clock.sleep(ANSWER_AFTER, this.#signal)
    this.#isAnswering = false
    if (this.#signal?.aborted === true || !this.#isLeading || !this.#addKills() || !this.#watches.isSynced) return
    if (this.#settling.hasNewDecision(this.#present('own'), context.clock.now())) onChange()
  }

  /** Makes what is known of a policy that has another name now known of that. */
  #rename(): void {
    const names = newNames(this.#options.policies())
    if (names.size === 0) return
    const live = new Set(this.#measured().map(({ policy }) => policy))
    for (const [from, to] of names) if (!live.has(from) && live.has(to)) this.#series.rename(from, to)
  }

  #prune(): void {
    this.#watches.prune()
    if (!this.#kills.hasPods) return
    this.#kills.keep(new Set([...this.#watches.pods()].map(({ uid }) => uid)))
  }
}
