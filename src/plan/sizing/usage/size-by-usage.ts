import type { ContainerStep, LargestStep, UsedStep } from '../../../core/index.ts'
import type { Known } from '../../../facts/usage/index.ts'
import type { Fraction, PercentageName, Resource, Rule, Steps, UsageRule } from '../../../kinds/index.ts'
import { type Container, Quantity, timeText } from '../../../kube/index.ts'
import type { Basis } from '../basis.ts'
import {
  type Budget,
  budgetOf,
  type ContainerSize,
  printAmount,
  raiseLimits,
  type Share,
  splitBudget,
  type Trace,
  toMultiple,
} from '../size.ts'
import {
  amountText,
  LIMIT_OF,
  type Part,
  REQUEST_OF,
  templateParts,
  usedPart,
  usedText,
  withinBounds,
} from './amounts.ts'
import type { ContainerUsage, PolicyUsage, UsedAmount } from './policy-usage.ts'

/** What a group is sized from, where its policy has usage. */
interface UsageInput {
  readonly basis: Basis
  readonly rule: Rule
  readonly steps: Steps
  readonly shares: readonly Share[]
  /** The sized containers of the template, by name. */
  readonly template: ReadonlyMap<string, Container>
  /** What usage says of each container, in the order of the shares. */
  readonly containers: readonly ContainerUsage[]
  readonly usage: PolicyUsage
}

/** The sizes of a group, and how they came about. */
interface UsageSizes {
  readonly sizes: readonly ContainerSize[]
  readonly traces: readonly Trace[]
  readonly steps: readonly ContainerStep[]
}

const RESOURCES: readonly Resource[] = ['cpu', 'memory']

/**
 * Sizes a group by usage: requests of what its containers use, where that is known, and limits that are the largest of
 * what percentages give, the template's own, and what usage asks for. What usage does not size, percentages do; what
 * they leave out is the template's.
 */
export function sizeByUsage(input: UsageInput): UsageSizes {
  const parts = RESOURCES.map((resource) => sizeResource(resource, input))
  const made = input.shares.map(({ container }, index) => {
    const own = parts.flatMap((part) => part.amounts.map(([name, all]) => [name, all[index]] as const))
    const before = new Map(own.flatMap(([name, part]) => (part === undefined ? [] : [[name, part] as const])))
    const size = {
      container,
      amounts: new Map([...before].map(([name, { amount }]) => [name, amount])),
      printed: new Map([...before].map(([name, { text }]) => [name, text])),
    }
    const kept = new Set(parts.flatMap((part) => part.kept.filter(([at]) => at === index).map(([, name]) => name)))
    return { before, size: { ...size, raised: raiseLimits(size), kept } satisfies ContainerSize }
  })
  const steps = parts.flatMap((part) => part.steps)
  return {
    sizes: made.map(({ size }) => size),
    traces: parts.flatMap(({ traces }) => traces),
    steps: made.flatMap(({ before, size }) => stepsWritten(size, before, steps)),
  }
}

/**
 * Returns the steps of a container with what is written, and a step for a limit that percentages alone give and its
 * request raises.
 */
function stepsWritten(
  { container, printed, raised }: ContainerSize,
  before: ReadonlyMap<PercentageName, Part>,
  all: readonly ContainerStep[],
): ContainerStep[] {
  const own = all.filter((step) => step.container === container)
  const untold = raised.filter((name) => !own.some((step) => step.name === name))
  const more = untold.map((name): ContainerStep => {
    const text = before.get(name)?.text ?? ''
    return { kind: 'largest', name, container, of: [{ by: 'percentage', amount: text }], printed: text }
  })
  return [...own, ...more].map((step) => {
    const name = step.name as PercentageName
    const now = { ...step, printed: printed.get(name) ?? step.printed }
    return step.kind === 'largest' && raised.includes(name) ? { ...now, decidedBy: 'request' as const } : now
  })
}

interface ResourceSizes {
  readonly amounts: ReadonlyArray<readonly [PercentageName, ReadonlyArray<Part | undefined>]>
  /** The index of the container, and the amount that is the template's own. */
  readonly kept: ReadonlyArray<readonly [number, PercentageName]>
  readonly traces: readonly Trace[]
  readonly steps: readonly ContainerStep[]
}

function sizeResource(resource: Resource, input: UsageInput): ResourceSizes {
  const { rule, containers } = input
  const usage = rule.usage?.isAuto === true && rule.usage.resources.has(resource) ? rule.usage : undefined
  const isUsed = containers.map(({ used }) => usage !== undefined && used[resource] !== undefined)
  const limits = limitsOf(resource, input, usage)
  const requests = requestsOf(resource, input, usage, isUsed)
  const [request, limit] = [REQUEST_OF[resource], LIMIT_OF[resource]]
  const capped =
    usage?.hasLimits === false ? requests.parts.map((part, at) => atMost(part, limits.parts[at])) : requests.parts
  return {
    amounts: [
      [request, capped],
      [limit, limits.parts],
    ],
    kept: [...requests.kept.map((at) => [at, request] as const), ...limits.kept.map((at) => [at, limit] as const)],
    traces: [...requests.traces, ...limits.traces],
    steps: [
      ...requests.steps.map((step) => {
        const at = containers.findIndex(({ container }) => container === step.container)
        return capped[at] === requests.parts[at] ? step : { ...step, decidedBy: 'limit' as const }
      }),
      ...limits.steps,
    ],
  }
}

interface Amounts {
  readonly parts: ReadonlyArray<Part | undefined>
  readonly kept: readonly number[]
  readonly traces: readonly Trace[]
  readonly steps: readonly ContainerStep[]
}

function requestsOf(
  resource: Resource,
  input: UsageInput,
  usage: UsageRule | undefined,
  isUsed: readonly boolean[],
): Amounts {
  const { rule, steps, containers, template } = input
  const name = REQUEST_OF[resource]
  const percentage = rule.percentages[name]
  const byPercentage = isUsed.every(Boolean) ? NOTHING : percentageParts(name, input)
  const made = containers.map((one, index) => {
    const { container } = one
    const used = usage === undefined ? undefined : one.used[resource]
    if (usage !== undefined && used !== undefined) {
      const row = used.like === undefined ? one.known : input.usage.of(container, used.like)
      return usedRequest(resource, { container, used, row }, usage, steps[resource])
    }
    if (percentage !== 'template') return { part: byPercentage.parts[index] }
    const part = templateParts(template.get(container)).get(name)
    return { part, isKept: true, step: part && keptAmount(name, container, part) }
  })
  return boundTo(resource, name, made, byPercentage, rule)
}

function limitsOf(resource: Resource, input: UsageInput, usage: UsageRule | undefined): Amounts {
  const { rule, containers, template } = input
  const name = LIMIT_OF[resource]
  const percentage = rule.percentages[name]
  if (percentage === null) return { parts: containers.map(() => undefined), kept: [], traces: [], steps: [] }
  const byPercentage = percentageParts(name, input)
  const isRaised = usage?.hasLimits === true
  const made = containers.map(({ container, limits }, index) => {
    const own = isRaised || percentage === 'template' ? templateParts(template.get(container)).get(name) : undefined
    return largestLimit(resource, container, {
      ...(byPercentage.parts[index] && { percentage: byPercentage.parts[index] }),
      ...(own && { template: own }),
      ...(isRaised && limits[resource] && { usage: limits[resource] }),
    })
  })
  return boundTo(resource, name, made, byPercentage, rule)
}

interface Made {
  readonly part: Part | undefined
  readonly step?: ContainerStep | undefined
  readonly isKept?: boolean
}

/** Holds the sum of what containers get within the bounds of the pod; percentages alone are within them. */
function boundTo(
  resource: Resource,
  name: PercentageName,
  made: readonly Made[],
  { traces }: Pick<Amounts, 'traces'>,
  { min, max }: Pick<Rule, 'min' | 'max'>,
): Amounts {
  const all = made.map(({ part }) => part)
  if (made.every(({ step }) => step === undefined)) return { parts: all, kept: [], traces, steps: [] }
  const { parts, decidedBy } = withinBounds(resource, all, { min: min[name], max: max[name] })
  return {
    parts,
    kept: decidedBy === undefined ? made.flatMap(({ isKept, part }, at) => (isKept && part ? [at] : [])) : [],
    traces,
    steps: made.flatMap(({ step }, index): ContainerStep[] => {
      if (step === undefined) return []
      return [{ ...step, ...(decidedBy && { decidedBy }), printed: parts[index]?.text ?? step.printed }]
    }),
  }
}

const NOTHING = { parts: [], traces: [] }

/** What the percentage of an amount gives each container. */
function percentageParts(name: PercentageName, { basis, rule, steps, shares }: UsageInput) {
  const only = Object.fromEntries(
    Object.entries(rule.percentages).map(([one, percentage]) => [one, one === name ? percentage : null]),
  ) as Record<PercentageName, Fraction | null | 'template'>
  const budget: Budget = budgetOf(basis, { ...rule, percentages: only }, steps)
  const parts = splitBudget(budget, shares).map(({ amounts, printed }): Part | undefined => {
    const [amount, text] = [amounts.get(name), printed.get(name)]
    return amount === undefined || text === undefined ? undefined : { amount, text }
  })
  const printed = parts.map((part) => part?.text ?? '').join(' + ')
  return { parts, traces: budget.traces.map((trace) => ({ ...trace, printed })) }
}

function atMost(part: Part | undefined, limit: Part | undefined): Part | undefined {
  return part !== undefined && limit !== undefined && isLarger(part, limit) ? limit : part
}

/** A request that is made of usage, and how. */
interface UsedRequest {
  readonly part: Part
  readonly step: UsedStep
}

const HUNDRED = 100n
const NONE = Quantity.of(0n, 'DecimalSI')
const MI = 1024n * 1024n
const UNIT: Readonly<Record<Resource, { bytes: bigint; text: string }>> = {
  cpu: { bytes: 1n, text: 'm' },
  memory: { bytes: MI, text: 'Mi' },
}

/**
 * Returns the request of a container by usage: what is used and the margin, exact, up to 1m or 1Mi, and up to the step.
 * `row` is the row that the amount is of.
 */
function usedRequest(
  resource: Resource,
  { container, used, row }: { readonly container: string; readonly used: UsedAmount; readonly row: Known | undefined },
  { margin }: UsageRule,
  step: Quantity | undefined,
): UsedRequest {
  const { bytes, text: unit } = UNIT[resource]
  const exact = withMargin(used.amount, margin)
  const whole = roundedUp(exact) * bytes
  const size = step === undefined ? undefined : resource === 'cpu' ? step.milliValue() : step.value()
  const amount = size === undefined ? whole : toMultiple(whole, size, 'up')
  const text = step === undefined ? amountText(resource, amount) : printAmount(resource, { amount, step, min: NONE })
  const { settled } = row ?? {}
  return {
    part: { amount, text },
    step: {
      kind: 'used',
      name: REQUEST_OF[resource],
      container,
      used: usedText(resource, used.amount),
      days: row?.days ?? 0,
      pods: row?.pods ?? 0,
      ...(settled?.why === 'Imported' && { imported: timeText(settled.at) }),
      ...(settled?.evidence !== undefined && { evidence: settled.evidence }),
      ...(used.like !== undefined && { like: used.like }),
      margin: `${decimalText(margin)}%`,
      raw: `${decimalText(exact)}${unit}`,
      ...(step !== undefined && { step: { size: step.toString(), result: text } }),
      printed: text,
    },
  }
}

function withMargin(amount: number, { numerator, denominator }: Fraction): Fraction {
  return { numerator: BigInt(amount) * (HUNDRED * denominator + numerator), denominator: HUNDRED * denominator }
}

/** At least 1: a request of 0 reserves nothing. */
function roundedUp({ numerator, denominator }: Fraction): bigint {
  const whole = (numerator + denominator - 1n) / denominator
  return whole > 0n ? whole : 1n
}

/** A fraction whose denominator is a power of ten, as a decimal. */
function decimalText({ numerator, denominator }: Fraction): string {
  const digits = denominator.toString().length - 1
  const text = numerator.toString().padStart(digits + 1, '0')
  const [whole, fraction] = [text.slice(0, text.length - digits), text.slice(text.length - digits).replace(/0+$/, '')]
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** A limit of a container, and how it came about; without a step it is the percentage's alone. */
interface Limit {
  readonly part: Part | undefined
  readonly step?: LargestStep
  /** Whether it is the template's own. */
  readonly isKept: boolean
}

/** What a limit may be made of: what percentages give, the template's own, what usage asks for. */
interface Candidates {
  readonly percentage?: Part
  readonly template?: Part
  readonly usage?: UsedAmount
}

/** Returns the largest of the candidates for a limit. What usage asks for raises a limit, and never makes one. */
function largestLimit(resource: Resource, container: string, candidates: Candidates): Limit {
  const { percentage, template, usage } = candidates
  if (percentage === undefined && template === undefined) return { part: undefined, isKept: false }
  const asked = usage && usedPart(resource, usage.amount)
  const all = [
    ...(percentage === undefined ? [] : [{ by: 'percentage' as const, part: percentage }]),
    ...(template === undefined ? [] : [{ by: 'template' as const, part: template }]),
    ...(asked === undefined ? [] : [{ by: 'usage' as const, part: asked, ...(usage?.like && { like: usage.like }) }]),
  ]
  const [first, ...others] = all
  if (first === undefined) return { part: undefined, isKept: false }
  const most = others.reduce((best, one) => (isLarger(one.part, best.part) ? one : best), first)
  if (all.length === 1 && most.by === 'percentage') return { part: most.part, isKept: false }
  const of = all.map(({ part, ...one }) => ({ ...one, amount: part.text }))
  const step: LargestStep = { kind: 'largest', name: LIMIT_OF[resource], container, of, printed: most.part.text }
  return { part: most.part, step, isKept: most.by === 'template' }
}

/** The template's own amount, where the policy leaves it as it is. */
function keptAmount(name: PercentageName, container: string, part: Part): LargestStep {
  return { kind: 'largest', name, container, of: [{ by: 'template', amount: part.text }], printed: part.text }
}

/** Amounts count as they are written: what is rounded for print counts rounded. */
function isLarger(left: Part, right: Part): boolean {
  return Quantity.parse(left.text).compare(Quantity.parse(right.text)) > 0
}
