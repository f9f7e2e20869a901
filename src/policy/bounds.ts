import type { Finding, Subject } from '../finding/index.ts'
import { Quantity } from '../kube/index.ts'
import { finding } from './codes.ts'
import { readQuantity } from './read-quantity.ts'
import type { PercentageName, Resource } from './resource.ts'

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
