import { KubeError } from './error.ts'
import { parseScheduleFields, type ScheduleFields } from './schedule-fields.ts'
import { isTimeZone, localDay, toInstants } from './time.ts'

const DAY = 86_400_000
const YEARS = 5

/**
 * When a schedule fires: at every minute whose clock reading in the time zone matches. An hour that summer time skips does
 * not fire, one that it repeats fires twice, as with CronJobs.
 */
export class Schedule {
  readonly #fields: ScheduleFields
  readonly #timeZone: string

  private constructor(fields: ScheduleFields, timeZone: string) {
    this.#fields = fields
    this.#timeZone = timeZone
  }

  /** Reads a cron expression of five fields or a macro; the time zone is an IANA name. Throws `KubeError`. */
  static parse(expr: string, timeZone = 'UTC'): Schedule {
    if (!isTimeZone(timeZone))
      throw new KubeError(
        'TimeZone',
        timeZone,
        `"${timeZone}" is not a time zone: use an IANA name such as Europe/Berlin`,
      )
    return new Schedule(parseScheduleFields(expr), timeZone)
  }

  /** The first fire time after a moment; undefined where there is none in five years. */
  next(after: Date): Date | undefined {
    return this.#search(after, 1, (instants) => instants.filter((instant) => instant > after.getTime()), Math.min)
  }

  /** The last fire time at or before a moment; undefined where there is none in five years. */
  previous(atOrBefore: Date): Date | undefined {
    return this.#search(
      atOrBefore,
      -1,
      (instants) => instants.filter((instant) => instant <= atOrBefore.getTime()),
      Math.max,
    )
  }

  /** Looks at one local day after the other; a day's neighbour is looked at too, since clocks may be set back over midnight. */
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

  /** The instants at which it fires on a local day, given as the day's midnight taken for UTC. */
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
