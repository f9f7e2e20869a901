import { isDeepStrictEqual } from 'node:util'
import { Watchdog } from '../../cluster/clock.ts'
import type { Connection } from '../../cluster/connection.ts'
import { ApiError, watchEndOf } from '../../cluster/errors.ts'
import type { EngineContext } from '../context.ts'

export interface ElectorOptions {
  readonly connection: Connection
  readonly namespace: string
  readonly name: string
  /** The identity of the holder, unique for each process, such as the name of the pod. */
  readonly identity: string
  /** Milliseconds that other processes wait after a renewal before they take over. Default: 30,000. */
  readonly leaseDuration?: number
  /** Milliseconds without a renewal after which the leader stops; less than leaseDuration. Default: 20,000. */
  readonly renewDeadline?: number
  /** Milliseconds between two attempts. Default: 4,000. */
  readonly retryPeriod?: number
  /** Called where the leader finds a message that another process wrote with `tell`. */
  readonly onMessage?: (text: string) => void
  readonly context: Pick<EngineContext, 'clock' | 'log' | 'meter'>
  /** Gives numbers from 0 up to 1. */
  readonly random?: () => number
}

/** Milliseconds between two attempts where the API server gives no answer. */
const FAILED_RETRY_PERIOD = 2000
/** Attempts at a write whose Lease another process changes at the same time. */
const MAX_WRITES = 3
/** The annotation of the Lease by which another process sends the leader a message, with the time before its text. */
const MESSAGE = 'nodefit.dev/sync-message'

/**
 * Leader election by a Lease, as client-go's leaderelection does it: a Lease is updated only at the resourceVersion
 * that was read, and expires when this process has seen it unchanged for its duration; the times in it are not compared
 * with the local clock. A leader that cannot renew stops before another process can take over.
 */
export class Elector {
  readonly #options: ElectorOptions & Required<Pick<ElectorOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>>
  readonly #client: LeaseClient
  readonly #random: () => number
  #isLeader = false
  /** The Lease as it was last read or written. */
  #observed: Lease | undefined
  /**
   * Milliseconds that this process has waited while the Lease did not change; counted, so that a changed clock has no
   * effect.
   */
  #unchangedFor = 0
  /**
   * The renewTimes that this process wrote, or tried to: with any other one the Lease is not its own, even under its
   * identity.
   */
  #renewTimes: string[] = []
  /**
   * Microseconds in the times that this process writes: they differ from those of another process with the same
   * identity.
   */
  readonly #microseconds: number
  #loggedError = ''
  /** The message that was last seen. */
  #message: string | undefined

  constructor(options: ElectorOptions) {
    this.#options = { leaseDuration: 30_000, renewDeadline: 20_000, retryPeriod: 4000, ...options }
    const { renewDeadline, leaseDuration, retryPeriod } = this.#options
    if (renewDeadline >= leaseDuration || retryPeriod >= renewDeadline)
      throw new RangeError('leader election needs retryPeriod < renewDeadline < leaseDuration')
    this.#client = new LeaseClient(options.connection, options.namespace, options.name)
    this.#random = options.random ?? Math.random
    this.#microseconds = Math.floor(1000 * this.#random())
  }

  get isLeader(): boolean {
    return this.#isLeader
  }

  /** The identity of the holder that was last observed; empty where there is none. */
  get holder(): string {
    return this.#observed?.spec?.holderIdentity ?? ''
  }

  /**
   * Acquires the Lease whenever it can, and runs `work` as long as it holds it, until the signal is aborted. `work`
   * must end soon after its own signal is aborted. The Lease is released when the work ends or rejects. Never rejects.
   */
  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { context, retryPeriod } = this.#options
    while (!signal.aborted) {
      const requestedAt = context.clock.now()
      const outcome = await this.#acquireOrRenew(signal)
      if (outcome === 'held') await this.#lead(requestedAt, signal, work)
      if (signal.aborted) return
      const period = outcome === 'failed' ? Math.min(retryPeriod, FAILED_RETRY_PERIOD) : retryPeriod
      const wait = period * (1 + 0.2 * this.#random())
      await context.clock.sleep(wait, signal)
      this.#unchangedFor += wait
    }
  }

  /**
   * Writes a message to the Lease, for the leader to read at its next renewal; only the newest one is kept. Rejects as
   * `Connection.json` does, and where the Lease changes all the time.
   */
  async tell(text: string): Promise<void> {
    const { retryPeriod, context } = this.#options
    for (let attempt = 1; attempt <= MAX_WRITES; attempt++) {
      const lease = await this.#client.get(retryPeriod)
      if (lease?.spec === undefined) return
      const message = `${microTime(context.clock.now(), this.#microseconds)} ${text}`
      const annotations = { ...lease.metadata.annotations, [MESSAGE]: message }
      const told = { ...lease, metadata: { ...lease.metadata, annotations } }
      if ((await this.#client.write(told, lease.spec, retryPeriod)) !== undefined) return
    }
    throw new Error('the Lease changes all the time')
  }

  /** `taken` where another process holds the Lease, `failed` where the API server gives no answer. */
  async #acquireOrRenew(signal: AbortSignal): Promise<'held' | 'taken' | 'failed'> {
    for (let attempt = 1; ; attempt++) {
      const wasMine = this.#isLeader
      const outcome = await this.#acquireOrRenewOnce(signal)
      // a message to the leader is no loss of the Lease: only another holder is
      if (outcome !== 'raced') return outcome
      if (!wasMine || attempt >= MAX_WRITES) return 'taken'
    }
  }

  async #acquireOrRenewOnce(signal: AbortSignal): Promise<'held' | 'taken' | 'failed' | 'raced'> {
    const { identity, leaseDuration, renewDeadline, context } = this.#options
    const timeout = renewDeadline / 2
    try {
      const lease = await this.#client.get(timeout, signal)
      this.#observe(lease)
      if (!this.#mayWrite(lease)) return 'taken'
      const now = microTime(context.clock.now(), this.#microseconds)
      const spec = lease?.spec
      const isMine = this.#isMine(spec)
      this.#renewTimes.push(now)
      const written = await this.#client.write(
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
      this.#loggedError = ''
      if (written === undefined) return 'raced'
      this.#observe(written)
      this.#renewTimes = [now]
      this.#readMessage(written)
      return 'held'
    } catch (error) {
      if (!signal.aborted) this.#logError(watchEndOf(error).message ?? '')
      return 'failed'
    }
  }

  #mayWrite(lease: Lease | undefined): boolean {
    const spec = lease?.spec
    if (!spec?.holderIdentity || this.#isMine(spec)) return true
    // a process that was restarted under the same identity
    if (spec.holderIdentity === this.#options.identity && this.#renewTimes.length === 0) return true
    const duration = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#options.leaseDuration
    return this.#unchangedFor >= duration
  }

  #isMine(spec: LeaseSpec | undefined): boolean {
    const { holderIdentity, renewTime = '' } = spec ?? {}
    return holderIdentity === this.#options.identity && this.#renewTimes.includes(renewTime)
  }

  /** A message is no renewal: a Lease with a new one still expires. */
  #observe(lease: Lease | undefined): void {
    if (!isDeepStrictEqual(lease?.spec, this.#observed?.spec)) this.#unchangedFor = 0
    this.#observed = lease
  }

  /** Reports a message that is new; one that was written before this process led is old. */
  #readMessage({ metadata }: Lease): void {
    const message = metadata.annotations?.[MESSAGE] ?? ''
    if (this.#isLeader && message !== this.#message) this.#options.onMessage?.(message.replace(/^\S* /, ''))
    this.#message = message
  }

  async #lead(renewedAt: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { context, renewDeadline, identity } = this.#options
    const { clock, log } = context
    const leading = new AbortController()
    const stop = () => leading.abort()
    signal.addEventListener('abort', stop, { once: true })
    this.#setLeader(true)
    log.info('became the leader', { identity })
    let hasFailed = false
    const working = work(leading.signal).catch((error) => {
      hasFailed = true
      log.error('the work of the leader failed: the Lease is released', { error: String(error) })
      stop()
    })
    await this.#renewUntilLost(renewedAt, leading)
    signal.removeEventListener('abort', stop)
    this.#setLeader(false)
    log.info('stopped leading', { identity, holder: this.holder })
    if (!signal.aborted && !hasFailed) return working
    // release the Lease only when the work has ended; else let it expire
    const waiting = new AbortController()
    const timeout = clock.sleep(renewDeadline, waiting.signal).then(() => false)
    const hasEnded = await Promise.race([working.then(() => true), timeout])
    waiting.abort()
    if (hasEnded) await this.#release()
  }

  /** Renews until another process holds the Lease, the renewals fail for too long, or the signal is aborted. */
  async #renewUntilLost(renewedAt: number, leading: AbortController): Promise<void> {
    const { context, retryPeriod, renewDeadline } = this.#options
    const { clock } = context
    const { signal } = leading
    const deadlineAfter = (renewal: number) =>
      new Watchdog(clock, renewal + renewDeadline - clock.now(), () => leading.abort())
    let deadline = deadlineAfter(renewedAt)
    while (!signal.aborted) {
      await clock.sleep(retryPeriod, signal)
      if (signal.aborted) break
      const requestedAt = clock.now()
      const outcome = await this.#acquireOrRenew(signal)
      if (outcome === 'taken') leading.abort()
      if (outcome !== 'held') continue
      deadline.stop()
      deadline = deadlineAfter(requestedAt)
    }
    deadline.stop()
  }

  async #release(): Promise<void> {
    const { context, retryPeriod } = this.#options
    try {
      const lease = await this.#client.get(retryPeriod)
      if (lease === undefined || !this.#isMine(lease.spec)) return
      const renewTime = microTime(context.clock.now(), this.#microseconds)
      const spec = { ...lease.spec, holderIdentity: '', renewTime }
      this.#observe((await this.#client.write(lease, spec, retryPeriod)) ?? lease)
    } catch (error) {
      context.log.warn('cannot release the Lease: another replica takes over when it expires', {
        error: watchEndOf(error).message,
      })
    }
  }

  #setLeader(isLeader: boolean): void {
    this.#isLeader = isLeader
    this.#options.context.meter.component('leader', isLeader)
  }

  #logError(error: string): void {
    if (error === this.#loggedError) return
    this.#loggedError = error
    this.#options.context.log.warn('cannot read or write the Lease: check leaderElection.name and the Role', { error })
  }
}

/** The fields of a Lease that are read and written; other fields are written as they were read. */
interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1'
  readonly kind: 'Lease'
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly resourceVersion?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: LeaseSpec
}

/** Reads and writes one Lease. Every method rejects as `Connection.json` does. */
class LeaseClient {
  readonly #connection: Connection
  readonly #namespace: string
  readonly #name: string

  constructor(connection: Connection, namespace: string, name: string) {
    this.#connection = connection
    this.#namespace = namespace
    this.#name = name
  }

  /** The Lease; undefined where it does not exist. */
  async get(timeout: number, signal?: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#connection.json<Lease>({ path: `${this.#path}/${this.#name}`, timeout, signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }

  /** Creates the Lease, or updates the one that was read; returns undefined where another process was first (409). */
  async write(
    read: Lease | undefined,
    spec: LeaseSpec,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Lease | undefined> {
    const metadata = { namespace: this.#namespace, name: this.#name }
    const body: Lease = { metadata, ...read, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec }
    const path = read === undefined ? this.#path : `${this.#path}/${this.#name}`
    try {
      return await this.#connection.json<Lease>({
        method: read === undefined ? 'POST' : 'PUT',
        path,
        body,
        timeout,
        signal,
      })
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return undefined
      throw error
    }
  }

  get #path(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases`
  }
}

/** A MicroTime of Kubernetes; its last three digits are given separately, since a Date has milliseconds. */
export function microTime(milliseconds: number, microseconds = 0): string {
  return new Date(milliseconds).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
