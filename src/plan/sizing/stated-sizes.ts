/** The sizes of a policy that leaves percentages out: from today's in a look, else an error with the lines for them. */

import type { FlatKeys } from '../../core/index.ts'
import {
  type BoundsText,
  flatTexts,
  mergeRules,
  PERCENTAGES,
  type RuleText,
  type SizesText,
  type SizingSettings,
  UNSET,
} from '../../kinds/index.ts'
import { type Finding, listNames, type Read } from '../../krm/finding.ts'
import { Quantity } from '../../kube/index.ts'
import { chooseGrouping, groupingText, groupsSo } from './choose-label.ts'
import { finding, SIZING_CODES } from './codes.ts'
import { QUARTER, type Start, type StartInput, startWithin } from './start-budget.ts'
import { startGroupText } from './start-from.ts'

/**
 * The settings with sizes: those of a policy that sets all percentages, or has usage, as they are. Where some are
 * missing, a look gets them from what runs today, as `nodefit init` does, with `SizesDerived`; any other run gets
 * `SizesMissing`, since sizes that are derived anew each time change with the fleet. Both have the lines that keep
 * them.
 */
export function statedSizes(input: Omit<StartInput, 'growth'>, flat: FlatKeys | undefined): Read<SizingSettings> {
  const { settings } = input
  const missing = PERCENTAGES.filter((name) => settings.ruleText.resourcePercentages?.[name] === undefined)
  // with usage, what is left out is the template's
  if (missing.length === 0 || settings.ruleText.usage !== undefined) return { value: settings, findings: [] }
  const { value: start, findings } = startWithin({ ...input, growth: QUARTER })
  if (start === undefined) return { findings: [...findings, missingFinding(settings, missing)] }
  const rule = completeRule(start.rule, settings.ruleText)
  if (flat !== 'look') return { findings: [missingFinding(settings, missing, { start, rule, flat })] }
  return { value: { ...settings, ruleText: mergeRules([rule]) }, findings: [derivedFinding(input, start, rule)] }
}

/** The percentages and bounds of one resource, by their names. */
const RESOURCES = [
  { resource: 'cpu', request: 'requestCPU', limit: 'limitCPU' },
  { resource: 'memory', request: 'requestMemory', limit: 'limitMemory' },
] as const
type Names = (typeof RESOURCES)[number]

/**
 * A rule as stated, with what is missing from a derived one. Bounds are derived with both percentages of a resource, as
 * they belong together: beside a stated percentage they would cap it. What is derived moves to what is stated where the
 * two contradict each other: a bound to a bound, the percentage of a request to that of its limit and the other way.
 */
export function completeRule(derived: SizesText, stated: RuleText): SizesText {
  const rule = { resourcePercentages: {}, minResources: {}, maxResources: {} }
  for (const names of RESOURCES) {
    const { request, limit } = names
    const given = stated.resourcePercentages ?? {}
    const isDerived = given[request] === undefined && given[limit] === undefined
    Object.assign(rule.resourcePercentages, isDerived ? derivedPair(derived, names) : statedPair(derived, given, names))
    const sides = isDerived ? derivedBounds(derived, stated, names) : [stated.minResources, stated.maxResources]
    Object.assign(rule.minResources, boundsIn(sides[0], names))
    Object.assign(rule.maxResources, boundsIn(sides[1], names))
  }
  const { resourcePercentages } = rule
  const sorted = PERCENTAGES.map((name) => [name, (resourcePercentages as Percentages)[name] ?? UNSET])
  return { ...rule, resourcePercentages: Object.fromEntries(sorted) }
}

type Percentages = NonNullable<RuleText['resourcePercentages']>

function derivedPair({ resourcePercentages: from }: SizesText, { request, limit }: Names): Percentages {
  return { [request]: from[request], [limit]: from[limit] }
}

/** A pair of which at least one is stated. */
function statedPair(
  { resourcePercentages: from }: SizesText,
  given: Percentages,
  { request, limit }: Names,
): Percentages {
  const held = (name: typeof request | typeof limit, other: unknown, choose: (...all: number[]) => number) => {
    const [own, value] = [given[name], from[name]]
    if (own !== undefined) return own
    return typeof value === 'number' && typeof other === 'number' ? choose(value, other) : value
  }
  return { [request]: held(request, given[limit], Math.min), [limit]: held(limit, given[request], Math.max) }
}

function boundsIn(bounds: BoundsText | undefined, { resource, limit }: Names): BoundsText {
  const own = [resource, limit] as const
  return Object.fromEntries(own.flatMap((name) => (bounds?.[name] === undefined ? [] : [[name, bounds[name]]])))
}

/** A bound of requests or of limits. */
interface Bound {
  readonly text: string | number
  readonly isStated: boolean
}

/**
 * The minima and maxima of a resource whose percentages are derived: a stated bound replaces the derived ones that it
 * stands for, and one that contradicts it moves to it.
 */
function derivedBounds(derived: SizesText, stated: RuleText, names: Names): [BoundsText, BoundsText] {
  const min = boundPair(derived.minResources, stated.minResources, names)
  const max = boundPair(derived.maxResources, stated.maxResources, names)
  // without limits, bounds of them bound nothing
  const hasLimit = typeof derived.resourcePercentages[names.limit] === 'number'
  const [least, most] = hasLimit ? [min.limit, max.limit] : []
  return [
    pairText(moved(min.request, [max.request, most], 1), moved(min.limit, [most], 1), names),
    pairText(
      moved(moved(max.request, [most], 1), [min.request], -1),
      moved(max.limit, [min.request, least], -1),
      names,
    ),
  ]
}

/** The bounds of requests and of limits: the shared one holds for both, as far as limits have none of their own. */
function boundPair(
  derived: BoundsText,
  stated: BoundsText = {},
  { resource, limit }: Names,
): { request?: Bound; limit?: Bound } {
  const boundOf = (bounds: BoundsText, name: keyof BoundsText, isStated: boolean): Bound | undefined => {
    const text = bounds[name]
    return text === undefined ? undefined : { text, isStated }
  }
  const shared = boundOf(stated, resource, true)
  const request = shared ?? boundOf(derived, resource, false)
  const own = boundOf(stated, limit, true) ?? shared ?? boundOf(derived, limit, false) ?? request
  return { request, limit: own }
}

/** A derived bound, moved to each stated one from which it lies in the direction of `sign`. */
function moved(bound: Bound | undefined, others: ReadonlyArray<Bound | undefined>, sign: 1 | -1): Bound | undefined {
  if (bound === undefined || bound.isStated) return bound
  const isBeyond = (one: Bound, other: Bound) => Quantity.parse(one.text).compare(Quantity.parse(other.text)) === sign
  return others.reduce<Bound>(
    (at, other) => (other?.isStated === true && isBeyond(at, other) ? { ...other, isStated: false } : at),
    bound,
  )
}

function pairText(request: Bound | undefined, own: Bound | undefined, { resource, limit }: Names): BoundsText {
  return {
    ...(request === undefined ? {} : { [resource]: request.text }),
    ...(own === undefined || own.text === request?.text ? {} : { [limit]: own.text }),
  }
}

interface Lines {
  readonly start: Start
  readonly rule: SizesText
  readonly flat?: FlatKeys
}

function missingFinding({ subject, target }: SizingSettings, missing: readonly string[], lines?: Lines): Finding {
  const kind = target.kind === 'Order' ? 'an Order' : 'a DaemonSet'
  const names = listNames(missing, missing.length)
  const sentence = `${subject.metadata.name}: spec.resourcePercentages does not set ${names}, and ${kind} has no default size`
  const field = { path: 'spec.resourcePercentages' }
  if (lines === undefined) return finding('SizesMissing', sentence, { subject, field })
  const { start, rule, flat } = lines
  const where = flat === undefined ? 'spec' : 'the keys of the run'
  const { mend: usual } = SIZING_CODES.SizesMissing
  const mend = `The lines below, for ${where}, start from today's sizes on ${startGroupText(start)}. ${usual}`
  return finding('SizesMissing', `${sentence}${nothingText(rule)}`, {
    ...{ subject, field, mend },
    lines: flat === undefined ? policyLines(rule) : flatLines(rule),
  })
}

function derivedFinding({ settings, groups }: Omit<StartInput, 'growth'>, start: Start, rule: SizesText): Finding {
  const { subject } = settings
  const usually = chooseGrouping(groups.flatMap(({ members }) => members))
  const otherwise =
    usually === undefined || groupsSo(settings, usually)
      ? ''
      : `; nodefit init would group otherwise, by ${groupingText(usually)}`
  const sentence = `${subject.metadata.name}: sizes start from today's on ${startGroupText(start)}${otherwise}`
  const flags = flatTexts(rule).map(([key, value]) => `--set ${key}=${value}`)
  const { mend: usual } = SIZING_CODES.SizesDerived
  const mend = `To keep them, add ${flags.join(' ')}; or write a policy with the lines below in spec. ${usual}`
  return finding('SizesDerived', `${sentence}${nothingText(rule)}`, { subject, mend, lines: policyLines(rule) })
}

function nothingText({ resourcePercentages }: SizesText): string {
  const isNothing = Object.values(resourcePercentages).every((value) => value === UNSET || value === null)
  return isNothing ? '; it has neither requests nor limits to start from: measure it first' : ''
}

/** The rule as the lines of a policy's spec. */
function policyLines(rule: SizesText): string[] {
  const blocks = (['resourcePercentages', 'minResources', 'maxResources'] as const).map((name) => [name, rule[name]])
  return blocks.flatMap(([name, block]) => {
    const entries = Object.entries(block as Record<string, unknown>)
    if (entries.length === 0) return []
    return [`  ${name}: {${entries.map(([key, value]) => `${key}: ${yamlScalar(value)}`).join(', ')}}`]
  })
}

/** The rule as flat keys in YAML, all of them text. */
function flatLines(rule: SizesText): string[] {
  return flatTexts(rule).map(([key, value]) => `  ${key}: "${value}"`)
}

/** A value of a rule in YAML; text that YAML reads as a number is quoted. */
function yamlScalar(value: unknown): string {
  if (value === null) return UNSET
  return typeof value === 'string' && /^[0-9.eE+-]+$/.test(value) ? JSON.stringify(value) : String(value)
}
