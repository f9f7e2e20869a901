import type { Kill } from '../../../facts/usage/index.ts'
import { memberOf } from '../../../krm/map.ts'
import type { Clock } from '../../cluster/clock.ts'
import type { KubeObject } from '../../cluster/list.ts'
import { type AgentPod, containersOf, runningStatuses } from './agent-pods.ts'

/** A container of a DaemonSet that was killed. */
interface SeenKill {
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

/** Containers that were killed for want of memory, as a pod tells of them. */
interface FoundKill {
  /** The UID of the pod. */
  readonly pod: string
  readonly container: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** How often it was killed since it was last looked at. */
  readonly count: number
}

interface Known {
  /** How often it has ended. */
  readonly ends: number
  /** The end of the newest kill that was found. */
  readonly killedAt: number
}

const OOM_KILLED = 'OOMKilled'

/** Milliseconds after its creation in which a pod that is seen for the first time was killed at each restart. */
const YOUNG = 3_600_000

/**
 * Finds kills in what pods tell of their containers: each once, by the time at which it ended. A pod tells of two ends
 * at most; where its container has ended more often than it tells since it was last looked at, all of them count as
 * kills. Of a pod that is new to this process and older than an hour nobody knows when it ended before.
 */
export class Terminations {
  /** By UID of the pod, and container; of containers that have ended before. */
  readonly #known = new Map<string, Map<string, Known>>()

  /** Returns the kills that this pod tells of for the first time; `wasSeen`: this process has looked at it before. */
  see(object: KubeObject, wasSeen: boolean): readonly FoundKill[] {
    const { metadata } = object
    const { uid = '' } = metadata
    const known = this.#known.get(uid)
    const found: FoundKill[] = []
    for (const container of runningStatuses(object)) {
      const name = String(memberOf(container, 'name'))
      const ends = endsOf(container)
      const before = known?.get(name)
      if (ends.count === 0 && before === undefined) continue
      const kills = ends.killedAt.filter((at) => at > (before?.killedAt ?? Number.NEGATIVE_INFINITY))
      // what has ended since, but for the kills that are known one by one
      const since = Math.max(0, ends.count - (before?.ends ?? 0) - kills.length)
      const untold = before !== undefined || wasSeen ? since : 0
      const born = before === undefined && !wasSeen && since > 0 ? birthOf(metadata, ends) : undefined
      // the first of its kills by time: those that another process has seen one by one are newer
      if (born !== undefined) found.push({ pod: uid, container: name, at: born, count: since })
      found.push(
        ...kills.map((at, index) => ({ pod: uid, container: name, at, count: 1 + (index === 0 ? untold : 0) })),
      )
      const killedAt = Math.max(before?.killedAt ?? Number.NEGATIVE_INFINITY, ...kills)
      const containers = this.#known.get(uid) ?? new Map<string, Known>()
      this.#known.set(uid, containers.set(name, { ends: Math.max(before?.ends ?? 0, ends.count), killedAt }))
    }
    return found
  }

  /** Forgets the pods that are gone. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid)
  }

  get size(): number {
    return this.#known.size
  }
}

/** When a pod was created, if all that it tells of are kills within its first hour; in milliseconds since 1970. */
function birthOf(metadata: KubeObject['metadata'], { told, killedAt }: Ends): number | undefined {
  const [first] = killedAt
  const born = Date.parse(String(memberOf(metadata, 'creationTimestamp')))
  return first !== undefined && told === killedAt.length && first - born < YOUNG ? Math.min(born, first - 1) : undefined
}

interface Ends {
  readonly count: number
  /** How many of them it tells of. */
  readonly told: number
  /** When it was killed, the older first. */
  readonly killedAt: readonly number[]
}

/** How often a container has ended, and the kills among the two ends that it tells of. */
function endsOf(container: unknown): Ends {
  const restarts = memberOf(container, 'restartCount')
  const [state, last] = ['state', 'lastState'].map((name) => memberOf(container, name))
  const [ended, endedBefore] = [memberOf(state, 'terminated'), memberOf(last, 'terminated')]
  // one that waits to be restarted is not counted among the restarts yet
  const isDown = ended !== undefined || (memberOf(state, 'waiting') !== undefined && endedBefore !== undefined)
  const count = (Number.isSafeInteger(restarts) ? (restarts as number) : 0) + (isDown ? 1 : 0)
  const told = [endedBefore, ended].filter((end) => end !== undefined)
  return { count, told: told.length, killedAt: told.flatMap(killTime) }
}

function killTime(end: unknown): number[] {
  const finished = memberOf(end, 'finishedAt')
  if (memberOf(end, 'reason') !== OOM_KILLED || typeof finished !== 'string') return []
  const time = Date.parse(finished)
  return Number.isNaN(time) ? [] : [time]
}
