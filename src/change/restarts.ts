import { nodeCountOf } from '../inventory/index.ts'
import { indexBy } from '../world/index.ts'
import type { AgentStop, Change, PlannedChanges } from './change.ts'

/** What the change of one object does to the pods of today's nodes. */
export interface Restart {
  /** Pods that restart, since their template differs; with OnDelete, only after someone deletes them. */
  readonly pods: number
  /** Nodes that come from another object, where a new pod starts: their old pod stops. */
  readonly moved: number
  /** Nodes that lose their agent for longer than one pod start. */
  readonly lost: number
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
      const found = byChange.get(change) ?? []
      const count = (is: (stop: AgentStop) => boolean) => nodeCountOf(found.filter(is))
      const lost = count(isLost)
      if (kind === 'removed' && lost === 0) return []
      const restart: Restart = {
        pods: count(({ cause, length }) => cause === 'restart' && !isLost({ length })),
        moved: count(({ cause, length }) => cause === 'move' && !isLost({ length })),
        lost,
        isOnDelete: found.some(({ length }) => length === 'onDelete'),
      }
      return [[change, restart]]
    }),
  )
}

/** Whether nodes are without an agent for longer than one pod start. */
export function isLost({ length }: Pick<AgentStop, 'length'>): boolean {
  return length === 'forGood' || length === 'untilReady' || length === 'laterWave'
}
