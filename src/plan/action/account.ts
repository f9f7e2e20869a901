import { type ActionState, type CountLine, earliest, type PlannedAction } from '../../core/index.ts'
import { timeText } from '../../kube/index.ts'
import type { Leases } from './leases.ts'

/** The states that a summary counts, in this order. */
const COUNTED: readonly ActionState[] = [
  ...(['in effect', 'done', 'queued', 'suspended', 'superseded', 'no target'] as const),
  ...(['not yet valid', 'expired', 'refused'] as const),
]

/**
 * Counts the actions by state, their Jobs, and the nodes that they hold, keep uncordoned or give back; says when the
 * next one expires that holds something.
 */
export function accountOf(
  rows: readonly PlannedAction[],
  jobs = 0,
  leases?: Pick<Leases, 'held' | 'uncordoned' | 'givenBack'>,
): CountLine[] {
  const counted = (count: number, noun: string, words: string): CountLine[] =>
    count === 0 ? [] : [{ kind: 'count', count, noun, words }]
  const valid = rows.filter(({ state }) => state === 'in effect' || state === 'done')
  const next = earliest(valid.flatMap(({ expiresAt }) => expiresAt ?? []))
  const lines = [
    ...COUNTED.flatMap((state) => counted(rows.filter((row) => row.state === state).length, 'action', state)),
    ...counted(leases?.held.size ?? 0, 'node', 'held'),
    ...counted(leases?.uncordoned.size ?? 0, 'node', 'kept uncordoned'),
    ...counted(leases?.givenBack.size ?? 0, 'node', 'given back'),
  ]
  const [last] = lines.slice(-1)
  const ending = last && next && [{ ...last, words: `${last.words}, next expiry ${timeText(next)}` }]
  return [
    { kind: 'count', count: rows.length, noun: 'action' },
    ...(jobs === 0 ? [] : [{ kind: 'count', count: jobs, noun: 'Job' } as const]),
    ...(ending === undefined ? lines : [...lines.slice(0, -1), ...ending]),
  ]
}
