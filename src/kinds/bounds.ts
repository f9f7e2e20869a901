import type { Finding, Subject } from '../krm/finding/index.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'

/** The node resources from which sizes are computed. */
export type Resource = 'cpu' | 'memory'

/** The four amounts of a container, named as the fields of their percentages. */
export type PercentageName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'

/** One bound for each request and limit. */
export type Bounds = Readonly<Record<PercentageName, Quantity>>

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
export function readBounds(
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
export function boundFindings(
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
