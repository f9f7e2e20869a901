/** Measurements of containers, and the history that is kept of a series. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  atFire,
  Containers,
  type History,
  type Hour,
  historiesText,
  type Kill,
  NO_HISTORY,
  readHistories,
  withHour,
  withKill,
} from '../../../src/facts/usage/index.ts'
import { suite } from '../../support/suite.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const AT = Date.UTC(2026, 10, 17)

suite('the measurements of an hour', (test) => {
  const added = (...all: Parameters<Containers['add']>[0][]) => {
    const containers = new Containers()
    return { containers, counted: all.map((one) => containers.add(one)) }
  }
  test('the mean of CPU and the largest memory of each pod', () => {
    const { containers } = added(
      { pod: 'a', at: 1, cpu: 10, memory: 70 },
      { pod: 'b', at: 1, cpu: 50, memory: 20, limitCPU: 100 },
      { pod: 'a', at: 2, cpu: 20, memory: 60 },
    )
    assert.equal(containers.endHour(), [
      { samples: 2, cpu: 15, memory: 70 },
      { samples: 1, cpu: 50, memory: 20, limitCPU: 100 },
    ])
  })
  test('a measurement counts once, an older one never, across hours too', () => {
    const { containers, counted } = added(
      { pod: 'a', at: 5, memory: 1 },
      { pod: 'a', at: 5, memory: 9 },
      { pod: 'a', at: 4, memory: 9 },
    )
    assert.equal(counted, [true, false, false])
    containers.endHour()
    assert.not(containers.add({ pod: 'a', at: 5, memory: 9 }))
    assert.equal(containers.endHour(), [])
  })
  test('no memory is no measurement', () => {
    const { containers, counted } = added({ pod: 'a', at: 1, cpu: 5 }, { pod: 'a', at: 2, cpu: 5, memory: 0 })
    assert.equal(counted, [false, false])
    assert.equal(containers.endHour(), [])
  })
  test("CPU of a container's first five minutes does not count, memory does", () => {
    const startedAt = AT
    const { containers } = added(
      { pod: 'a', at: AT + 5 * MINUTE - 1, startedAt, cpu: 900, memory: 300 },
      { pod: 'a', at: AT + 5 * MINUTE, startedAt, cpu: 10, memory: 70 },
      { pod: 'b', at: AT + 1, startedAt, cpu: 900, memory: 50 },
    )
    assert.equal(containers.endHour(), [
      { samples: 2, cpu: 10, memory: 300, age: 5 * MINUTE },
      { samples: 1, memory: 50, age: 1 },
    ])
  })
})

const hour = (memory: number): Hour => ({
  used: { cpu: memory, memory },
  medianMemory: memory,
  peakMemory: memory,
  shareAtLimit: 0,
  pods: 1,
})
/** A history of whole days, the newest last, that ends at a moment. */
const daysOf = (memories: readonly number[], end = AT, start = NO_HISTORY) =>
  memories.reduce((history, memory, index) => {
    const first = end - (memories.length - index) * DAY
    return Array.from({ length: 24 }).reduce<History>(
      (one, _, at) => withHour(one, hour(memory), first + (at + 1) * HOUR),
      history,
    )
  }, start)
const datesOf = ({ days }: History) => days.map(({ date }) => date)

suite('the history of a series', (test) => {
  test('a day ends with its last hour', () => {
    const history = daysOf([7])
    assert.equal(datesOf(history), ['2026-11-16'])
    assert.equal(history.today, { date: '2026-11-17', hours: [] })
  })
  test('or with the first hour of a later day', () => {
    let history: History = NO_HISTORY
    for (let at = 0; at < 13; at++) history = withHour(history, hour(5), AT + (at + 1) * HOUR)
    history = withHour(history, hour(9), AT + 2 * DAY + HOUR)
    assert.equal(datesOf(history), ['2026-11-17'])
    assert.equal(history.today, { date: '2026-11-19', hours: [hour(9)] })
  })
  test('hours that are missing are missing: eleven are no day', () => {
    let history: History = NO_HISTORY
    for (let at = 0; at < 24; at++)
      history = withHour(history, at % 2 === 0 || at > 21 ? undefined : hour(5), AT + (at + 1) * HOUR)
    assert.equal(datesOf(history), [])
  })
  test('fourteen days are kept', () => {
    const history = daysOf(Array.from({ length: 20 }, (_, index) => index + 1))
    assert.is(history.days.length, 14)
    assert.is(history.days[0]?.date, '2026-11-03')
  })
  test('a clock that went back adds nothing', () => {
    const history = daysOf([7])
    assert.is(withHour(history, hour(900), AT - 5 * DAY), history)
    const twice = daysOf([900], AT, history)
    assert.equal(datesOf(twice), ['2026-11-16'])
    assert.is(twice.days[0]?.peakMemory, 7)
  })
  test('kills in the order of time, however they are found', () => {
    const [late, early] = [
      { pod: 'a', at: AT, count: 1 },
      { pod: 'b', at: AT - 1, count: 1 },
    ]
    assert.equal(withKill(withKill(NO_HISTORY, late, AT), early, AT).kills, [early, late])
  })
  test('a kill counts once, and for fourteen days', () => {
    const kill = { pod: 'a', at: AT, limit: 256, count: 1 }
    const history = withKill(withKill(NO_HISTORY, kill, AT), kill, AT)
    assert.equal(history.kills, [kill])
    const other = { ...kill, at: AT + 14 * DAY }
    assert.equal(withKill(history, other, AT + 14 * DAY).kills, [other])
  })
})

suite('what was known when the schedule fired', (test) => {
  const inForce = { limits: { memory: 256 }, hasHeapByLimit: false }
  const fire = AT + 9 * HOUR
  test('stays, whatever is seen after it', () => {
    const [last, next] = [fire, fire + 1].map((at) => ({ pod: String(at), at, count: 1 })) as [Kill, Kill]
    const history = withKill(withKill(daysOf(Array(8).fill(70)), last, fire), next, fire + 1)
    const fired = atFire(history, fire, inForce)
    assert.is(fired.regular?.evidence.seen?.days, 8)
    assert.equal(fired.regular?.evidence.kills, [last])
    const later = daysOf([900], AT + 3 * DAY, fired)
    assert.is(atFire(later, fire, { limits: {}, hasHeapByLimit: true }), later)
    assert.equal(later.regular, fired.regular)
    assert.is(atFire(later, fire + 7 * DAY, inForce).regular?.evidence.seen?.peakMemory, 900)
  })
  test('nothing seen is nothing known', () => {
    assert.equal(atFire(NO_HISTORY, fire, inForce).regular, { at: fire, evidence: { kills: [], inForce } })
  })
})

suite('histories as text', (test) => {
  const key = { policy: 'logging/fluent-bit', container: 'fluent-bit', group: 'value:m5.large' }
  const kill = { pod: 'a', at: AT, limit: 256, count: 2 }
  const full = atFire(
    withHour(withKill(withKill(daysOf([1, 2, 3]), kill, AT), { pod: 'b', at: AT, count: 1 }, AT), hour(4), AT + HOUR),
    AT,
    { limits: { cpu: 500 }, hasHeapByLimit: true },
  )
  const histories = [
    [key, full],
    [{ ...key, group: '__proto__' }, NO_HISTORY],
  ] as const
  test('read back as they were', () => assert.equal(readHistories(historiesText(histories)), histories))
  const text = historiesText(histories)
  const damaged: ReadonlyArray<readonly [string, string]> = [
    ['nothing', ''],
    ['cut', text.slice(0, -10)],
    ['another version', text.replace('"version":1', '"version":2')],
    ['no list', '{"version":1,"series":{}}'],
    ['null', 'null'],
    ['a series that is none', '{"version":1,"series":[null]}'],
    ['an amount that is a text', text.replace('"limit":256', '"limit":"256"')],
    ['an amount below zero', text.replace('"limit":256', '"limit":-256')],
    ['an amount beyond numbers', text.replace('"limit":256', '"limit":1e999')],
    ['a limit of half a byte', text.replace('"limit":256', '"limit":256.5')],
    ['a kill beyond all times', text.replace(/"at":\d+/, '"at":1e300')],
    ['a day that is no date', text.replace(/"days":\[\["[^"]+"/, '"days":[["x"')],
    ['a pod that is a number', text.replace('"pod":"a"', '"pod":1')],
    ['hours that are no list', text.replace('"hours":[[', '"hours":[1,[')],
    ['no limits', text.replace('"limits":{"cpu":500}', '"limits":null')],
    ['a heap of 1', text.replace('"hasHeapByLimit":true', '"hasHeapByLimit":1')],
  ]
  for (const [name, broken] of damaged)
    test(`damaged: ${name}`, () => {
      assert.not.equal(broken, text)
      assert.is(readHistories(broken), undefined)
    })
  test('any damage is refused or read, never thrown', () =>
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), (at, more) => {
        readHistories(text.slice(0, at) + more + text.slice(at + 1))
      }),
      { numRuns: 500 },
    ))
})
