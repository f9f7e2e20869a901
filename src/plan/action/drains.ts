import type { Finding } from '../../krm/finding/index.ts'
import { ACTIONS } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { DIGEST_DIGITS, drainSeconds, jobName } from './jobs.ts'
import { isDone, latest, type Memory, outcomeOf } from './memory.ts'
import type { Action } from './read-action.ts'

/** States in which an act has begun and not ended. */
const BEGUN = ['Running', 'Blocked']

/** Whether an act has neither ended for good nor failed. */
export function isOpen(action: Action, memory: Memory): boolean {
  return !isDone(memory, action) && outcomeOf(memory, action)?.state !== 'Failed'
}

/** Whether a drain has begun, as far as earlier Jobs and outcomes tell: a Job that is taken away never runs again. */
export function hasBegun(action: Action, memory: Memory, jobs: ReadonlyMap<string, Item>): boolean {
  return (
    jobs.has(jobName('drainnode', action.target.name, action.digest)) ||
    BEGUN.includes(outcomeOf(memory, action)?.state ?? '')
  )
}

/**
 * Returns by id the digests of acts whose Jobs earlier runs rendered: another action with such an id would take them
 * away, and be refused by the next run.
 */
export function begunActs(jobs: ReadonlyMap<string, Item>): Map<string, string> {
  return new Map(
    [...jobs].flatMap(([name, { object }]) => {
      const id = object.metadata.annotations?.[ACTIONS]
      return typeof id === 'string' ? [[id, name.slice(-DIGEST_DIGITS)] as const] : []
    }),
  )
}

/**
 * Says of a drain that begins at a time that its action expires before the drain may end; undefined where it does
 * not, and of other actions.
 */
export function cutShort(action: Action, from: Date): string | undefined {
  if (action.type !== 'drainNode') return undefined
  const seconds = drainSeconds(action)
  const left = Math.floor((action.expiresAt.getTime() - from.getTime()) / 1000)
  return left >= seconds ? undefined : `drains for up to ${seconds} s (timeoutSeconds), and expires after ${left} s`
}

/**
 * Reports the drains that their expiry cuts short. Of one that has not begun, as far as that `isKnown`, the time that
 * is left counts; of another the time from its own beginning.
 */
export function cutDrains(
  actions: readonly Action[],
  memory: Memory,
  jobs: ReadonlyMap<string, Item>,
  { isKnown, now }: { readonly isKnown: boolean; readonly now: Date },
): Finding[] {
  return actions.flatMap((action) => {
    const { subject, issuedAt, notBefore = issuedAt } = action
    if (!isOpen(action, memory)) return []
    const begins = isKnown && !hasBegun(action, memory, jobs) ? now : undefined
    const words = cutShort(action, latest([begins, notBefore]) ?? notBefore)
    return words === undefined ? [] : [finding('DrainCutShort', `${subject.metadata.name} ${words}`, { subject })]
  })
}
