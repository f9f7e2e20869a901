import { type Clock, Watchdog } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import type { Connection } from './connection.ts'
import { endOf } from './errors.ts'
import { type Lease, LeaseObject, type LeaseSpec, microTime } from './lease.ts'

export interface ElectorOptions {
  readonly connection: Connection
  readonly namespace: string
  readonly name: string
  /** The holder, of its own for each process, such as the name of the pod. */
  readonly identity: string
  /** Milliseconds for which others keep off after a renewal that they saw: 30 s unless told. */
  readonly leaseDuration?: number
  /** Milliseconds without a renewal after which the leader stops, less than the duration: 20 s unless told. */
  readonly renewDeadline?: number
  /** Milliseconds from one try to the next: 4 s unless told. */
  readonly retryPeriod?: number
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  readonly random?: () => number
}

/**
 * Lets one of several processes lead, by a Lease object in the way of Kubernetes' own controllers: written only as it was read, judged by how
 * long this process has seen it unchanged and not by the times in it. A leader that cannot renew stops before anybody else can begin.
 */
export class Elector {
  readonly #options: ElectorOptions & Required<Pick<ElectorOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>>
  readonly #lease: LeaseObject
  readonly #random: () => number
  #isLeader = false
  /** The Lease as it was read or written last. */
  #seen: Lease | undefined
  /** Milliseconds for which this process has waited with the Lease unchanged; the machine's time does not count. */
  #unchangedFor = 0
  /** The renewals that this process has written, or tried to: a Lease with another one is another's, whatever its name. */
  #written: string[] = []
  /** Microseconds by which the times that this process writes differ from those of another one with its name. */
  readonly #mine: number
  #said = ''

  constructor(options: ElectorOptions) {
    this.#options = { leaseDuration: 30_000, renewDeadline: 20_000, retryPeriod: 4000, ...options }
    const { renewDeadline, leaseDuration, retryPeriod } = this.#options
    if (renewDeadline >= leaseDuration || retryPeriod >= renewDeadline)
      throw new RangeError(
        'a leader tries more often than it must renew, and must renew sooner than others may take over',
      )
    this.#lease = new LeaseObject(options.connection, options.namespace, options.name)
    this.#random = options.random ?? Math.random
    this.#mine = Math.floor(1000 * this.#random())
  }

  get isLeader(): boolean {
    return this.#isLeader
  }

  /** Who holds the Lease, as far as this process knows; empty where nobody does. */
  get holder(): string {
    return this.#seen?.spec?.holderIdentity ?? ''
  }

  /**
   * Leads whenever it can until the signal is aborted; then gives the Lease back once the work has ended. The work must end soon after its own
   * signal is aborted, as it leads no longer; where it rejects, the Lease is given back too. Never rejects.
   */
  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, retryPeriod } = this.#options
    while (!signal.aborted) {
      const asked = clock.now()
      if ((await this.#hold(signal)) === 'held') await this.#lead(asked, signal, work)
      if (signal.aborted) return
      const wait = retryPeriod * (1 + 0.2 * this.#random())
      await clock.sleep(wait, signal)
      this.#unchangedFor += wait
    }
  }

  /** Takes or renews the Lease if it may: `failed` where the API server does not say. */
  async #hold(signal: AbortSignal): Promise<'held' | 'taken' | 'failed'> {
    const { identity, leaseDuration, renewDeadline, clock } = this.#options
    const timeout = renewDeadline / 2
    try {
      const lease = await this.#lease.read(timeout, signal)
      this.#see(lease)
      if (!this.#isFree(lease)) return 'taken'
      const now = microTime(clock.now(), this.#mine)
      const spec = lease?.spec
      const isMine = this.#isMine(spec)
      this.#written.push(now)
      const written = await this.#lease.write(
        lease,
        {
          ...spec,
          holderIdentity: identity,
          leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
          acquireTime: isMine ? spec?.acquireTime : now,
          renewTime: now,
          leaseTransitions: (spec?.leaseTransitions ?? 0) + (isMine || spec === undefined ? 0 : 1),
        },
        timeout,
        signal,
      )
      this.#said = ''
      if (written === undefined) return 'taken'
      this.#see(written)
      this.#written = [now]
      return 'held'
    } catch (error) {
      if (!signal.aborted) this.#say(endOf(error).message ?? '')
      return 'failed'
    }
  }

  /** Whether this process may write itself into the Lease. */
  #isFree(lease: Lease | undefined): boolean {
    const spec = lease?.spec
    if (!spec?.holderIdentity || this.#isMine(spec)) return true
    // this process has been here before: it was ended, and begun anew under the same name
    if (spec.holderIdentity === this.#options.identity && this.#written.length === 0) return true
    const lasts = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#options.leaseDuration
    return this.#unchangedFor >= lasts
  }

  #isMine(spec: LeaseSpec | undefined): boolean {
    const { holderIdentity, renewTime = '' } = spec ?? {}
    return holderIdentity === this.#options.identity && this.#written.includes(renewTime)
  }

  #see(lease: Lease | undefined): void {
    if (lease?.metadata.resourceVersion !== this.#seen?.metadata.resourceVersion) this.#unchangedFor = 0
    this.#seen = lease
  }

  async #lead(since: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, log, renewDeadline, identity } = this.#options
    const leading = new AbortController()
    const stop = () => leading.abort()
    signal.addEventListener('abort', stop, { once: true })
    this.#mark(true)
    log.info('leads', { identity })
    let hasFailed = false
    const working = work(leading.signal).catch((error) => {
      hasFailed = true
      log.error('the work of the leader failed', { error: String(error) })
      stop()
    })
    await this.#renew(since, leading)
    signal.removeEventListener('abort', stop)
    this.#mark(false)
    log.info('leads no longer', { identity, holder: this.holder })
    if (!signal.aborted && !hasFailed) return working
    // a Lease is given back when nothing is done in its name any more, and else runs out on its own
    const waiting = new AbortController()
    const late = clock.sleep(renewDeadline, waiting.signal).then(() => false)
    const hasEnded = await Promise.race([working.then(() => true), late])
    waiting.abort()
    if (hasEnded) await this.#release()
  }

  /** Renews until the leading ends: by others, by time, or by whoever runs this. */
  async #renew(since: number, leading: AbortController): Promise<void> {
    const { clock, retryPeriod, renewDeadline } = this.#options
    const { signal } = leading
    const limit = (renewed: number) => new Watchdog(clock, renewed + renewDeadline - clock.now(), () => leading.abort())
    let watchdog = limit(since)
    while (!signal.aborted) {
      await clock.sleep(retryPeriod, signal)
      if (signal.aborted) break
      const asked = clock.now()
      const outcome = await this.#hold(signal)
      if (outcome === 'taken') leading.abort()
      if (outcome !== 'held') continue
      watchdog.end()
      watchdog = limit(asked)
    }
    watchdog.end()
  }

  async #release(): Promise<void> {
    const { log, clock, retryPeriod } = this.#options
    try {
      const lease = await this.#lease.read(retryPeriod)
      if (lease === undefined || !this.#isMine(lease.spec)) return
      const renewTime = microTime(clock.now(), this.#mine)
      const spec = { ...lease.spec, holderIdentity: '', renewTime }
      this.#see((await this.#lease.write(lease, spec, retryPeriod)) ?? lease)
    } catch (error) {
      log.warn('the Lease could not be given back, and runs out on its own', { error: endOf(error).message })
    }
  }

  #mark(isLeader: boolean): void {
    this.#isLeader = isLeader
    this.#options.meter.component('leader', isLeader)
  }

  #say(error: string): void {
    if (error === this.#said) return
    this.#said = error
    this.#options.log.warn('the Lease cannot be read or written', { error })
  }
}
