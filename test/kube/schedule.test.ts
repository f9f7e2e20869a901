/** Schedules as CronJobs read them; rows with a zone are from its changes of clocks. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { KubeError, Schedule } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const NEXT: Array<[expr: string, zone: string, after: string, want: string | undefined]> = [
  ['* * * * *', 'UTC', '2026-11-20T12:00:00Z', '2026-11-20T12:01:00Z'],
  ['0 9 * * *', 'UTC', '2026-11-20T09:00:00Z', '2026-11-21T09:00:00Z'],
  ['*/15 * * * *', 'UTC', '2026-11-20T12:46:30Z', '2026-11-20T13:00:00Z'],
  ['5/15 * * * *', 'UTC', '2026-11-20T12:00:00Z', '2026-11-20T12:05:00Z'],
  ['0 0 */2 * *', 'UTC', '2026-11-20T12:00:00Z', '2026-11-21T00:00:00Z'],
  ['0 9 * * MON-FRI', 'UTC', '2026-11-20T12:00:00Z', '2026-11-23T09:00:00Z'],
  ['0 0 13 * 5', 'UTC', '2026-11-20T12:00:00Z', '2026-11-27T00:00:00Z'],
  ['0 0 13 * *', 'UTC', '2026-11-20T12:00:00Z', '2026-12-13T00:00:00Z'],
  ['0 0 29 2 *', 'UTC', '2026-11-20T12:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 30 2 *', 'UTC', '2026-11-20T12:00:00Z', undefined],
  ['@daily', 'UTC', '2026-11-20T12:00:00Z', '2026-11-21T00:00:00Z'],
  ['@weekly', 'UTC', '2026-11-20T12:00:00Z', '2026-11-22T00:00:00Z'],
  ['0 9 * * *', 'Asia/Kolkata', '2026-11-20T00:00:00Z', '2026-11-20T03:30:00Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
  ['0 0 * * *', 'America/New_York', '2026-11-01T03:00:00Z', '2026-11-01T04:00:00Z'],
]

const REFUSED = [
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 7',
  '*/0 * * * *',
  '5-1 * * * *',
  '1-2-3 * * * *',
  '*/2/3 * * * *',
  'a * * * *',
  '@every 1h',
  '@reboot',
  'TZ=UTC * * * * *',
  ', * * * *',
  '-1 * * * *',
]

suite('Schedule', (test) => {
  test('@every is refused with its reason', () => {
    for (const text of ['@every 1h', ' @every 1h30m']) assert.throws(() => Schedule.parse(text), /has no fixed times/)
    assert.throws(() => Schedule.parse('@reboot'), /five fields/)
  })

  for (const [expr, zone, after, want] of NEXT) {
    test(`${expr} in ${zone} after ${after}`, () => {
      const next = Schedule.parse(expr, zone).next(new Date(after))
      assert.is(next?.toISOString().replace('.000', ''), want)
    })
  }
  for (const text of REFUSED) {
    test(`"${text}" is refused`, () =>
      assert.throws(
        () => Schedule.parse(text),
        (error: unknown) => error instanceof KubeError && error.code === 'ScheduleFormat',
      ))
  }
  test('an unknown time zone is refused', () =>
    assert.throws(
      () => Schedule.parse('* * * * *', 'Mars/Olympus'),
      (error: unknown) => error instanceof KubeError && error.code === 'TimeZone',
    ))
  test('a fire time is its own previous one, and none lies between two', () => {
    const expr = fc.constantFrom('0 * * * *', '*/7 3 * * *', '30 2 * * 0', '0 0 1 */3 *', '15 1,2 * * *')
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe')
    const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }).map((time) => new Date(time))
    fc.assert(
      fc.property(expr, zone, moment, (text, name, at) => {
        const schedule = Schedule.parse(text, name)
        const next = schedule.next(at)
        const before = schedule.previous(at)
        assert.ok(next !== undefined && before !== undefined && next > at && before <= at)
        assert.equal(schedule.previous(next), next)
        assert.equal(schedule.previous(new Date(next.getTime() - 1)), before)
        assert.equal(schedule.next(before), next)
      }),
      { numRuns: 300 },
    )
  })
})
