import { indexBy } from '../core/index.ts'
import { type Nodes, nodeCountOf } from '../facts/inventory/index.ts'
import type { AgentStop, Change, PlannedChanges } from './change.ts'

/** What the change of one object does to the pods that run on today's nodes; those that nothing shows are apart. */
export interface Restart {
  /** Pods that restart, since their template differs; with OnDelete, only after someone deletes them. */
  readonly pods: number
  /** Nodes that come from another object, where a new pod starts: their old pod stops. */
  readonly moved: number
  /** Nodes that lose their agent for longer than one pod start. */
  readonly lost: number
  /** Nodes where a pod that nothing shows restarts, if it runs there. */
  readonly mayRestart: number
  /** Nodes that lose an agent that nothing shows, if it runs there. */
  readonly mayLose: number
  readonly isOnDelete: boolean
}

/** Returns what restarts for each object of a subject that is added, changed or removed. */
export function restartsOf({ changes, stops }: Pick<PlannedChanges, 'changes' | 'stops'>): Map<Change, Restart> {
  const byChange = indexBy(stops, ({ change }) => change)
  return new Map(
    changes.flatMap((change): Array<[Change, Restart]> => {
      const { kind, isNeverApplied } = change
      // an object that is never applied has no pods
      if (kind === 'unchanged' || kind === 'released' || isNeverApplied === true) return []
      const restart = restartOf(byChange.get(change) ?? [])
      if (kind === 'removed' && restart.lost + restart.mayLose === 0) return []
      return [[change, restart]]
    }),
  )
}

/**
 * Returns what happens to nodes that go back to the template's own DaemonSet, which no change of a subject shows;
 * undefined where none do.
 */
export function restartOfTemplate({
  stops,
}: Pick<PlannedChanges, 'stops'>): (Restart & Pick<Nodes, 'nodeCount'>) | undefined {
  const found = stops.filter(({ change }) => change === undefined)
  return found.length === 0 ? undefined : { ...restartOf(found), nodeCount: nodeCountOf(found) }
}

function restartOf(found: readonly AgentStop[]): Restart {
  const count = (is: (stop: AgentStop) => boolean) => nodeCountOf(found.filter(is))
  const restarts = ({ cause, length }: AgentStop) => cause === 'restart' && !isLost({ length })
  return {
    pods: count((stop) => stop.isShown && restarts(stop)),
    moved: count(({ cause, length, isShown }) => isShown && cause === 'move' && !isLost({ length })),
    lost: count((stop) => stop.isShown && isLost(stop)),
    mayRestart: count((stop) => !stop.isShown && restarts(stop)),
    mayLose: count(mayLose),
    isOnDelete: found.some(({ length }) => length === 'onDelete'),
  }
}

/**
 * Whether nodes lose an agent that nothing shows: one that stayed when a taint came later. By adoption they are not
 * counted: nothing shows that the static DaemonSet ever ran there, and NoNewPods names them.
 */
export function mayLose(stop: AgentStop): boolean {
  return !stop.isShown && stop.cause !== 'adoption' && isLost(stop)
}

/** Whether nodes are without an agent for longer than one pod start. */
export function isLost({ length }: Pick<AgentStop, 'length'>): boolean {
  return length === 'forGood' || length === 'untilReady' || length === 'laterWave'
}
