/** Sizes from the rows of Git and the histories, as properties: whatever was used, when it is asked, and how often. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  atFire,
  type Day,
  fireDue,
  growthIn,
  type History,
  historiesText,
  type InForce,
  type Kill,
  mergeHistories,
  NO_HISTORY,
  readHistories,
  type Settled,
  settle,
  withAges,
  withHour,
  withKill,
} from '../../../src/facts/usage/index.ts'
import { Schedule } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const FIRE = Date.UTC(2026, 10, 17, 9)
const schedule = Schedule.parse('0 9 * * 2')
const LIMITS: InForce = { limits: { cpu: 500, memory: 256 }, hasHeapByLimit: false }
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const dayOf = (ago: number, cpu: number, memory: number): Day => ({
  date: dateOf(FIRE - ago * DAY),
  used: { cpu, memory },
  ...{ medianMemory: memory, peakMemory: memory, shareAtLimit: 0, pods: 20 },
})
const daysOf = (uses: ReadonlyArray<readonly [number, number]>): History => ({
  ...NO_HISTORY,
  days: uses.map(([cpu, memory], index) => dayOf(uses.length - index, cpu, memory)),
})
const frozen = (history: History, inForce = LIMITS) => atFire(history, FIRE, inForce)
const one = (history: History, inGit: Settled | undefined, now = FIRE, inForce = LIMITS) =>
  settle(new Map(inGit ? [['a', inGit]] : []), new Map([['a', { history, inForce, pods: 20 }]]), { now, schedule }).get(
    'a',
  )
const settledAt = (at: number, used = { cpu: 100, memory: 100 }): Settled => ({
  used,
  limits: {},
  at,
  why: 'Regular',
  raisedAt: [],
})

const use = fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 120 }))
const week = fc.array(use, { minLength: 7, maxLength: 14 })
const kills = fc.array(
  fc.record({
    pod: fc.constantFrom('a', 'b', 'c'),
    at: fc.integer({ min: FIRE - 12 * DAY, max: FIRE + DAY }),
    limit: fc.constantFrom(128, 256, 512, 1024),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 12 },
)
const inGitOf = fc.option(
  fc.record({
    used: fc.record({ cpu: fc.integer({ min: 1, max: 2000 }), memory: fc.integer({ min: 1, max: 500 }) }),
    limits: fc.record({ memory: fc.constantFrom(256, 512, 1024) }, { requiredKeys: [] }),
    at: fc.constant(FIRE - 7 * DAY),
    why: fc.constantFrom('Regular', 'Imported', 'OOMKilled'),
    raisedAt: fc.array(fc.integer({ min: FIRE - 20 * DAY, max: FIRE }), { maxLength: 3 }),
  }) as fc.Arbitrary<Settled>,
  { nil: undefined },
)

suite('settled from rows and histories', (test) => {
  test('at the newest fire, if Git has nothing of it', () => {
    const history = frozen(daysOf(Array.from({ length: 7 }, () => [63, 71] as const)))
    const settled = { used: { cpu: 66, memory: 74 }, limits: { memory: 148 }, at: FIRE, why: 'Regular', raisedAt: [] }
    assert.equal(one(history, undefined), { settled, by: 'regular' })
    assert.equal(one(history, undefined, FIRE + 6 * DAY), { settled, by: 'regular' })
    assert.equal(one(history, undefined, FIRE + 7 * DAY), {})
    assert.equal(one(history, undefined, FIRE - 1), {})
    assert.equal(one(history, settledAt(FIRE)), { settled: settledAt(FIRE) })
  })
  test('one row of the fire is enough for the cluster; raises and imports are none', () => {
    const inGit = (...all: Settled[]) => new Map(all.map((settled, index) => [String(index), settled]))
    const times = { now: FIRE + HOUR, schedule }
    assert.is(fireDue(inGit(), times), FIRE)
    assert.is(fireDue(inGit(settledAt(FIRE - 7 * DAY)), times), FIRE)
    assert.is(fireDue(inGit(settledAt(FIRE - 7 * DAY), settledAt(FIRE)), times), undefined)
    assert.is(fireDue(inGit({ ...settledAt(FIRE + 1), why: 'OOMKilled' }), times), FIRE)
    assert.is(fireDue(inGit({ ...settledAt(FIRE + 1), why: 'Imported' }), times), FIRE)
    assert.is(fireDue(inGit(settledAt(FIRE + 6 * DAY)), times), undefined)
    assert.is(fireDue(inGit(settledAt(times.now + 7 * DAY)), times), FIRE)
    assert.is(fireDue(inGit(settledAt(FIRE + 3000 * DAY)), times), FIRE)
  })
  test('without the evidence of the fire nothing', () => {
    assert.equal(one(daysOf(Array.from({ length: 14 }, () => [63, 71] as const)), undefined), {})
  })
  test('asked again with what it has given, it gives that', () =>
    fc.assert(
      fc.property(week, kills, inGitOf, fc.integer({ min: 0, max: 7 * DAY - 1 }), (days, killed, inGit, later) => {
        const history = frozen(killed.reduce((before, kill) => withKill(before, kill, FIRE + DAY), daysOf(days)))
        const first = one(history, inGit, FIRE + later)?.settled
        assert.equal(one(history, first, FIRE + later)?.settled, first)
      }),
    ))
  test('requests change at fires only: kills and days after one change none', () =>
    fc.assert(
      fc.property(week, kills, inGitOf, week, (days, killed, inGit, after) => {
        const history = frozen(daysOf(days))
        const settled = one(history, inGit)?.settled
        const later = [...history.days, ...after.map(([cpu, memory], index) => dayOf(-index, cpu, memory))]
        const then = killed.reduce<History>((before, kill) => withKill(before, kill, FIRE + DAY), {
          ...history,
          days: later,
        })
        assert.equal(one(then, settled, FIRE + 6 * DAY)?.settled?.used ?? {}, settled?.used ?? {})
      }),
    ))
  test('no limit falls', () =>
    fc.assert(
      fc.property(week, kills, inGitOf, (days, killed, inGit) => {
        const history = frozen(killed.reduce((before, kill) => withKill(before, kill, FIRE + DAY), daysOf(days)))
        const { limits = {} } = one(history, inGit, FIRE + DAY)?.settled ?? {}
        for (const resource of ['cpu', 'memory'] as const)
          assert.ok((limits[resource] ?? 0) >= (inGit?.limits[resource] ?? 0))
      }),
    ))
  test('more CPU used never gives less', () =>
    fc.assert(
      fc.property(week, inGitOf, fc.integer({ min: 0, max: 500 }), (days, inGit, more) => {
        const cpuOf = (extra: number) =>
          one(frozen(daysOf(days.map(([cpu, memory]) => [cpu + extra, memory] as const))), inGit)?.settled?.used.cpu ??
          0
        assert.ok(cpuOf(more) >= cpuOf(0))
      }),
    ))
  test('kills are answered at the first time at which they ask for it, whatever comes later', () =>
    fc.assert(
      fc.property(kills, fc.integer({ min: 1, max: 13 }), (killed, days) => {
        const history = killed.reduce((before, kill) => withKill(before, kill, FIRE), NO_HISTORY)
        const now = Math.max(FIRE, ...killed.map(({ at }) => at))
        const first = one(history, undefined, now)
        const more = withKill(history, { pod: 'z', at: now + HOUR, limit: 256, count: 1 }, now + HOUR)
        const then = one(more, undefined, now + days * HOUR)
        if (first?.by === 'kills') assert.ok((then?.settled?.limits.memory ?? 0) >= (first.settled?.limits.memory ?? 0))
        if (first?.by === 'kills') assert.is(then?.settled?.raisedAt[0], first.settled?.raisedAt[0])
      }),
    ))
  test('of kills that ask for more than three raises the rest waits, and says until when', () => {
    const raisedAt = [FIRE - 3 * DAY, FIRE - 2 * DAY, FIRE - DAY]
    const inGit: Settled = { ...settledAt(FIRE), limits: { memory: 256 }, raisedAt }
    const history = ['a', 'b'].reduce<History>(
      (before, pod) => withKill(before, { pod, at: FIRE + HOUR, limit: 256, count: 1 }, FIRE + HOUR),
      NO_HISTORY,
    )
    assert.equal(one(history, inGit, FIRE + 2 * HOUR), { settled: inGit, heldUntil: FIRE + 11 * DAY })
  })
})

suite('histories', (test) => {
  const kill = (pod: string, at: number, more: Partial<Kill> = {}): Kill => ({ pod, at, limit: 256, count: 1, ...more })
  test('of a fleet that is killed without end keep the newest, and count the others of the hour with them', () => {
    let history: History = NO_HISTORY
    for (let index = 0; index < 1000; index++)
      history = withKill(history, kill(`p${index % 10}`, FIRE + index), FIRE + index)
    assert.is(history.kills.length, 500)
    assert.is(
      history.kills.reduce((sum, { count }) => sum + count, 0),
      1000,
    )
    for (let index = 0; index < 600; index++)
      history = withKill(history, kill(`q${index}`, FIRE + DAY + index), FIRE + DAY)
    assert.is(history.kills.length, 500)
    assert.is(
      history.kills.every(({ count }) => count === 1),
      true,
    )
  })
  test('a kill that is older than the newest of its pod was seen', () => {
    const history = withKill(withKill(NO_HISTORY, kill('a', FIRE), FIRE), kill('a', FIRE - HOUR), FIRE)
    assert.is(history.kills.length, 1)
  })
  test('kept and since are one: days of both, hours of one day, kills once', () => {
    const hour = { used: { cpu: 1, memory: 1 }, medianMemory: 1, peakMemory: 1, shareAtLimit: 0, pods: 1 }
    const kept = withKill(withHour(daysOf([[1, 1]]), hour, FIRE), kill('a', FIRE), FIRE)
    const since = withKill(withHour(NO_HISTORY, hour, FIRE + HOUR), kill('a', FIRE), FIRE)
    const joined = mergeHistories(kept, since)
    assert.equal([joined.days.length, joined.today.hours.length, joined.kills.length], [1, 2, 1])
    assert.is(mergeHistories(kept, NO_HISTORY), kept)
    const next = mergeHistories(kept, withHour(NO_HISTORY, hour, FIRE + DAY))
    assert.equal([next.days.length, next.today.date, next.today.hours.length], [1, '2026-11-18', 1])
  })
  test('of ages and evidence are read as they were written', () => {
    const key = { policy: 'n/p', container: 'c', group: 'g' }
    const history = { ...frozen(daysOf([[63, 71]])), ages: { firstDay: 70, weekOld: 120 } }
    assert.equal(readHistories(historiesText([[key, history]])), [[key, history]])
  })
  test('the use by age is of pods of one to 24 hours, and of seven days', () => {
    const of = (age: number, memory: number) => ({ samples: 60, memory, age })
    assert.equal(withAges(undefined, [of(0, 900), of(HOUR, 70), of(DAY, 80), of(7 * DAY, 120)]), {
      firstDay: 70,
      weekOld: 120,
    })
    assert.equal(withAges({ firstDay: 60 }, [of(8 * DAY, 130)]), { firstDay: 60, weekOld: 130 })
    assert.equal(withAges({ weekOld: 60 }, [{ samples: 60, memory: 5 }]), { weekOld: 60 })
    assert.equal(growthIn({ firstDay: 70, weekOld: 105 }), { firstDay: 70, weekOld: 105 })
    for (const ages of [{ firstDay: 70, weekOld: 104 }, { firstDay: 70 }, { weekOld: 104 }, {}])
      assert.is(growthIn(ages), undefined)
  })
})
