import type { Finding, Subject } from '../../../krm/finding/index.ts'
import { isOvercommitAllowed, isQualifiedName, Quantity } from '../../../kube/index.ts'
import { invalid, problemOf } from './problem.ts'

interface Resources {
  requests?: Record<string, string | number>
  limits?: Record<string, string | number>
  claims?: unknown
}

const AT = 'spec.template.spec.resources'
const ZERO = Quantity.parse(0)
const NANO = 1_000_000_000n

type Amount = string | number

/**
 * Checks resources that would make a guardian pod invalid or reserve nothing (research: korder section 3.2, number 28).
 */
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
        findings.push(invalid(subject, path, `is ${amount}, but must not be negative`, amount))
    }
  }
  if (findings.length > 0) return findings
  const names = [...new Set([...Object.keys(requests), ...Object.keys(limits)])]
  for (const name of names)
    findings.push(...checkAmount(subject, name, amountOf(requests, name), amountOf(limits, name)))
  const reserved = [...Object.values(requests), ...Object.values(limits)]
  const isBare =
    names.some((name) => name.startsWith('hugepages-')) && !names.some((name) => ['cpu', 'memory'].includes(name))
  if (isBare) findings.push(invalid(subject, AT, 'has hugepages without cpu or memory'))
  if (!reserved.some((amount) => Quantity.parse(amount).compare(ZERO) > 0))
    findings.push(
      invalid(subject, AT, 'reserves nothing: set requests, or remove resources to reserve 100m cpu and 128Mi memory'),
    )
  return findings
}

/** Matches the names of native resources; all others, such as those of devices, need a prefix. */
const NATIVE = /^(cpu|memory|ephemeral-storage|hugepages-[A-Za-z0-9]+)$/

function checkAmount(
  subject: Subject,
  name: string,
  request: Amount | undefined,
  limit: Amount | undefined,
): Finding[] {
  const path = `${AT}.${request === undefined ? 'limits' : 'requests'}.${name}`
  if (!NATIVE.test(name) && !(name.includes('/') && isQualifiedName(name)))
    return [
      invalid(subject, path, 'is not a resource name: use cpu, memory, ephemeral-storage, or a name with a prefix'),
    ]
  const isExact = !isOvercommitAllowed(name)
  const [wanted, most] = [request, limit].map((amount) => (amount === undefined ? undefined : Quantity.parse(amount)))
  if (isExact && [wanted, most].some((amount) => amount !== undefined && amount.nanoValue() % NANO !== 0n))
    return [invalid(subject, path, `is ${request ?? limit}, but must be an integer`, request ?? limit)]
  if (isExact && wanted !== undefined && (most === undefined || wanted.compare(most) !== 0))
    return [invalid(subject, path, `is ${request}, but must equal the limit of this resource`, request)]
  const isAbove = wanted !== undefined && most !== undefined && wanted.compare(most) > 0
  return isAbove ? [invalid(subject, path, `is ${request}, above its limit ${limit}`, request)] : []
}

function amountOf(amounts: Record<string, Amount>, name: string): Amount | undefined {
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined
}
