/** Hours of usage while the clock of the controller is wrong. */
import * as assert from 'uvu/assert'
import type { History } from '../../../../src/facts/usage/index.ts'
import { seriesId, UsageSeries } from '../../../../src/host/sync/collect/usage-series.ts'
import { suite } from '../../../support/suite.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 10)
const key = { policy: 'logging/agent', container: 'agent', group: 'value:m5.large' }
const facts = new Map([[seriesId(key), { key, inForce: { limits: { memory: 256 }, hasHeapByLimit: false }, pods: 3 }]])

/** Measures each minute of three days, with a clock that is off for two hours; returns how many hours counted. */
function hoursWith(off: number, { restart = false, kept }: { restart?: boolean; kept?: number } = {}): number {
  let series = new UsageSeries()
  if (kept !== undefined) series.load([], kept)
  let hours = 0
  for (let time = START; time < START + 3 * DAY; time += MINUTE) {
    const isOff = time >= START + 34 * HOUR + 10 * MINUTE && time < START + 36 * HOUR + 20 * MINUTE
    const now = isOff ? time + off : time
    // as the collector does: a measurement more than ten minutes from the clock does not count
    const at = time - 5000
    if (Math.abs(now - at) <= 10 * MINUTE)
      for (const pod of ['a', 'b', 'c']) series.add(key, { pod, at, startedAt: START - DAY, cpu: 60e6, memory: 70 })
    if (series.endHour(now, facts)) hours++
    if (restart && time === START + 36 * HOUR + 30 * MINUTE) {
      const { histories, until } = series.kept()
      series = new UsageSeries()
      series.load(histories, until)
    }
  }
  return hours
}

suite('an hour of usage', (test) => {
  const all = hoursWith(0)
  assert.is(all, 71)
  for (const [name, off, least] of [
    ['three days ahead', 3 * DAY, all - 2],
    ['a year ahead', 365 * DAY, all - 2],
    ['an hour ahead', HOUR, all - 3],
    ['three days behind', -3 * DAY, all - 3],
  ] as const)
    for (const restart of [false, true])
      test(`a clock that is ${name} for two hours costs these alone${restart ? ', with a restart after it' : ''}`, () => {
        const hours = hoursWith(off, { restart })
        assert.ok(hours >= least && hours <= all, `${hours} of ${all}`)
      })
  test('an end that a clock ahead has kept is forgotten by the first hour that is measured', () =>
    assert.is(hoursWith(0, { kept: START + 400 * DAY }), all))
  test('what a clock ahead has kept of the future is forgotten with it, and today goes on', () => {
    const series = new UsageSeries()
    const late = START + 40 * DAY
    const evidence = { kills: [], inForce: { limits: {}, hasHeapByLimit: false } }
    const kill = { pod: 'a', at: late, limit: 256, count: 1 }
    const of = (at: number) => new Date(at).toISOString().slice(0, 10)
    const history = {
      days: [START - DAY, late - DAY].map((at) => ({ date: of(at) })),
      today: { date: of(late), hours: [] },
      kills: [kill, { ...kill, at: START }],
      regular: { at: late, evidence },
      raisedAt: late,
    } as unknown as History
    series.load([[key, history]], late)
    series.endHour(START + HOUR, facts)
    for (let at = START + HOUR; at < START + 2 * HOUR; at += MINUTE)
      for (const pod of ['a', 'b', 'c']) series.add(key, { pod, at, startedAt: START - DAY, cpu: 60e6, memory: 70 })
    assert.ok(series.endHour(START + 2 * HOUR, facts))
    const { days, today, kills, regular, raisedAt } = series.historyOf(seriesId(key))
    assert.equal(
      days.map(({ date }) => date),
      [of(START - DAY)],
    )
    assert.is(today.date, of(START))
    assert.is(today.hours.length, 1)
    assert.equal(
      kills.map(({ at }) => at),
      [START],
    )
    assert.equal([regular, raisedAt], [undefined, undefined])
  })
  test('an hour that another process has kept counts once', () => {
    const series = new UsageSeries()
    series.endHour(START + HOUR, facts)
    series.add(key, { pod: 'a', at: START + HOUR, startedAt: START, cpu: 60e6, memory: 70 })
    series.load([], START + 2 * HOUR)
    assert.not(series.endHour(START + 2 * HOUR + MINUTE, facts))
  })
})
