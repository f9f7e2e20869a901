/** What a history remembers of Git, what two processes have learned as one, and how kills after a raise that is taken back count. */
import * as assert from 'uvu/assert'
import {
  type Day,
  type History,
  type Hour,
  type Kill,
  mergeHistories,
  NO_HISTORY,
  type Regular,
  type Settled,
  settle,
  withGit,
} from '../../../src/facts/usage/index.ts'
import { Schedule } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 17, 12)
const FIRE = Date.UTC(2026, 10, 17, 9)
const inForce = { limits: { memory: 256 }, hasHeapByLimit: false }
const regular = (at: number, more: Partial<Regular> = {}): Regular => ({
  at,
  evidence: { kills: [], inForce },
  ...more,
})
const settled = (raisedAt: readonly number[], more: Partial<Settled> = {}): Settled => ({
  ...{ used: {}, limits: {}, at: 0, why: 'Regular' as const, raisedAt },
  ...more,
})
const kill = (pod: string, at: number, limit = 256): Kill => ({ pod, at, limit, count: 1 })

suite('what Git has', (test) => {
  const known: History = { ...NO_HISTORY, kills: [kill('a', 1)], regular: regular(FIRE) }
  test('sizes of the time of the schedule, or a later one', () => {
    for (const at of [FIRE, FIRE + DAY])
      assert.equal(withGit(known, undefined, at, NOW), { ...known, regular: regular(FIRE, { isInGit: true }) })
  })
  test('the newest raise until now, of those that are not old', () => {
    const raises = [NOW - 14 * DAY, NOW - DAY, NOW, NOW + 1]
    assert.equal(withGit(known, settled(raises), FIRE - 1, NOW), { ...known, raisedAt: NOW })
    assert.is(withGit({ ...known, raisedAt: NOW - 2 }, settled([NOW - 1]), FIRE - 1, NOW).raisedAt, NOW - 1)
  })
  test('both', () =>
    assert.equal(withGit(known, settled([NOW]), FIRE, NOW), {
      ...known,
      ...{ regular: regular(FIRE, { isInGit: true }), raisedAt: NOW },
    }))
  const SAME: ReadonlyArray<readonly [string, History, Settled | undefined, regularAt: number]> = [
    ['of an earlier time', known, undefined, FIRE - 1],
    ['where nothing was known when the schedule fired', NO_HISTORY, undefined, FIRE],
    ['that was seen before', { ...known, regular: regular(FIRE, { isInGit: true }) }, undefined, FIRE],
    ['a raise that was seen before', { ...known, raisedAt: NOW }, settled([NOW]), FIRE - 1],
    ['an earlier raise', { ...known, raisedAt: NOW }, settled([NOW - 1]), FIRE - 1],
    ['a raise that has not come', known, settled([NOW + 1]), FIRE - 1],
  ]
  for (const [name, history, of, regularAt] of SAME)
    test(`${name}: nothing new`, () => assert.is(withGit(history, of, regularAt, NOW), history))
})

suite('what was kept and what a process has learned since', (test) => {
  const hour = (memory: number): Hour => ({
    ...{ used: { memory }, medianMemory: memory, peakMemory: memory, shareAtLimit: 0, pods: 1 },
  })
  const day = (date: string, memory = 70): Day => ({ date, ...hour(memory) })
  const today = (date: string, ...hours: readonly number[]) => ({ date, hours: hours.map(hour) })
  const ended = (date: string) => today(date, ...Array.from({ length: 12 }, () => 70))
  const history = (more: Partial<History>): History => ({ ...NO_HISTORY, ...more })
  test('nothing since is what was kept', () => {
    const kept = history({ days: [day('2026-11-16')] })
    assert.is(mergeHistories(kept, NO_HISTORY), kept)
  })
  test('hours of one day in their order', () => {
    const [kept, since] = [today('2026-11-17', 1), today('2026-11-17', 2)].map((one) => history({ today: one }))
    assert.equal(mergeHistories(kept as History, since as History).today, today('2026-11-17', 1, 2))
  })
  for (const [name, turn] of [
    ['the earlier day ends, as kept', false],
    ['or as learned since', true],
  ] as const)
    test(name, () => {
      const all = [
        history({ days: [day('2026-11-15')], today: ended('2026-11-16') }),
        history({ days: [day('2026-11-14')], today: today('2026-11-17', 3) }),
      ] as const
      const [kept, since] = turn ? [all[1], all[0]] : all
      const { days, today: now } = mergeHistories(kept, since)
      assert.equal(
        days.map(({ date }) => date),
        ['2026-11-14', '2026-11-15', '2026-11-16'],
      )
      assert.equal(now, today('2026-11-17', 3))
    })
  test('of a day that both have, the kept one', () => {
    const [kept, since] = [70, 90].map((memory) => history({ days: [day('2026-11-16', memory)] }))
    assert.is(mergeHistories(kept as History, since as History).days[0]?.peakMemory, 70)
  })
  test('ages of both, the newer ones count; the newest raise; kills of both', () => {
    const kept = history({ ages: { firstDay: 1, weekOld: 2 }, raisedAt: 5, kills: [kill('a', 1)], regular: regular(1) })
    const since = history({ ages: { weekOld: 3 }, raisedAt: 4, kills: [kill('a', 1), kill('b', 2)] })
    const joined = { ages: { firstDay: 1, weekOld: 3 }, raisedAt: 5, kills: [kill('a', 1), kill('b', 2)] }
    assert.equal(mergeHistories(kept, since), { ...NO_HISTORY, ...joined, regular: regular(1) })
    assert.equal(mergeHistories(since, kept), {
      ...NO_HISTORY,
      ...joined,
      ages: { firstDay: 1, weekOld: 2 },
      regular: regular(1),
    })
    assert.equal(mergeHistories(NO_HISTORY, since), since)
  })
})

suite('kills and raises', (test) => {
  const schedule = Schedule.parse('0 9 * * 2')
  const decided = (history: History, inGit?: Settled, now = NOW) => {
    const inCluster = new Map([['a', { history, inForce, pods: 100 }]])
    return settle(new Map(inGit ? [['a', inGit]] : []), inCluster, { now, schedule }).get('a')
  }
  const of = (kills: readonly Kill[], more: Partial<History> = {}) => ({ ...NO_HISTORY, kills, ...more })
  const twice = [kill('a', NOW - 2), kill('a', NOW - 1)]
  const raised = { used: {}, limits: { memory: 512 }, at: NOW - 1, why: 'OOMKilled', raisedAt: [NOW - 1] }
  test('in whatever order they are known', () => {
    assert.equal(decided(of(twice)), { settled: raised, by: 'kills' })
    assert.equal(decided(of(twice.toReversed())), { settled: raised, by: 'kills' })
  })
  test('at this moment, not of one that has not come', () => {
    assert.equal(decided(of(twice), undefined, NOW - 1)?.by, 'kills')
    assert.equal(decided(of(twice), undefined, NOW - 2), {})
  })
  test('after a raise that somebody took back, alone', () => {
    assert.equal(decided(of(twice, { raisedAt: NOW - 1 })), {})
    assert.equal(decided(of(twice, { raisedAt: NOW - 2 })), {})
    assert.equal(decided(of(twice, { raisedAt: NOW - 3 }))?.by, 'kills')
  })
  test('of what was known at the regular time those after it, too', () => {
    const seen = { used: { memory: 71 }, peakMemory: 71, peakAt: '2026-11-12', days: 14, pods: 20 }
    const evidence = { seen: { ...seen, week: { medianMemory: 71, shareAtLimit: 0 } }, kills: twice, inForce }
    const inGit = settled([], { used: { memory: 71 }, at: FIRE - 7 * DAY })
    const at = (raisedAt?: number) =>
      decided(
        of([], {
          regular: { at: FIRE, evidence: { ...evidence, kills: twice.map((one) => ({ ...one, at: FIRE - HOUR })) } },
          ...(raisedAt !== undefined && { raisedAt }),
        }),
        inGit,
      )
    assert.is(at()?.settled?.limits.memory, 512)
    assert.equal(at(FIRE - HOUR), { settled: inGit })
  })
  test('held, until the first of three raises is old', () => {
    const raises = [NOW - 13 * DAY, NOW - 12 * DAY, NOW - 11 * DAY]
    const often = settled(raises, { limits: { memory: 256 } })
    assert.equal(decided(of(twice), often), { settled: often, heldUntil: NOW + DAY })
    assert.equal(decided(of(twice), often, NOW + DAY), { settled: often })
  })
})
