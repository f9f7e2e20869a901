import { type Finding, listNames, plural } from '../../krm/finding/index.ts'
import { reasonText } from './account.ts'
import { finding } from './codes.ts'
import type { Pool } from './pool.ts'
import type { PoolsRun } from './run.ts'

const CODES = {
  'too large': 'PodsTooLarge',
  'held back': 'PodsHeldBack',
  'not helped': 'MachineDidNotHelp',
} as const

/** Reports pods that somebody must do something about, once, with the first of their pools. */
export function podFindings(pool: Pool, { packing, axes }: PoolsRun): Finding[] {
  const found = new Map<string, { code: (typeof CODES)[keyof typeof CODES]; ids: string[] }>()
  for (const [pod, outcome] of packing.podsOf(pool).reported) {
    if (outcome.kind !== 'too large' && outcome.kind !== 'held back' && outcome.kind !== 'not helped') continue
    const reason = reasonText(pod, outcome, pool, axes)
    const entry = found.get(reason) ?? { code: CODES[outcome.kind], ids: [] }
    entry.ids.push(pod.id)
    found.set(reason, entry)
  }
  const subject = pool.settings.subject.object
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { code, ids }]) => {
      const who = `${plural(ids.length, 'pending pod')} (${listNames(ids.sort())})`
      return finding(code, `${pool.settings.name}: ${who}: ${reason}`, { subject })
    })
}
