const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** The days that every month has. */
const SHORTEST_MONTH = 28

/** Whether a text is an RFC 3339 time. JavaScript reads the day after the last of a month as one of the next. */
export function isTime(text: string): boolean {
  if (!RFC_3339.test(text) || Number.isNaN(Date.parse(text))) return false
  const day = Number(text.slice(8, 10))
  return day <= SHORTEST_MONTH || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day
}

/**
 * Formats a time as the API server does (`metav1.Time.MarshalJSON`): in UTC, truncated to seconds. Throws `RangeError`
 * on an invalid time.
 */
export function timeText(time: Date | number | string): string {
  return `${new Date(time).toISOString().slice(0, -'.000Z'.length)}Z`
}

const DAY = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether the name is an IANA time zone. */
export function isTimeZone(name: string): boolean {
  // a format loads the data of all zones, and the default needs none
  if (name === 'UTC') return true
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false
  try {
    format(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the local day of an instant, as that day's midnight taken as UTC. */
export function localDay(instant: number, timeZone: string): number {
  const local = instant + offset(instant, timeZone)
  return local - (((local % DAY) + DAY) % DAY)
}

/**
 * Returns the instants at which the zone's clocks show the readings, which are given as if they were UTC: none for a
 * reading that is skipped, two for one that is repeated.
 */
export function toInstants(readings: readonly number[], day: number, timeZone: string): number[] {
  const before = offset(day - DAY, timeZone)
  const after = offset(day + 2 * DAY, timeZone)
  if (before === after && offset(day, timeZone) === before && offset(day + DAY, timeZone) === before)
    return readings.map((reading) => reading - before)
  const offsets = new Set([before, after, offset(day, timeZone), offset(day + DAY, timeZone)])
  return readings.flatMap((reading) =>
    [...offsets].map((own) => reading - own).filter((instant) => instant + offset(instant, timeZone) === reading),
  )
}

/** Returns how far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offset(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const parts = Object.fromEntries(
    format(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - (instant - (((instant % 1000) + 1000) % 1000))
}

function format(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}
