import type { Finding, Subject } from '../krm/finding/index.ts'
import { type Bounds, type BoundsText, boundFindings, type PercentageName, readBounds } from './bounds.ts'
import { finding } from './codes.ts'
import { decimal, type Fraction } from './fraction.ts'
import { readUsageRule, type UsageRule, type UsageText } from './usage-rule.ts'

/**
 * The percentages and bounds that size a group, and how usage does. A percentage of null leaves that request or limit
 * unset; one that a policy with usage does not state leaves what the template has.
 */
export interface Rule {
  readonly percentages: Readonly<Record<PercentageName, Fraction | null | 'template'>>
  readonly min: Bounds
  readonly max: Bounds
  readonly usage?: UsageRule
}

/** A rule as written in a policy. The only text that is a percentage is `UNSET`. */
export interface RuleText {
  resourcePercentages?: Partial<Record<PercentageName, number | string | null>>
  minResources?: BoundsText
  maxResources?: BoundsText
  usage?: UsageText
}

/** What sizes are without usage: percentages and bounds, each of them given. */
export type SizesText = Required<Omit<RuleText, 'usage'>>

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
  const usage = texts.flatMap((text) => text.usage ?? [])
  return usage.length === 0 ? merged : { ...merged, usage: Object.assign({}, ...usage) }
}

/**
 * Reads a rule. A percentage that is not set counts as unset, with usage as the template's; a bound that is not set
 * does not bound. Values out of range and contradictions are findings at their fields below `path`.
 */
export function readRule(text: RuleText, subject: Subject, path: string): { rule?: Rule; findings: Finding[] } {
  const findings: Finding[] = []
  const percentages = {} as Record<PercentageName, Rule['percentages'][PercentageName]>
  for (const name of PERCENTAGES) {
    const value = text.resourcePercentages?.[name]
    const place = { subject, field: { path: `${path}.resourcePercentages.${name}`, currentValue: value } }
    if (value === undefined) percentages[name] = text.usage === undefined ? null : 'template'
    else if (value === null) percentages[name] = null
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
  if (findings.length > 0) return { findings }
  const usage = text.usage && readUsageRule(text.usage)
  return { rule: { percentages, min, max, ...(usage && { usage }) }, findings }
}
