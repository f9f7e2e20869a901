import type { Finding, Subject } from '../finding/index.ts'
import { type Bounds, type BoundsText, boundFindings, readBounds } from './bounds.ts'
import { finding } from './codes.ts'
import { decimal, type Fraction } from './fraction.ts'
import type { PercentageName } from './resource.ts'

/** By which percentages and bounds a group is sized. A percentage of null leaves that request or limit unset. */
export interface Rule {
  readonly percentages: Readonly<Record<PercentageName, Fraction | null>>
  readonly min: Bounds
  readonly max: Bounds
}

/** A rule as a policy writes it. */
export interface RuleText {
  resourcePercentages?: Partial<Record<PercentageName, number | null>>
  minResources?: BoundsText
  maxResources?: BoundsText
}

const PERCENTAGES: readonly PercentageName[] = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory']

/** Later texts win over earlier ones, value by value. */
export function mergeRules(texts: readonly RuleText[]): RuleText {
  const merged = { resourcePercentages: {}, minResources: {}, maxResources: {} }
  for (const text of texts) {
    Object.assign(merged.resourcePercentages, text.resourcePercentages)
    Object.assign(merged.minResources, text.minResources)
    Object.assign(merged.maxResources, text.maxResources)
  }
  return merged
}

/** Reads a complete rule; what is out of range or contradicts itself is a finding at its field below `path`. */
export function readRule(text: RuleText, subject: Subject, path: string): { rule?: Rule; findings: Finding[] } {
  const findings: Finding[] = []
  const percentages = {} as Record<PercentageName, Fraction | null>
  for (const name of PERCENTAGES) {
    const value = text.resourcePercentages?.[name]
    const place = { subject, field: { path: `${path}.resourcePercentages.${name}`, currentValue: value } }
    if (value === null || value === undefined) percentages[name] = null
    else if (Number.isFinite(value) && value > 0 && value <= 100) percentages[name] = decimal(value)
    else findings.push(finding('PercentageOutOfRange', `${subject.metadata.name}: ${name} is ${value}`, place))
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
