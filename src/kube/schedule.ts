import { KubeError } from './error.ts'
import { parseScheduleFields, type ScheduleFields } from './schedule-fields.ts'
import { isTimeZone, localDay, toInstants } from './time.ts'

const DAY = 86_400_000
const YEARS = 5

/**
 * Fires at every minute whose clock reading in the time zone matches. As with CronJobs, an hour that daylight saving
 * skips does not fire, and one that it repeats fires twice.
 */
export class Schedule {
  readonly #fields: ScheduleFields
  readonly #timeZone: string

  private constructor(fields: ScheduleFields, timeZone: string) {
    this.#fields = fields
    this.#timeZone = timeZone
  }

  /** Parses a cron expression of five fields or a macro; the time zone is an IANA name. Throws `KubeError`. */
  static parse(expr: string, timeZone = 'UTC'): Schedule {
    if (!isTimeZone(timeZone))
      throw new KubeError(
        'TimeZone',
        timeZone,
        `"${timeZone}" is not a time zone: use an IANA name such as Europe/Berlin`,
      )
    return new Schedule(parseScheduleFields(expr), timeZone)
  }

  /** Returns the first fire time after a moment; undefined if there is none within five years. */
  next(after: Date): Date | undefined {
    return this.#search(after, 1, (instants) => instants.filter((instant) => instant > after.getTime()), Math.min)
  }

  /** Returns the last fire time at or before a moment; undefined if there is none within five years. */
  previous(atOrBefore: Date): Date | undefined {
    return this.#search(
      atOrBefore,
      -1,
      (instants) => instants.filter((instant) => instant <= atOrBefore.getTime()),
      Math.max,
    )
  }

  /** Searches day by local day. It also searches the day after a match, since clocks may be set back over midnight. */
  #search(
    from: Date,
    step: 1 | -1,
    within: (instants: number[]) => number[],
    choose: (...values: number[]) => number,
  ): Date | undefined {
    const start = localDay(from.getTime(), this.#timeZone)
    const limit = Math.ceil(YEARS * 365.25)
    for (let day = -1; day <= limit; day++) {
      const here = start + step * day * DAY
      const found = within(this.#firesOn(here))
      if (found.length === 0) continue
      return new Date(choose(...found, ...within(this.#firesOn(here + step * DAY))))
    }
    return undefined
  }

  /** Returns the instants at which the schedule fires on a local day. `day` is that day's midnight, taken as UTC. */
  #firesOn(day: number): number[] {
    const date = new Date(day)
    const { months, daysOfMonth, daysOfWeek, bothDays, hours, minutes } = this.#fields
    if (!months.has(date.getUTCMonth() + 1)) return []
    const ofMonth = daysOfMonth.has(date.getUTCDate())
    const ofWeek = daysOfWeek.has(date.getUTCDay())
    if (bothDays ? !(ofMonth && ofWeek) : !(ofMonth || ofWeek)) return []
    const readings = [...hours].flatMap((hour) => [...minutes].map((minute) => day + (hour * 60 + minute) * 60_000))
    return toInstants(readings, day, this.#timeZone)
  }
}
