import { KubeError } from './error.ts'

/** The values that each field of a schedule allows, and how the two day fields combine. */
export interface ScheduleFields {
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
export function parseScheduleFields(text: string): ScheduleFields {
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
