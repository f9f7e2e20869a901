import { parseDuration, unlessMalformed } from '../../kube/index.ts'
import { UserError } from '../files/user-error.ts'

/** Returns the duration of an option in milliseconds. Throws `UserError` for another text; `such` is an example. */
export function millisecondsOf(option: string, text: string, such: string): number {
  const time = Number((unlessMalformed(() => parseDuration(text)) ?? 0n) / 1_000_000n)
  if (time <= 0) throw new UserError(`${option} ${text} is not a duration above 0 such as ${such}`)
  return time
}
