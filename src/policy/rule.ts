import type { Finding, Subject } from '../finding/index.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import { decimal, type Fraction } from './fraction.ts'

export type Resource = 'cpu' | 'memory'

/** By which percentages and bounds a group is sized. A percentage of null leaves that request or limit unset. */
export interface Rule {
  readonly percentages: Readonly<Record<PercentageName, Fraction | null>>
  readonly min: Readonly<Record<Resource, Quantity>>
  readonly max: Readonly<Record<Resource, Quantity>>
}

export type PercentageName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'

/** A rule as a policy writes it. */
export interface RuleText {
  resourcePercentages?: Partial<Record<PercentageName, number | null>>
  minResources?: Partial<Record<Resource, string | number>>
  maxResources?: Partial<Record<Resource, string | number>>
}

const PERCENTAGES: readonly PercentageName[] = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory']
const RESOURCES: readonly Resource[] = ['cpu', 'memory']

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
  const min = readBounds('minResources')
  const max = readBounds('maxResources')
  if (findings.length > 0) return { findings }
  for (const resource of RESOURCES) {
    const suffix = resource === 'cpu' ? 'CPU' : 'Memory'
    const request = text.resourcePercentages?.[`request${suffix}`]
    const limit = text.resourcePercentages?.[`limit${suffix}`]
    if (typeof request === 'number' && typeof limit === 'number' && request > limit) {
      const field = {
        path: `${path}.resourcePercentages.request${suffix}`,
        currentValue: request,
        proposedValue: limit,
      }
      findings.push(
        finding(
          'RequestAboveLimit',
          `${subject.metadata.name}: request${suffix} ${request} is above limit${suffix} ${limit}`,
          { subject, field },
        ),
      )
    }
    if (min[resource].compare(max[resource]) > 0) {
      const field = {
        path: `${path}.minResources.${resource}`,
        currentValue: min[resource].toString(),
        proposedValue: max[resource].toString(),
      }
      findings.push(
        finding(
          'MinAboveMax',
          `${subject.metadata.name}: minimum ${resource} ${min[resource]} is above the maximum ${max[resource]}`,
          { subject, field },
        ),
      )
    }
  }
  return findings.length > 0 ? { findings } : { rule: { percentages, min, max }, findings }

  function readBounds(name: 'minResources' | 'maxResources'): Record<Resource, Quantity> {
    const bounds = {} as Record<Resource, Quantity>
    for (const resource of RESOURCES) {
      const written = text[name]?.[resource] ?? ''
      const problem = (sentence: string) =>
        findings.push(
          finding('BoundInvalid', `${subject.metadata.name}: ${name}.${resource} ${sentence}`, {
            subject,
            field: { path: `${path}.${name}.${resource}`, currentValue: written },
          }),
        )
      try {
        bounds[resource] = Quantity.parse(written)
        if (bounds[resource].nanoValue() < 0n) problem(`is ${written}`)
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        problem(`cannot be read: ${error.message}`)
      }
    }
    return bounds
  }
}
