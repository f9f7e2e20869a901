import { type Node, timeText } from '../../kube/index.ts'
import { isSilent, lastHeartbeat } from './shapes.ts'

/** When nodes were read, and which of them have a clock that is ahead of that time. */
export interface Observation {
  /** RFC 3339; undefined where nothing tells the time. */
  readonly observedAt?: string
  readonly ahead: ReadonlyArray<{ readonly name: string; readonly milliseconds: number }>
}

/** What is known of the time at which nodes were read. */
export interface ReadTime {
  /** When the nodes were read, by the clock that read them; undefined where nothing is known. */
  readonly at?: Date
  /** Whether `at` is right whatever the heartbeats say: the time of an API server, or of a person. */
  readonly isSure?: boolean
  /** The clock of this machine: no heartbeat is of a later time. */
  readonly clock?: Date
}

/** Kubelets report every node at least this often, if nothing changes. */
const HEARTBEAT_MILLISECONDS = 300_000
/** A clock that is ahead by more than this is reported: NTP keeps clocks within a fraction of a second. */
const AHEAD_MILLISECONDS = 60_000
/** Of at most this many nodes a majority confirms a time, of more a twentieth, but at least five. */
const FEW_NODES = 9
const LEAST_OF_MANY = 5

/**
 * Returns when nodes were read. A time of reading counts if the confirmed heartbeat is at most five minutes before it,
 * since a file that was copied or checked out is not new; else that heartbeat does, but never one of the future. A
 * kubelet writes the heartbeat of its node by its own clock, so a time counts only if enough nodes have reached it.
 */
export function observationOf(nodes: readonly Node[], { at, isSure = false, clock }: ReadTime): Observation {
  // the kubelet of such a node is silent: its heartbeat is as old as its silence
  const speaking = nodes.filter((node) => !isSilent(node))
  const heard = (speaking.length === 0 ? nodes : speaking).flatMap((node) => {
    const text = lastHeartbeat(node)
    return text === undefined ? [] : [{ name: node.metadata.name, time: Date.parse(text) }]
  })
  const confirmed = confirmedTime(heard.map(({ time }) => time))
  const time = isSure ? at?.getTime() : timeOfReading(at?.getTime(), confirmed, clock?.getTime())
  if (time === undefined) return { ahead: [] }
  // heartbeats of one moment are up to five minutes apart
  const spread = time === at?.getTime() ? 0 : HEARTBEAT_MILLISECONDS
  const ahead = heard
    .map((one) => ({ name: one.name, milliseconds: one.time - time }))
    .filter(({ milliseconds }) => milliseconds > spread + AHEAD_MILLISECONDS)
    .sort((a, b) => b.milliseconds - a.milliseconds || (a.name < b.name ? -1 : 1))
  return { observedAt: timeText(time), ahead }
}

function timeOfReading(at: number | undefined, confirmed: number | undefined, clock = Number.POSITIVE_INFINITY) {
  if (confirmed === undefined) return undefined
  const isOfReading = at !== undefined && at >= confirmed && at - confirmed <= HEARTBEAT_MILLISECONDS
  return Math.min(isOfReading ? at : confirmed, clock)
}

/** Returns the newest time that enough nodes have reached; undefined without a time. */
function confirmedTime(times: readonly number[]): number | undefined {
  const count = times.length
  const enough = count <= FEW_NODES ? Math.floor(count / 2) + 1 : Math.max(LEAST_OF_MANY, Math.ceil(count / 20))
  return [...times].sort((a, b) => b - a)[enough - 1]
}
