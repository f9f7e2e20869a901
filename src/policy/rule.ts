import type { Finding, Subject } from '../finding/index.ts'
import { type Bounds, type BoundsText, boundFindings, type PercentageName, readBounds } from './bounds.ts'
import { finding } from './codes.ts'

/** The percentages and bounds that size a group. A percentage of null leaves that request or limit unset. */
export interface Rule {
  readonly percentages: Readonly<Record<PercentageName, Fraction | null>>
  readonly min: Bounds
  readonly max: Bounds
}

/** A rule as written in a policy. The only text that is a percentage is `UNSET`. */
export interface RuleText {
  resourcePercentages?: Partial<Record<PercentageName, number | string | null>>
  minResources?: BoundsText
  maxResources?: BoundsText
}

/**
 * The percentage that leaves a request or limit unset, as null does. A null is lost where files are merged: a three-way
 * merge takes it for an absent key, and a merge patch deletes the key, so that the percentage would be missing.
 */
export const UNSET = 'none'

/** The percentages of a rule, in the order in which policies write them. */
export const PERCENTAGES: readonly PercentageName[] = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory']

/** Merges rules value by value; later ones override earlier ones. Percentages that are `UNSET` become null. */
export function mergeRules(texts: readonly RuleText[]): RuleText {
  const merged = { resourcePercentages: {}, minResources: {}, maxResources: {} }
  for (const text of texts) {
    const percentages = Object.entries(text.resourcePercentages ?? {}).map(([name, value]) => {
      return [name, value === UNSET ? null : value] as const
    })
    Object.assign(merged.resourcePercentages, Object.fromEntries(percentages))
    Object.assign(merged.minResources, text.minResources)
    Object.assign(merged.maxResources, text.maxResources)
  }
  return merged
}

/**
 * Reads a rule; a percentage that is not set counts as unset, a bound that is not set does not bound. Values out of
 * range and contradictions are findings at their fields below `path`.
 */
export function readRule(text: RuleText, subject: Subject, path: string): { rule?: Rule; findings: Finding[] } {
  const findings: Finding[] = []
  const percentages = {} as Record<PercentageName, Fraction | null>
  for (const name of PERCENTAGES) {
    const value = text.resourcePercentages?.[name]
    const place = { subject, field: { path: `${path}.resourcePercentages.${name}`, currentValue: value } }
    if (value === null || value === undefined) percentages[name] = null
    else if (typeof value === 'number' && value > 0 && value <= 100) percentages[name] = decimal(value)
    else
      findings.push(
        finding(
          'PercentageOutOfRange',
          `${subject.metadata.name}: ${name} is ${value}, not above 0 and at most 100`,
          place,
        ),
      )
  }
  const { bounds: min, findings: minFindings } = readBounds(text.minResources ?? {}, 'minResources', subject, path)
  const { bounds: max, findings: maxFindings } = readBounds(text.maxResources ?? {}, 'maxResources', subject, path)
  findings.push(...minFindings, ...maxFindings)
  if (findings.length > 0) return { findings }
  for (const suffix of ['CPU', 'Memory'] as const) {
    const request = text.resourcePercentages?.[`request${suffix}`]
    const limit = text.resourcePercentages?.[`limit${suffix}`]
    if (typeof request !== 'number' || typeof limit !== 'number' || request <= limit) continue
    const field = {
      path: `${path}.resourcePercentages.request${suffix}`,
      currentValue: request,
      proposedValue: limit,
    }
    const sentence = `${subject.metadata.name}: request${suffix} ${request} is above limit${suffix} ${limit}`
    findings.push(finding('RequestAboveLimit', sentence, { subject, field }))
  }
  findings.push(...boundFindings(text, { min, max }, (name) => percentages[name] !== null, subject, path))
  return findings.length > 0 ? { findings } : { rule: { percentages, min, max }, findings }
}

/** An exact ratio. A float percentage would lose a megabyte here and there. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** Returns the decimal notation of a number as an exact fraction: 2.5 is 25/10. */
export function decimal(value: number): Fraction {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(String(value))
  if (match === null) throw new RangeError(`${value} is not a finite decimal`)
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match
  const places = fraction.length - Number(exponent)
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return places >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(places) }
    : { numerator: digits * 10n ** BigInt(-places), denominator: 1n }
}

/** Returns amount x fraction / divisor, rounded down. Neither operand is negative. */
export function timesRoundedDown(amount: bigint, { numerator, denominator }: Fraction, divisor = 1n): bigint {
  return (amount * numerator) / (denominator * divisor)
}
