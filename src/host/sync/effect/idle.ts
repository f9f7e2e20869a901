import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SnapshotNode } from '../../../facts/inventory/index.ts'
import { isPoolPolicy } from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { asObject } from '../../../krm/read-object.ts'
import { objectsIn } from '../../files/objects-in.ts'
import { earlierNodes } from '../../files/snapshot-of.ts'
import { UserError } from '../../files/user-error.ts'
import { WORKLOAD_FILE } from './owned-folder.ts'
import type { Rendered } from './rendered.ts'

/** The longest, in milliseconds, that only the memory knows since when a node of a pool is idle. */
const MAX_UNWRITTEN = 60_000

/**
 * The nodes of the snapshot in a checkout, by name; empty where it has none that can be read, which the evaluation
 * reports.
 */
export function nodesInGit(
  root: string,
  { cluster, folder }: { cluster: string; folder: string },
): ReadonlyMap<string, SnapshotNode> {
  try {
    const text = readFileSync(join(root, folder, WORKLOAD_FILE), 'utf8')
    const items = objectsIn(text, WORKLOAD_FILE).map(({ value }) => ({ object: asObject(value, WORKLOAD_FILE) }))
    return earlierNodes(items, cluster)
  } catch (error) {
    if (error instanceof UserError || error instanceof KrmError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return new Map()
    throw error
  }
}

/** The nodes of pools that Git does not know to be idle, or to be idle since then. */
export interface UnwrittenIdle {
  /** Whether Git must be told, so that a restart does not begin to wait anew. */
  readonly isOverdue: boolean
  /** When Git must be told next, in milliseconds since 1970. */
  readonly until?: number
}

/** Compares the nodes of a snapshot with the text of the one in Git. `time` is in milliseconds since 1970. */
export function unwrittenIdle(
  workload: Record<string, unknown> | undefined,
  inGit: string | undefined,
  time: number,
): UnwrittenIdle {
  const { nodes = [] } = (workload?.spec ?? {}) as { nodes?: readonly SnapshotNode[] }
  const idle = nodes.filter(({ claim, machine }) => claim !== undefined || machine !== undefined)
  const written = idle.some(({ idleSince }) => idleSince !== undefined) ? idleTimes(inGit ?? '') : undefined
  const instants = idle.flatMap(({ name, idleSince }) =>
    idleSince === undefined || written?.get(name) === idleSince ? [] : [Date.parse(idleSince) + MAX_UNWRITTEN],
  )
  const later = instants.filter((instant) => instant > time)
  return {
    isOverdue: later.length < instants.length,
    until: later.length === 0 ? undefined : Math.min(...later),
  }
}

const NODE_LINE = /^ {2}- name: "?([^"\n]+)"?$/
const IDLE_LINE = /^ {4}idleSince: "(.+)"$/

/** The idleSince of each node in the text of a snapshot that nodefit sync wrote; parsing it whole takes seconds. */
function idleTimes(text: string): Map<string, string> {
  const times = new Map<string, string>()
  let name = ''
  for (const line of text.split('\n')) {
    name = NODE_LINE.exec(line)?.[1] ?? name
    const [, time] = IDLE_LINE.exec(line) ?? []
    if (time !== undefined) times.set(name, time)
  }
  return times
}

/** Whether a render plans a pool, which waits until nodes have been idle for a while. */
export function plansPools(rendered: Rendered): boolean {
  if (rendered.kind !== 'rendered') return false
  const all = rendered.plan.packages.flatMap(({ planned }) => planned)
  return all.some(({ subject, isEnabled }) => isEnabled && isPoolPolicy(subject.object))
}
