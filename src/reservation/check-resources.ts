import type { Finding, Subject } from '../finding/index.ts'
import { Quantity } from '../kube/index.ts'
import { invalid, problemOf } from './problem.ts'

interface Resources {
  requests?: Record<string, string | number>
  limits?: Record<string, string | number>
  claims?: unknown
}

const AT = 'spec.template.spec.resources'
const ZERO = Quantity.parse(0)

/** What a guardian pod could not be made of, and what would reserve nothing (research: korder section 3.2, number 28). */
export function checkResources(subject: Subject, resources: Resources | undefined): Finding[] {
  if (resources === undefined) return []
  const { requests = {}, limits = {}, claims } = resources
  const findings: Finding[] = []
  if (claims !== undefined)
    findings.push(invalid(subject, `${AT}.claims`, 'refers to resource claims that a guardian pod does not have'))
  for (const [side, amounts] of Object.entries({ requests, limits })) {
    for (const [name, amount] of Object.entries(amounts)) {
      const path = `${AT}.${side}.${name}`
      const problem = problemOf(() => Quantity.parse(amount))
      if (problem !== undefined) findings.push(invalid(subject, path, `: ${problem}`, amount))
      else if (Quantity.parse(amount).compare(ZERO) < 0)
        findings.push(invalid(subject, path, `is ${amount}, below zero`, amount))
    }
  }
  if (findings.length > 0) return findings
  for (const [name, amount] of Object.entries(requests)) findings.push(...compare(subject, name, amount, limits[name]))
  const reserved = [...Object.values(requests), ...Object.values(limits)]
  if (!reserved.some((amount) => Quantity.parse(amount).compare(ZERO) > 0))
    findings.push(invalid(subject, AT, 'reserves nothing: give requests, or leave resources out for 100m and 128Mi'))
  return findings
}

function compare(
  subject: Subject,
  name: string,
  amount: string | number,
  limit: string | number | undefined,
): Finding[] {
  const path = `${AT}.requests.${name}`
  if (name.includes('/') && !name.startsWith('kubernetes.io/') && !name.startsWith('hugepages-')) {
    const isEqual = limit !== undefined && Quantity.parse(amount).compare(Quantity.parse(limit)) === 0
    return isEqual
      ? []
      : [invalid(subject, path, `is ${amount}, but an extended resource needs an equal limit`, amount)]
  }
  const isAbove = limit !== undefined && Quantity.parse(amount).compare(Quantity.parse(limit)) > 0
  return isAbove ? [invalid(subject, path, `is ${amount}, above its limit ${limit}`, amount)] : []
}
