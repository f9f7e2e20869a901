import type { UsedStep } from '../../../core/index.ts'
import type { Known } from '../../../facts/usage/index.ts'
import type { Fraction, Resource, UsageRule } from '../../../kinds/index.ts'
import { Quantity, timeText } from '../../../kube/index.ts'
import { printAmount, toMultiple } from '../size.ts'
import { REQUEST_OF, usedText } from './amounts.ts'
import type { UsedAmount } from './container-usage.ts'
import { amountText, type Part } from './within.ts'

/** A request that is made of usage, and how. */
export interface UsedRequest {
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
export function usedRequest(
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
