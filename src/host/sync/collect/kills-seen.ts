import type { Kill } from '../../../facts/usage/index.ts'
import type { Clock } from '../../cluster/clock.ts'
import type { KubeObject } from '../../cluster/list.ts'
import { type AgentPod, containersOf } from './agent-pods.ts'
import { Terminations } from './terminations.ts'

/** A container of a DaemonSet that was killed. */
export interface SeenKill {
  /** The UID of the DaemonSet. */
  readonly daemonSet: string
  readonly container: string
  readonly kill: Kill
}

const DAY = 86_400_000
/** The kills that are remembered, for when this process begins to lead. */
const MOST = 20_000

/** The kills of the last day, as the watch of pods shows them. What ended earlier was answered, or needs no answer. */
export class KillsSeen {
  readonly #clock: Clock
  readonly #terminations = new Terminations()
  #recent: SeenKill[] = []
  #pending: SeenKill[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Looks at a pod; returns whether it tells of a kill that was not seen before. `before`: the pod of its name that was
   * looked at last.
   */
  see(object: KubeObject, pod: AgentPod | undefined, before: AgentPod | undefined): boolean {
    if (pod === undefined) return false
    const now = this.#clock.now()
    const found = this.#terminations.see(object, before?.uid === pod.uid).filter(({ at }) => at > now - DAY)
    if (found.length === 0) return false
    const containers = containersOf(pod.containers, new Map())
    const kills = found.map(({ pod: uid, container, at, count }): SeenKill => {
      const limit = containers.find(({ name }) => name === container)?.limits.memory
      // the clock of a node may be ahead
      const kill = { pod: uid, at: Math.min(at, now), ...(limit !== undefined && { limit }), count }
      return { daemonSet: pod.daemonSet, container, kill }
    })
    this.#pending = [...this.#pending, ...kills].slice(-MOST)
    this.#recent = [...this.#recent.filter(({ kill }) => kill.at > now - DAY), ...kills].slice(-MOST)
    return true
  }

  /** Takes the kills of these DaemonSets that were not taken before, in the order of time. */
  take(daemonSets: ReadonlySet<string>): readonly SeenKill[] {
    const oldest = this.#clock.now() - DAY
    const taken = this.#pending.filter(({ daemonSet }) => daemonSets.has(daemonSet))
    this.#pending = this.#pending.filter(({ daemonSet, kill }) => !daemonSets.has(daemonSet) && kill.at > oldest)
    return taken.sort((left, right) => left.kill.at - right.kill.at)
  }

  /** Gives the kills of the last day once more. */
  again(): void {
    this.#pending = [...this.#recent]
  }

  /** Forgets the pods that are gone. */
  keep(uids: ReadonlySet<string>): void {
    this.#terminations.keep(uids)
  }

  /** Whether a pod is remembered. */
  get hasPods(): boolean {
    return this.#terminations.size > 0
  }
}
