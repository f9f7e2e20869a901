import type { LargestStep } from '../../../core/index.ts'
import type { PercentageName, Resource } from '../../../kinds/index.ts'
import { Quantity } from '../../../kube/index.ts'
import { LIMIT_OF, usedPart } from './amounts.ts'
import type { UsedAmount } from './container-usage.ts'
import type { Part } from './within.ts'

/** A limit of a container, and how it came about; without a step it is the percentage's alone. */
export interface Limit {
  readonly part: Part | undefined
  readonly step?: LargestStep
  /** Whether it is the template's own. */
  readonly isKept: boolean
}

/** What a limit may be made of: what percentages give, the template's own, what usage asks for. */
export interface Candidates {
  readonly percentage?: Part
  readonly template?: Part
  readonly usage?: UsedAmount
}

/** Returns the largest of the candidates for a limit. What usage asks for raises a limit, and never makes one. */
export function largestLimit(resource: Resource, container: string, candidates: Candidates): Limit {
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
export function keptAmount(name: PercentageName, container: string, part: Part): LargestStep {
  return { kind: 'largest', name, container, of: [{ by: 'template', amount: part.text }], printed: part.text }
}

/** Amounts count as they are written: what is rounded for print counts rounded. */
export function isLarger(left: Part, right: Part): boolean {
  return Quantity.parse(left.text).compare(Quantity.parse(right.text)) > 0
}
