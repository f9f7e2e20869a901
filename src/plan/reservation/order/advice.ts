/** Findings about an Order that do not depend on its Tickets. */
import type { Finding } from '../../../krm/finding.ts'
import { formatDuration, isLabelValue } from '../../../kube/index.ts'
import { finding } from '../codes.ts'
import type { OrderSettings } from './read-order.ts'

const MILLION = 1_000_000n

/**
 * Reports a schedule that never fires, that korder reads differently, or whose Tickets end before the next fire time;
 * and a missing time of the run. Tickets that are renewed at their end leave no gap.
 */
export function clockFindings(
  { schedule, strategy, subject, name, duration }: OrderSettings,
  now: Date | undefined,
  isRenewed: boolean,
): Finding[] {
  if (schedule === undefined) return []
  const place = { subject, field: { path: 'spec.strategy.schedule', currentValue: schedule.text } }
  if (now === undefined)
    return [
      finding(
        'NoTime',
        `${name}: strategy ${strategy} with schedule "${schedule.text}" needs the time of the run`,
        place,
      ),
    ]
  const last = schedule.parsed.previous(now)
  const next = schedule.parsed.next(now)
  if (last === undefined && next === undefined)
    return [finding('ScheduleNeverFires', `${name}: schedule "${schedule.text}" never fires`, place)]
  const after = next === undefined ? undefined : schedule.parsed.next(next)
  const findings = differences(schedule.text).map((what) =>
    finding('ScheduleDiffers', `${name}: korder reads schedule "${schedule.text}" differently: ${what}`, place),
  )
  if (isRenewed || strategy !== 'Recurring' || next === undefined || after === undefined) return findings
  const period = BigInt(after.getTime() - next.getTime()) * MILLION
  if (duration >= period) return findings
  const sentence = `${name}: Tickets last ${formatDuration(duration)}, but schedule "${schedule.text}" fires every ${formatDuration(period)}`
  return [...findings, finding('DurationBelowPeriod', sentence, place)]
}

/** Returns how korder's schedule parser differs for this text, in words (research: korder section 2.4). */
function differences(text: string): string[] {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== 5) return ['it supports no macros']
  const [, , day = '', month = '', weekday = ''] = fields
  const found: string[] = []
  if (fields.some((field) => /[a-z?]/i.test(field))) found.push('it supports neither names nor ?')
  if (fields.some((field) => /[0-9]\/|,.*-|-.*,|\*\/.*,|,\*/.test(field)))
    found.push('it supports neither steps of ranges nor lists of ranges')
  if (/^\*\/(?!1$)/.test(day) || /^\*\/(?!1$)/.test(month)) found.push('it counts steps of days and months from 0')
  if (!/^[*?]/.test(day) && !/^[*?]/.test(weekday)) found.push('it requires both day fields to match')
  if (/(^|[,-])7/.test(weekday)) found.push('it writes Sunday as 0')
  return found
}

/** Warns about fields of an Order that korder ignores or that let its guardian pods be evicted. */
export function habitFindings({ subject, name, startTime, pod }: OrderSettings): Finding[] {
  const findings: Finding[] = []
  if (startTime !== undefined)
    findings.push(
      finding('StartTimeIgnored', `${name}: startTime is ${startTime}`, {
        subject,
        field: { path: 'spec.template.spec' },
      }),
    )
  const seconds = (pod.tolerations ?? []).findIndex(({ tolerationSeconds }) => tolerationSeconds !== undefined)
  if (seconds >= 0) {
    const field = { path: `spec.template.spec.tolerations.${seconds}.tolerationSeconds` }
    findings.push(finding('GuardianEvicted', `${name}: ${field.path} is set`, { subject, field }))
  }
  return findings
}

/** Warns about an Order name that cannot be a label value of its Tickets. */
export function orderNameFindings({ subject, name }: OrderSettings): Finding[] {
  if (isLabelValue(name)) return []
  return [
    finding('OrderNameTooLong', `${name} is not a valid label value`, { subject, field: { path: 'metadata.name' } }),
  ]
}
