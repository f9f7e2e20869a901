import type { Finding, Subject } from '../finding/index.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'

/** What a node is sized by. */
export type Resource = 'cpu' | 'memory'

/** The four amounts of a pod, as the fields of their percentages are called. */
export type PercentageName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'

/** The bounds of a pod's requests and limits, each for itself. */
export type Bounds = Readonly<Record<PercentageName, Quantity>>

/** Bounds as a policy writes them: `cpu` and `memory` are for requests, and for limits where no other is given. */
export type BoundsText = Partial<Record<BoundName, string | number>>

type BoundName = Resource | LimitName
type LimitName = 'limitCPU' | 'limitMemory'
type Side = 'minResources' | 'maxResources'

/** The fields of a resource's bounds, and the amounts that they bound. */
const NAMES: ReadonlyArray<{ shared: Resource; request: 'requestCPU' | 'requestMemory'; limit: LimitName }> = [
  { shared: 'cpu', request: 'requestCPU', limit: 'limitCPU' },
  { shared: 'memory', request: 'requestMemory', limit: 'limitMemory' },
]

/** Reads one side of a rule's bounds; one that is no quantity, or below zero, is a finding at its field. */
export function readBounds(
  text: BoundsText,
  side: Side,
  subject: Subject,
  path: string,
): { bounds: Bounds; findings: Finding[] } {
  const findings: Finding[] = []
  const read = (name: BoundName): Quantity => {
    const written = text[name] ?? ''
    const { value, problem } = readQuantity(written)
    const wrong = problem ?? (value !== undefined && value.nanoValue() < 0n ? `is ${written}` : undefined)
    if (wrong !== undefined) {
      const place = { subject, field: { path: `${path}.${side}.${name}`, currentValue: written } }
      findings.push(finding('BoundInvalid', `${subject.metadata.name}: ${side}.${name} ${wrong}`, place))
    }
    return value ?? Quantity.of(0n, 'DecimalSI')
  }
  const pairs = NAMES.flatMap(({ shared, request, limit }): Array<[PercentageName, Quantity]> => {
    const own = read(shared)
    return [
      [request, own],
      [limit, text[limit] === undefined ? own : read(limit)],
    ]
  })
  return { bounds: Object.fromEntries(pairs) as Record<PercentageName, Quantity>, findings }
}

/**
 * Minima above maxima: of requests, of limits, and a request's minimum above its limit's maximum, which no size can keep.
 * `isSet` says whether a percentage is; bounds of what is not set together cannot contradict each other.
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
    const pairs: Array<[low: PercentageName, high: PercentageName]> = [
      [request, request],
      [limit, limit],
      ...(isSet(request) && isSet(limit) ? [[request, limit] as [PercentageName, PercentageName]] : []),
    ]
    const said = new Set<string>()
    return pairs.flatMap(([low, high]) => {
      const [from, to] = [fieldOf('minResources', low), fieldOf('maxResources', high)]
      const key = `${from} ${to}`
      if (said.has(key) || min[low].compare(max[high]) <= 0) return []
      said.add(key)
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

/** What amounts of a resource are rounded to; absent where nothing is given. */
export type Steps = Readonly<Partial<Record<Resource, Quantity>>>

/** Billionths in the least amount of a resource that is rendered: a millicore, a byte. */
const LEAST: Record<Resource, { nano: bigint; unit: string }> = {
  cpu: { nano: 1_000_000n, unit: 'millicores' },
  memory: { nano: 1_000_000_000n, unit: 'bytes' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']

/** Reads the rounding steps: whole millicores and bytes, above zero. One that is not is left out, with a finding. */
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
      const sentence = `${subject.metadata.name}: step.${resource} ${problem ?? `is ${text}, not whole ${unit} above zero`}`
      findings.push(finding('StepInvalid', sentence, { subject, field }))
    }
  }
  return { steps, findings }
}

/** A quantity as a policy writes it, or what is wrong with it in words behind its name. */
function readQuantity(written: string | number): { value?: Quantity; problem?: string } {
  try {
    return { value: Quantity.parse(written) }
  } catch (error) {
    if (error instanceof KubeError) return { problem: `cannot be read: ${error.message}` }
    throw error
  }
}
