import type { Leaving } from './leaving.ts'
import type { Packing } from './pack.ts'
import type { Pool } from './pool.ts'

/**
 * Returns the next time after now, in milliseconds, at which a pool may decide otherwise with the same snapshot: a pod
 * is old enough, a node has settled or been idle for long enough, a machine is late, or a drain takes too long.
 */
export function nextTime(pool: Pool, packing: Packing, { marks }: Leaving, now: number): number | undefined {
  const { settings, machines } = pool
  const { times, scaleUp, scaleDown } = settings
  let next: number | undefined
  const after = (time: number | undefined, wait: number) => {
    if (time !== undefined && time + wait > now && (next === undefined || time + wait < next)) next = time + wait
  }
  const { young, placed } = packing.podsOf(pool)
  for (const since of young) for (const time of since) after(time, scaleUp.window)
  for (const since of placed) for (const time of since) after(time, times.trust)
  const isWaiting = packing.outcomes.size > 0
  for (const { node, claim, state } of machines) {
    // the first instant beyond the limit
    if (state === 'joining') after(claim?.createdAt, times.provision + 1)
    if (isWaiting && state === 'node') after(node?.readySince, times.settle)
    if (node === undefined || state !== 'node') continue
    const mark = marks.get(node.name)
    if (mark !== undefined) after(Date.parse(mark), settings.drainTimeout)
    else if (scaleDown !== undefined && node.blocking === 0 && node.idleSince !== undefined)
      after(Math.max(node.idleSince, node.readySince ?? now), scaleDown.window)
  }
  return next
}
