import { KubeError } from './error.ts'
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

/** The values that each field of a schedule allows, and how the two day fields combine. */
interface ScheduleFields {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** Whether a day must match both day fields, which is so if one of them is `*`; otherwise one is enough. */
  readonly bothDays: boolean
}

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly names?: readonly string[]
}

const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of month', least: 1, most: 31 },
  {
    name: 'month',
    least: 1,
    most: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Why `@every` is refused: a render is at a given time and must know whether the schedule fires then. */
const EVERY =
  '@every has no fixed times, since it counts from when its reader starts: write the times, such as "0 */6 * * *"'

/**
 * Parses a schedule as CronJobs do (`ParseStandard` of robfig/cron): five fields of `*`, `?`, numbers, names, ranges,
 * lists and steps, or a macro such as `@daily`. Refuses `@every` and a time zone inside the text. Throws `KubeError`.
 */
function parseScheduleFields(text: string): ScheduleFields {
  const standard = Object.hasOwn(MACROS, text) ? (MACROS[text] ?? '') : text
  const parts = standard.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== FIELDS.length || text.length > 1024)
    throw malformed(
      text,
      /^@every\b/.test(text.trim()) ? EVERY : 'five fields are needed: minute, hour, day of month, month, day of week',
    )
  const read = parts.map((part, index) => readField(part, FIELDS[index] as Field, text))
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = read.map(({ values }) => values) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  return {
    minutes,
    hours,
    daysOfMonth,
    months,
    daysOfWeek,
    bothDays: read[2]?.isStar === true || read[4]?.isStar === true,
  }
}

function readField(text: string, field: Field, whole: string): { values: Set<number>; isStar: boolean } {
  const values = new Set<number>()
  let isStar = false
  for (const part of text.split(',').filter((piece) => piece !== '')) {
    const { from, to, step, star } = readPart(part, field, whole)
    for (let value = from; value <= to; value += step) values.add(value)
    isStar ||= star
  }
  if (values.size === 0) throw malformed(whole, `${field.name} "${text}" has no value`)
  return { values, isStar }
}

/** `*`, `a` or `a-b`, each with an optional `/step`; `a/step` extends to the end of the field. */
function readPart(
  text: string,
  field: Field,
  whole: string,
): { from: number; to: number; step: number; star: boolean } {
  const [range = '', stepText, ...more] = text.split('/')
  const [low = '', high, ...others] = range.split('-')
  if (more.length > 0 || others.length > 0) throw malformed(whole, `${field.name} "${text}" is not a range`)
  const step = stepText === undefined ? 1 : readNumber(stepText, field, whole)
  if (step === 0) throw malformed(whole, `${field.name} "${text}" has a step of 0`)
  const isStar = low === '*' || low === '?'
  const from = isStar ? field.least : readValue(low, field, whole)
  const end = isStar || (high === undefined && stepText !== undefined) ? field.most : from
  const to = !isStar && high !== undefined ? readValue(high, field, whole) : end
  if (from < field.least || to > field.most || from > to)
    throw malformed(whole, `${field.name} "${text}" is not within ${field.least} to ${field.most}`)
  return { from, to, step, star: isStar && step === 1 }
}

function readValue(text: string, field: Field, whole: string): number {
  const index = field.names?.indexOf(text.toLowerCase()) ?? -1
  return index >= 0 ? index + field.least : readNumber(text, field, whole)
}

function readNumber(text: string, field: Field, whole: string): number {
  if (!/^\+?[0-9]{1,9}$/.test(text)) throw malformed(whole, `${field.name} has "${text}" instead of a number`)
  return Number(text)
}

function malformed(text: string, reason: string): KubeError {
  return new KubeError('ScheduleFormat', text, `"${text.slice(0, 60)}" is not a schedule: ${reason}`)
}
