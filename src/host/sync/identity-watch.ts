import type { Connection } from '../cluster/connection.ts'
import { type ClusterIdentity, readIdentity } from '../cluster/identity.ts'
import type { EngineContext } from './context.ts'

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
