import * as assert from 'uvu/assert'
import { SYNC_CONFIG_DEFAULTS as DEFAULTS } from '../../../src/host/sync/config/generated/fields.ts'
import { ChangeQueue, runLoop } from '../../../src/host/sync/loop.ts'
import { PushLimit } from '../../../src/host/sync/round.ts'
import { engineContext } from '../../support/engine-context.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

/**
 * How long a new kind of node takes to be in Git with the default windows: a model of the loop on a clock of its own,
 * over 1,000 drawn courses of other changes. What a fetch, a render and a push take is an input, and no figure here
 * depends on how fast the machine is.
 */

const SECOND = 1000
const DRAWS = 1000
/**
 * A fetch, a render of 5,000 nodes and a push, in milliseconds: 0.8 s with a remote on the same machine, the rest is
 * for a network.
 */
const ROUND = 4 * SECOND

/** Numbers from 0 up to 1, the same each time. */
function drawsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const inMilliseconds = (text: string) =>
  Number(/^(\d+)([sm])$/.exec(text)?.[1]) * (text.endsWith('m') ? 60 : 1) * SECOND

/**
 * From the moment at which a new kind is there until Git has it, where others of known kinds come at random with this
 * mean gap.
 */
async function delayOf(seed: number): Promise<number> {
  const random = drawsOf(seed)
  const clock = new FakeClock()
  const changes = new ChangeQueue(clock)
  const limit = new PushLimit(clock)
  const stop = new AbortController()
  // from a change in two seconds to one in five minutes, each order of magnitude as likely
  const gap = 2 * SECOND * 150 ** random()
  const arrival = Math.floor(random() * 120 * SECOND)
  const begin = clock.now()
  let [isThere, pushedAt, isPushed] = [false, 0, false]
  // some rounds before it have something to push, too
  const other = random()
  const ended = runLoop({
    windows: {
      quietWindow: inMilliseconds(DEFAULTS.quietWindow),
      maxWindow: inMilliseconds(DEFAULTS.maxWindow),
      minPushInterval: inMilliseconds(DEFAULTS.minPushInterval),
      reconcileInterval: inMilliseconds(DEFAULTS.reconcileInterval),
    },
    context: engineContext({ clock }),
    changes,
    round: async () => {
      const sees = isThere && !isPushed
      const pushes = sees || (!isThere && random() < other / 4)
      if (pushes) await limit.acquire(stop.signal)
      await clock.sleep(ROUND, stop.signal)
      if (sees) {
        isPushed = true
        pushedAt = clock.now()
      }
      return { outcome: pushes ? 'pushed' : 'done' }
    },
    tick: () => undefined,
    signal: stop.signal,
  })
  const wait = () => Math.ceil(-Math.log(1 - random()) * gap)
  let next = wait()
  let appeared = 0
  while (!isPushed) {
    const time = clock.now() - begin
    const until = isThere ? next : Math.min(next, arrival)
    await clock.advance(Math.min(Math.max(until - time, 0), 60 * SECOND))
    const now = clock.now() - begin
    if (!isThere && now >= arrival) {
      isThere = true
      appeared = clock.now()
      changes.add()
    }
    if (now < next) continue
    changes.add()
    next = now + wait()
  }
  stop.abort()
  await ended
  return (pushedAt - appeared) / SECOND
}

suite('a new kind of node', (test) => {
  test('is in Git within a minute, 95 times of 100', async () => {
    const delays: number[] = []
    for (let seed = 1; seed <= DRAWS; seed++) delays.push(await delayOf(seed))
    delays.sort((a, b) => a - b)
    const at = (share: number) => delays[Math.ceil(share * DRAWS) - 1] ?? Infinity
    const said = `half within ${at(0.5).toFixed(1)} s, 95 % within ${at(0.95).toFixed(1)} s, all within ${at(1).toFixed(1)} s`
    process.stdout.write(`${said}\n`)
    assert.ok(at(0.95) < 60, said)
    // the longest wait, and a round that had begun a moment before
    assert.ok(at(1) <= 45 + (2 * ROUND) / SECOND, said)
  })
})
