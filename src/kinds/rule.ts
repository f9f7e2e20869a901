import type { Finding, Subject } from '../krm/finding.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'

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

/** How usage sizes a group, as written in a policy. */
export type UsageText = NonNullable<SizingPolicy['spec']['usage']>

/** How usage sizes a group. */
export interface UsageRule {
  /** Whether sizes are made of usage; else it is only said what that would change. */
  readonly isAuto: boolean
  readonly resources: ReadonlySet<Resource>
  /** Whether limits follow too. */
  readonly hasLimits: boolean
  /** What requests get beyond what is used, in percent of it. */
  readonly margin: Fraction
}

/** Reads how usage sizes a group, with defaults. */
export function readUsageRule(text: UsageText): UsageRule {
  const { updateMode, controlledValues, marginPercent } = { ...SIZING_POLICY_DEFAULTS.usage, ...text }
  return {
    isAuto: updateMode === 'Auto',
    resources: new Set(text.controlledResources ?? ['cpu', 'memory']),
    hasLimits: controlledValues === 'RequestsAndLimits',
    margin: decimal(marginPercent),
  }
}

/** The node resources from which sizes are computed. */
export type Resource = 'cpu' | 'memory'

/** The four amounts of a container, named as the fields of their percentages. */
export type PercentageName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'

/** One bound for each request and limit. */
type Bounds = Readonly<Record<PercentageName, Quantity>>

/** Bounds as written in a policy: `cpu` and `memory` bound requests, and limits that have no bound of their own. */
export type BoundsText = Partial<Record<BoundName, string | number>>

type BoundName = Resource | LimitName
type LimitName = 'limitCPU' | 'limitMemory'
type Side = 'minResources' | 'maxResources'

/** The bound fields of a resource, and the amounts that they bound. */
const NAMES: ReadonlyArray<{ shared: Resource; request: 'requestCPU' | 'requestMemory'; limit: LimitName }> = [
  { shared: 'cpu', request: 'requestCPU', limit: 'limitCPU' },
  { shared: 'memory', request: 'requestMemory', limit: 'limitMemory' },
]

/** What bounds an amount where no bound is set. */
const NO_BOUND: Record<Side, Quantity> = {
  minResources: Quantity.of(0n, 'DecimalSI'),
  maxResources: Quantity.of(1n << 62n, 'DecimalSI'),
}

/**
 * Reads the minima or maxima of a rule; one that is not set does not bound. A bound that is not a quantity or is
 * negative is a finding at its field.
 */
function readBounds(
  text: BoundsText,
  side: Side,
  subject: Subject,
  path: string,
): { bounds: Bounds; findings: Finding[] } {
  const findings: Finding[] = []
  const read = (name: BoundName): Quantity => {
    const written = text[name]
    if (written === undefined) return NO_BOUND[side]
    const { value, problem } = readQuantity(written)
    const wrong =
      problem ?? (value !== undefined && value.nanoValue() < 0n ? `is ${written}, which is negative` : undefined)
    if (wrong !== undefined) {
      const place = { subject, field: { path: `${path}.${side}.${name}`, currentValue: written } }
      findings.push(finding('BoundInvalid', `${subject.metadata.name}: ${side}.${name} ${wrong}`, place))
    }
    return value === undefined ? Quantity.of(0n, 'DecimalSI') : inWholeBytes(value, name, side, written)
  }
  const pairs = NAMES.flatMap(({ shared, request, limit }): Array<[PercentageName, Quantity]> => {
    const bound = read(shared)
    return [
      [request, bound],
      [limit, text[limit] === undefined ? bound : read(limit)],
    ]
  })
  return { bounds: Object.fromEntries(pairs) as Record<PercentageName, Quantity>, findings }
}

const BILLION = 1_000_000_000n
/** What is written in thousandths is said to be so, and left. */
const THOUSANDTHS = /m$/

/**
 * Returns a bound of memory in whole bytes, a minimum rounded up and a maximum down: the API server stores a fraction
 * of a binary unit, such as 0.2Gi, in thousandths of a byte, and warns of it.
 */
function inWholeBytes(bound: Quantity, name: BoundName, side: Side, written: string | number): Quantity {
  const nano = bound.nanoValue()
  const isMemory = name === 'memory' || name === 'limitMemory'
  if (!isMemory || nano % BILLION === 0n || nano < 0n || THOUSANDTHS.test(String(written))) return bound
  return Quantity.of(nano / BILLION + (side === 'minResources' ? 1n : 0n), 'BinarySI')
}

/**
 * Finds minima above maxima: of requests, of limits, and a request's minimum above its limit's maximum, which no size
 * can satisfy. `isSet` tells whether a percentage is set; bounds of amounts that are not both set cannot conflict.
 */
function boundFindings(
  texts: Partial<Record<Side, BoundsText>>,
  { min, max }: { min: Bounds; max: Bounds },
  isSet: (name: PercentageName) => boolean,
  subject: Subject,
  path: string,
): Finding[] {
  return NAMES.flatMap(({ shared, request, limit }) => {
    const fieldOf = (side: Side, name: PercentageName): BoundName =>
      name === limit && texts[side]?.[limit] !== undefined ? limit : shared
    const all: ReadonlyArray<readonly [low: PercentageName, high: PercentageName]> = [
      [request, request],
      [limit, limit],
      [request, limit],
    ]
    const pairs = all.filter((pair) => pair.every(isSet))
    const reported = new Set<string>()
    return pairs.flatMap(([low, high]) => {
      const [from, to] = [fieldOf('minResources', low), fieldOf('maxResources', high)]
      const key = `${from} ${to}`
      if (reported.has(key) || min[low].compare(max[high]) <= 0) return []
      reported.add(key)
      const field = {
        path: `${path}.minResources.${from}`,
        currentValue: min[low].toString(),
        proposedValue: max[high].toString(),
      }
      const other = to === from ? '' : `${to} `
      const sentence = `${subject.metadata.name}: minimum ${from} ${min[low]} is above the maximum ${other}${max[high]}`
      return [finding('MinAboveMax', sentence, { subject, field })]
    })
  })
}

/** The step to which amounts of a resource are rounded; absent if none is set. */
export type Steps = Readonly<Partial<Record<Resource, Quantity>>>

/** The smallest rendered amount of a resource, in billionths: a millicore, a byte. */
const LEAST: Record<Resource, { nano: bigint; unit: string }> = {
  cpu: { nano: 1_000_000n, unit: 'millicores' },
  memory: { nano: 1_000_000_000n, unit: 'bytes' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']

/** Reads the rounding steps, positive whole millicores and bytes. An invalid one is left out, with a finding. */
export function readSteps(
  written: SizingPolicy['spec']['step'],
  subject: Subject,
): { steps: Steps; findings: Finding[] } {
  const findings: Finding[] = []
  const steps: Partial<Record<Resource, Quantity>> = {}
  for (const resource of RESOURCES) {
    const text = written?.[resource]
    if (text === undefined) continue
    const { value, problem } = readQuantity(text)
    const { nano, unit } = LEAST[resource]
    if (value !== undefined && value.nanoValue() > 0n && value.nanoValue() % nano === 0n) steps[resource] = value
    else {
      const field = { path: `spec.step.${resource}`, currentValue: text }
      const sentence = `${subject.metadata.name}: step.${resource} ${problem ?? `is ${text}, not a positive number of whole ${unit}`}`
      findings.push(finding('StepInvalid', sentence, { subject, field }))
    }
  }
  return { steps, findings }
}

/** Parses a quantity as written in a policy; `problem` says what is wrong, in words that follow its name. */
function readQuantity(written: string | number): { value?: Quantity; problem?: string } {
  try {
    return { value: Quantity.parse(written) }
  } catch (error) {
    if (error instanceof KubeError) return { problem: `cannot be read: ${error.message}` }
    throw error
  }
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
