import { KubeError } from './error.ts'

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

const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/**
 * Micro has two signs, U+00B5 and U+03BC. They are escaped because V8 stores a source with any non-Latin-1 character in
 * two bytes a character.
 */
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y
const INT64_MAX = (1n << 63n) - 1n

/**
 * Parses a Go duration (`time.ParseDuration`) such as `5m`, `1h30m` or `-1.5s` into nanoseconds. Throws `KubeError` on
 * anything else: a missing unit, or a value beyond 64 bits.
 */
export function parseDuration(text: string): bigint {
  const sign = text.startsWith('-') ? -1n : 1n
  const body = /^[+-]/.test(text) ? text.slice(1) : text
  if (body === '0') return 0n
  if (body === '' || body.length > 1024) throw malformed(text)
  let total = 0n
  PART.lastIndex = 0
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body)
    if (match === null) throw malformed(text)
    const [, whole = '', fraction = '', unit = ''] = match
    if (whole === '' && fraction === '') throw malformed(text)
    const size = UNITS[unit] ?? 0n
    total += BigInt(whole || '0') * size + fractionOf(fraction, size)
  }
  if (total > (sign < 0n ? INT64_MAX + 1n : INT64_MAX)) throw malformed(text)
  return sign * total
}

/** Formats nanoseconds as Go prints a duration (`Duration.String`): `24h0m0s`, `1m30s`, `1.5s`, `300ms`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const second = UNITS.s ?? 1n
  if (size < second) {
    const [unit, scale] = size < 1_000n ? ['ns', 1n] : size < 1_000_000n ? ['µs', 1_000n] : ['ms', 1_000_000n]
    return `${sign}${decimalText(size, scale as bigint)}${unit}`
  }
  const minutes = size / (60n * second)
  const seconds = `${decimalText(size % (60n * second), second)}s`
  const hours = minutes / 60n
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes > 0n ? `${minutes % 60n}m` : ''}${seconds}`
}

function decimalText(size: bigint, scale: bigint): string {
  const fraction = String(size % scale).padStart(String(scale).length - 1, '0')
  const digits = scale === 1n ? '' : fraction.replace(/0+$/, '')
  return `${size / scale}${digits === '' ? '' : `.${digits}`}`
}

/** Go multiplies the fraction as a float and drops digits beyond 63 bits. This returns the same nanosecond. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n
  let scale = 1
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit)
    if (next > INT64_MAX) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

function malformed(text: string): KubeError {
  return new KubeError(
    'DurationFormat',
    text,
    `"${text.slice(0, 60)}" is not a duration: write numbers with units, such as 300ms, 5m or 1h30m`,
  )
}
