import { memberOf } from '../../krm/map.ts'
import { parseDuration } from '../../kube/index.ts'
import { isSizingPolicy } from '../../policy/index.ts'
import type { Plan } from '../../types.ts'

const NANOSECONDS = 1_000_000n
/** A policy cannot ask for more. */
const SHORTEST = 10_000

/**
 * The shortest `reconcileInterval` of the policies that were planned, in milliseconds and at least ten seconds: so long may it take to the
 * next evaluation. Undefined where no policy says one.
 */
export function askedInterval({ packages }: Plan): number | undefined {
  const texts = packages
    .flatMap(({ planned }) => planned)
    .filter(({ subject, isEnabled }) => isEnabled && isSizingPolicy(subject.object))
    .map(({ subject }) => memberOf(memberOf(subject.object, 'spec'), 'reconcileInterval'))
  const intervals = texts.flatMap((text) =>
    typeof text === 'string' ? [Number(parseDuration(text) / NANOSECONDS)] : [],
  )
  return intervals.length === 0 ? undefined : Math.max(Math.min(...intervals), SHORTEST)
}
