import type { Fraction } from '../../kinds/index.ts'
import { UserError } from '../files/user-error.ts'

/** The growth that --budget allows, as a fraction; undefined where it is not given. */
export function readBudget(text: string | undefined): Fraction | undefined {
  if (text === undefined) return undefined
  const [, percent] = /^\+?(\d{1,4})%?$/.exec(text) ?? []
  if (percent === undefined) throw new UserError(`--budget ${text} is not a growth in whole percent, such as +25%`)
  return { numerator: BigInt(percent), denominator: 100n }
}
