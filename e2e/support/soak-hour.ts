/** What goes on in a cluster where nothing happens: signs of life, replaced nodes of known types, watches that end. */
import { soakNode } from './soak-api.ts'
import type { Soaking } from './soaking.ts'

const SECOND = 1000
const STEP = 10 * SECOND
/** A kubelet without leases writes its node's status every five minutes. */
const BEATS = 30
const REPLACED_AN_HOUR = 500
const CUTS = ['end', 'reset', 'reset', 'expired'] as const

/** Bytes of the heap after everything was collected, at the end of each tenth of the time. */
export interface Hour {
  readonly heaps: readonly number[]
  readonly statusUpdates: number
  readonly replaced: number
  readonly cuts: number
}

/** Lets so many minutes go by. */
export async function hourOf(soaking: Soaking, minutes: number): Promise<Hour> {
  const { api } = soaking
  const steps = (minutes * 60 * SECOND) / STEP
  const heaps: number[] = []
  let [statusUpdates, replaced, cuts, next] = [0, 0, 0, api.names.length]
  const coming: string[] = []
  for (let step = 1; step <= steps; step++) {
    const { names } = api
    for (let at = step % BEATS; at < names.length; at += BEATS) {
      const node = api.get(names[at] ?? '')
      if (node === undefined) continue
      api.put(node)
      statusUpdates++
    }
    // who came a minute ago is ready
    for (const name of coming.splice(0, Math.max(0, coming.length - 8))) {
      const node = api.get(name)
      if (node !== undefined) api.put({ ...node, isReady: true, since: soaking.now })
    }
    for (; replaced < (step * STEP * REPLACED_AN_HOUR) / (3_600 * SECOND); replaced++) {
      const old = names[(replaced * 7919) % names.length] ?? ''
      const type = api.get(old)?.type
      api.remove(old)
      const node = { ...soakNode(next++, { type, since: soaking.now }), isReady: false }
      api.put(node)
      coming.push(node.name)
    }
    if (step % 6 === 0) api.bookmark()
    // now and then in the midst of things
    if (step % 37 === 0) api.cut(CUTS[cuts++ % CUTS.length] ?? 'end')
    await soaking.advance(STEP)
    if (step % Math.floor(steps / 10) === 0) heaps.push((await soaking.memory()).heapUsed)
  }
  return { heaps, statusUpdates, replaced, cuts }
}
