import { type Container, Quantity } from '../kube/index.ts'
import { decimal, type RuleText } from '../policy/index.ts'
import { amountOf } from './amount.ts'
import { decimalBetween, isAbove } from './decimal-between.ts'
import { GO_MEMORY_LIMIT } from './derive.ts'

const MI = 1n << 20n
const NO_MAXIMUM = Quantity.of(1n << 62n, 'DecimalSI')
const WHOLE = { numerator: 1n, denominator: 1n }

/**
 * The fraction of its memory limit that a container's GOMEMLIMIT is: the shortest decimal that comes to the number in its variable, both on nodes of the
 * basis and where the limit's minimum decides, as on a node with a little less. A rule of `startFrom` leaves the number as it is while the limit
 * grows with the nodes. Undefined without a limit, where the variable is no whole number of MiB (only that can come out again), or more than the limit.
 */
export function startHeap(
  { env, resources }: Container,
  { resourcePercentages }: Pick<Required<RuleText>, 'resourcePercentages'>,
  memory: Quantity,
): number | undefined {
  const percentage = resourcePercentages.limitMemory
  const mebibytes = wholeMebibytes(env)
  if (mebibytes === undefined || typeof percentage !== 'number') return undefined
  const min = Quantity.parse(resources?.limits?.memory ?? 0)
  const rule = { percentage: decimal(percentage), min, max: NO_MAXIMUM, rounds: 'down' } as const
  const [least, most] = [min.value(), amountOf('memory', memory, rule).amount]
  const low = { numerator: mebibytes * MI, denominator: least }
  const high = { numerator: (mebibytes + 1n) * MI - 1n, denominator: most }
  if (isAbove(low, WHOLE) || !isAbove(high, low)) return undefined
  return decimalBetween(low, isAbove(high, WHOLE) ? WHOLE : high)
}

/** What the variable says where it is written as a policy would write it; of two entries the kubelet's choice is not guessed. */
function wholeMebibytes(env: Container['env']): bigint | undefined {
  const [own, ...others] = (env ?? []).filter(({ name }) => name === GO_MEMORY_LIMIT)
  const [, digits] = /^([1-9][0-9]{0,11})MiB$/.exec(own?.value ?? '') ?? []
  return digits === undefined || others.length > 0 ? undefined : BigInt(digits)
}
