import { type Finding, isError } from './finding/index.ts'
import type { RenderOptions } from './policy/index.ts'
import { isAllowed } from './world/index.ts'

/**
 * Applies the options of a run to what it has to say, once and last: what is allowed only warns, other severities are as asked
 * for, off is left out, and failOn raises warnings.
 */
export function judge(findings: readonly Finding[], options: RenderOptions): Finding[] {
  return findings.flatMap((one) => {
    if (isError(one)) return isAllowed(options, one.code) ? [{ ...one, severity: 'warning' as const }] : [one]
    const severity = options.severity.get(one.code) ?? one.severity
    if (severity === 'off') return []
    return [{ ...one, severity: severity === 'warning' && options.failOn === 'warning' ? 'error' : severity }]
  })
}
