import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  ChangeQueue,
  dueAt,
  type LoopState,
  type RoundResult,
  runLoop,
  type Windows,
} from '../../../src/host/sync/loop.ts'
import { PushLimit } from '../../../src/host/sync/round.ts'
import { silentMeter } from '../../support/engine-context.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

const SECOND = 1000
const WINDOWS: Windows = {
  quietWindow: 15 * SECOND,
  maxWindow: 45 * SECOND,
  minPushInterval: 30 * SECOND,
  reconcileInterval: 300 * SECOND,
}

/** A loop on a clock of its own, with the times of its rounds in seconds since it began. */
function started(results: (round: number, now: number, changes: ChangeQueue) => RoundResult) {
  const clock = new FakeClock()
  const begin = clock.now()
  const changes = new ChangeQueue(clock)
  const stop = new AbortController()
  const rounds: number[] = []
  const waiting: Array<number | undefined> = []
  let ticks = 0
  const ended = runLoop({
    windows: WINDOWS,
    context: {
      clock,
      meter: { ...silentMeter, waitingSince: (time) => waiting.push(time === undefined ? undefined : time - begin) },
    },
    changes,
    round: async () => {
      rounds.push((clock.now() - begin) / SECOND)
      return results(rounds.length, clock.now(), changes)
    },
    tick: () => {
      ticks++
    },
    signal: stop.signal,
  })
  const end = () => {
    stop.abort()
    return ended
  }
  return { clock, changes, rounds, waiting, ticks: () => ticks, stop: end }
}

const DONE: RoundResult = { outcome: 'done' }

suite('the loop', (test) => {
  test('looks at once, and then every reconcileInterval', async () => {
    const { clock, rounds, stop } = started(() => DONE)
    await clock.advance(900 * SECOND)
    await stop()
    assert.equal(rounds, [0, 300, 600, 900])
  })
  test('turns while it waits', async () => {
    const { clock, ticks, stop } = started(() => DONE)
    await clock.advance(100 * SECOND)
    await stop()
    assert.ok(ticks() >= 10)
  })
  test('a burst is one round, after it is quiet', async () => {
    const { clock, changes, rounds, stop } = started(() => DONE)
    await clock.advance(60 * SECOND)
    for (let node = 0; node < 500; node++) {
      changes.add()
      await clock.advance(10)
    }
    await clock.advance(60 * SECOND)
    await stop()
    assert.equal(
      rounds.map((time) => Math.round(time)),
      [0, 80],
    )
  })
  test('changes without end wait no longer than maxWindow', async () => {
    const { clock, changes, rounds, stop } = started(() => DONE)
    await clock.advance(60 * SECOND)
    for (let second = 0; second < 100; second++) {
      changes.add()
      await clock.advance(SECOND)
    }
    await stop()
    assert.equal(rounds.slice(0, 3), [0, 105, 150])
  })
  test('an instant is looked at when it comes', async () => {
    const { clock, rounds, stop } = started((round, now) =>
      round === 1 ? { ...DONE, until: now + 42 * SECOND } : DONE,
    )
    await clock.advance(200 * SECOND)
    await stop()
    assert.equal(rounds, [0, 42])
  })
  test('a request is looked at without a window, and many of them every five seconds', async () => {
    const { clock, changes, rounds, stop } = started(() => DONE)
    await clock.advance(60 * SECOND)
    changes.request()
    await clock.advance(SECOND)
    assert.equal(rounds, [0, 60])
    for (let count = 0; count < 90; count++) {
      changes.request()
      await clock.advance(100)
    }
    await clock.advance(60 * SECOND)
    await stop()
    assert.equal(rounds, [0, 60, 65, 70])
  })
  test('a request during a round is looked at in the next one', async () => {
    const { clock, rounds, stop } = started((round, _, changes) => {
      if (round === 1) changes.request()
      return DONE
    })
    await clock.advance(60 * SECOND)
    await stop()
    assert.equal(rounds, [0, 5])
  })
  test('what failed is tried again, later each time, and never given up', async () => {
    const { clock, changes, rounds, waiting, stop } = started(() => ({ outcome: 'unreachable' }))
    changes.add()
    await clock.advance(3600 * SECOND)
    assert.is(waiting.at(-1), 0)
    await stop()
    const gaps = rounds.slice(1).map((time, index) => time - (rounds[index] ?? 0))
    assert.ok(gaps.every((gap) => gap <= 60 && gap >= 1))
    assert.ok(rounds.length > 55 && rounds.length < 130, `${rounds.length}`)
  })
  test('what the other side asked for is waited for', async () => {
    const { clock, rounds, stop } = started(() => ({ outcome: 'refused', retryAfter: 1000 * SECOND }))
    await clock.advance(2500 * SECOND)
    await stop()
    assert.equal(rounds, [0, 1000, 2000])
  })
  test('a guard that stopped it is asked again when something changes, not each second', async () => {
    const { clock, changes, rounds, waiting, stop } = started(() => ({ outcome: 'stopped' }))
    await clock.advance(20 * SECOND)
    changes.add()
    await clock.advance(16 * SECOND)
    assert.is(waiting.at(-1), 0)
    await clock.advance(350 * SECOND)
    await stop()
    assert.equal(rounds, [0, 35, 335])
  })
  test('a change that comes during a round is not lost', async () => {
    const { clock, rounds, stop } = started((round, _, changes) => {
      if (round === 1) changes.add()
      return DONE
    })
    await clock.advance(20 * SECOND)
    await stop()
    assert.equal(rounds, [0, 15])
  })
  test('a clock that is set back keeps nothing waiting', async () => {
    const { clock, changes, rounds, stop } = started(() => DONE)
    await clock.advance(10 * SECOND)
    clock.set('2026-11-19T12:00:00Z')
    changes.add()
    await clock.advance(60 * SECOND)
    await stop()
    assert.is(rounds.length, 2)
  })
  test('once it has ended nothing waits', async () => {
    const { clock, changes, waiting, stop } = started(() => ({ outcome: 'unreachable' }))
    changes.add()
    await clock.advance(SECOND)
    await stop()
    assert.is(waiting.at(-1), undefined)
  })
  test('it ends when it is told to, also in the middle of a wait', async () => {
    const { clock, rounds, stop } = started(() => DONE)
    await clock.advance(SECOND)
    await stop()
    await clock.advance(3600 * SECOND)
    assert.equal(rounds, [0])
  })
  test('model: every change is looked at in time, pushes keep apart, and nothing is looked at for nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            gap: fc.integer({ min: 0, max: 400 }),
            outcome: fc.constantFrom('done', 'pushed', 'pushed', 'unreachable') as fc.Arbitrary<RoundResult['outcome']>,
          }),
          { maxLength: 12 },
        ),
        async (steps) => {
          const outcomes = steps.map(({ outcome }) => outcome)
          const ended: Array<{ time: number; outcome: string }> = []
          const run = started((_, now) => {
            const outcome = outcomes[ended.length] ?? 'pushed'
            ended.push({ time: now, outcome })
            return { outcome }
          })
          const asked: number[] = []
          for (const { gap } of steps) {
            await run.clock.advance(gap * SECOND)
            asked.push(run.clock.now())
            run.changes.add()
          }
          await run.clock.advance(2000 * SECOND)
          await run.stop()
          const good = ended.filter(({ outcome }) => outcome !== 'unreachable').map(({ time }) => time)
          for (const time of asked) {
            const failures = ended.filter((one) => one.outcome === 'unreachable' && one.time >= time).length
            const next = good.find((one) => one >= time) ?? Number.POSITIVE_INFINITY
            const allowed = WINDOWS.maxWindow + WINDOWS.minPushInterval + failures * 60 * SECOND
            assert.ok(next - time <= allowed, `${(next - time) / SECOND} s`)
          }
          const pushes = ended.filter(({ outcome }) => outcome === 'pushed').map(({ time }) => time)
          for (const [index, time] of pushes.entries())
            assert.ok(index === 0 || time - (pushes[index - 1] ?? 0) >= WINDOWS.minPushInterval)
          const reasons = asked.length + ended.filter(({ outcome }) => outcome === 'unreachable').length
          const span = (run.clock.now() - (ended[0]?.time ?? 0)) / WINDOWS.reconcileInterval
          assert.ok(ended.length <= 2 + reasons + span, `${ended.length} rounds`)
        },
      ),
      { numRuns: 40 },
    )
  })
})

suite('the limit of pushes', (test) => {
  test('six a minute, whatever is tried', async () => {
    const clock = new FakeClock()
    const limit = new PushLimit(clock)
    const times: number[] = []
    const begin = clock.now()
    const all = Promise.all(
      Array.from({ length: 20 }, async () => {
        await limit.acquire()
        times.push((clock.now() - begin) / SECOND)
      }),
    )
    await clock.advance(300 * SECOND)
    await all
    for (const time of times) assert.ok(times.filter((one) => one >= time && one < time + 60).length <= 6)
    assert.is(times.at(-1), 180)
  })
  test('a clock that is set back frees it', async () => {
    const clock = new FakeClock()
    const limit = new PushLimit(clock)
    for (let push = 0; push < 6; push++) await limit.acquire()
    clock.set('2026-11-19T12:00:00Z')
    assert.is(await limit.acquire(), true)
  })
  test('who is told to end does not wait, and does not push', async () => {
    const clock = new FakeClock()
    const limit = new PushLimit(clock)
    for (let push = 0; push < 6; push++) assert.is(await limit.acquire(), true)
    const stop = new AbortController()
    const turn = limit.acquire(stop.signal)
    stop.abort()
    assert.is(await turn, false)
  })
})

const DUE_WINDOWS: Windows = { quietWindow: 15, maxWindow: 45, minPushInterval: 30, reconcileInterval: 300 }
const FAR: Windows = { ...DUE_WINDOWS, reconcileInterval: 300_000 }

const CASES: Array<[name: string, state: LoopState, due: number]> = [
  ['nothing was evaluated yet: at once', {}, 0],
  ['nothing was evaluated yet, and a change waits for nothing', { pending: { first: 1000, newest: 1000 } }, 0],
  ['nothing was evaluated yet, and the first try failed', { notBefore: 7 }, 7],
  ['nothing changes: the longest interval', { evaluatedAt: 1000 }, 1300],
  ['a change waits for the quiet window', { evaluatedAt: 1000, pending: { first: 1010, newest: 1010 } }, 1025],
  ['another one begins it anew', { evaluatedAt: 1000, pending: { first: 1010, newest: 1020 } }, 1035],
  ['no longer than the longest window', { evaluatedAt: 1000, pending: { first: 1010, newest: 1050 } }, 1055],
  [
    'a change just before the longest interval ends',
    { evaluatedAt: 1000, pending: { first: 1299, newest: 1299 } },
    1300,
  ],
  ['an instant comes before the longest interval', { evaluatedAt: 1000, until: 1100 }, 1100],
  ['an instant beyond it', { evaluatedAt: 1000, until: 5000 }, 1300],
  ['an instant that was seen is over', { evaluatedAt: 1000, until: 1000 }, 1300],
  ['an instant waits for no window', { evaluatedAt: 1000, until: 1012, pending: { first: 1010, newest: 1011 } }, 1012],
  ['nothing soon after a push', { evaluatedAt: 1000, pushedAt: 1000, pending: { first: 1001, newest: 1001 } }, 1030],
  ['a request waits for no window', { evaluatedAt: 1000, requestedAt: 7000 }, 7000],
  ['nor for a change that does', { evaluatedAt: 1, requestedAt: 7000, pending: { first: 6990, newest: 6999 } }, 7000],
  ['but for what was requested just before', { evaluatedAt: 6000, requestedAt: 7000 }, 11_000],
  ['and for a push', { evaluatedAt: 1000, pushedAt: 6990, requestedAt: 7000 }, 7020],
  ['and for the end of a failure', { evaluatedAt: 1000, notBefore: 7100, requestedAt: 7000 }, 7100],
  ['nor an instant', { evaluatedAt: 1000, pushedAt: 1005, until: 1006 }, 1035],
  ['nothing before what failed may be tried again', { evaluatedAt: 1000, notBefore: 1200, until: 1006 }, 1200],
  ['what failed is over', { evaluatedAt: 1000, notBefore: 1002, until: 1006 }, 1006],
]

suite('when to evaluate next', (test) => {
  for (const [name, state, due] of CASES)
    test(name, () => assert.is(dueAt(state, state.requestedAt === undefined ? DUE_WINDOWS : FAR), due))
})
