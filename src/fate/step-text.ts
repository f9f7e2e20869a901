import type { ContainerStep, DecidedBy, LargestStep, PercentageStep, Step, UsedStep } from '../core/index.ts'
import { plural } from '../krm/finding/index.ts'

/**
 * Formats how the amounts of a group came about: what each is made of, the arithmetic, and what decided. Containers are
 * named where there are several.
 */
export function stepTexts(steps: readonly Step[]): string[] {
  const containers = new Set(steps.flatMap((step) => (step.kind === 'percentage' ? [] : [step.container])))
  const nameOf = ({ name, container }: ContainerStep) => (containers.size > 1 ? `${name} of ${container}` : name)
  return steps.map((step) => {
    if (step.kind === 'percentage') return percentageStepText(step)
    const text = step.kind === 'used' ? usedStepText(step) : largestStepText(step)
    return `${nameOf(step)}: ${text}${decidedText(step.decidedBy)} -> ${step.printed}`
  })
}

function percentageStepText({ name, percentage, raw, step, decidedBy, printed, ...basis }: PercentageStep): string {
  const unit = name.endsWith('CPU') ? 'm' : ' bytes'
  const stepped = step === undefined ? '' : `, in steps of ${step.size} ${step.result}${unit}`
  return `${name} ${percentage} of ${basisText(basis)} = ${raw}${unit}${stepped}${decidedText(decidedBy)} -> ${printed}`
}

const DECIDED: Record<DecidedBy, string> = {
  minimum: ', held at the minimum',
  maximum: ', held at the maximum',
  request: ', raised to the request',
  limit: ', held at the limit',
}

function decidedText(decidedBy: DecidedBy | undefined): string {
  return decidedBy === undefined ? '' : DECIDED[decidedBy]
}

function basisText({ basis, from, now }: Pick<PercentageStep, 'basis' | 'from' | 'now'>): string {
  if (now !== undefined) return `${basis} as before (now ${now}, within hysteresisPercent)`
  if (from === 'earlier') return `${basis} as before (no node reports)`
  if (from === 'range') return `${basis} as the nearest range (no node reports)`
  if (from === 'remainder') return `${basis} as the remainder (no node reports)`
  return from === 'median' ? `the median ${basis}` : basis
}

function usedStepText(one: UsedStep): string {
  const { used, margin, raw, step } = one
  const stepped = step === undefined ? '' : `, in steps of ${step.size} ${step.result}`
  return `${used} used (${usedText(one)}) + ${margin} = ${raw}${stepped}`
}

/** Says where a figure of usage is from: what is measured, or from when or which group it is. */
export function usedText({
  days,
  pods,
  imported,
  like,
}: Pick<UsedStep, 'days' | 'pods' | 'imported' | 'like'>): string {
  const counts = [...(days === 0 ? [] : [plural(days, 'day')]), ...(pods === 0 ? [] : [plural(pods, 'pod')])]
  const what = imported === undefined ? 'third-busiest hour, 9 of 10 nodes' : `imported ${imported}`
  return [...(like === undefined ? [] : [`like ${like}`]), what, ...counts].join(', ')
}

const BY = { percentage: 'by percentage', template: 'of the template', usage: 'by usage' } as const

/** Formats the amounts of which the largest is taken: `348Mi by percentage`. */
export function candidateTexts(of: LargestStep['of']): string[] {
  return of.map(({ by, amount, like }) => `${amount} ${BY[by]}${like === undefined ? '' : ` like ${like}`}`)
}

function largestStepText({ of }: LargestStep): string {
  const texts = candidateTexts(of)
  return texts.length === 1 ? `${texts[0]}` : `the largest of ${texts.join(', ')}`
}
