import { groupText, type VariableStep } from '../../core/index.ts'
import {
  decimal,
  type Fraction,
  type PercentageName,
  type Resource,
  type SizesText,
  type SizingSettings,
  timesRoundedDown,
} from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { type Container, Quantity } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { amountOf, type ContainerSize, percent, printAmount, RESOURCE } from './size.ts'

/** The decimal from `low` to `high`, both above 0, with the fewest places; the smallest of several. */
function decimalBetween(low: Fraction, high: Fraction): number {
  for (let places = 0, scale = 1n; ; places++, scale *= 10n) {
    const digits = roundedUp(low.numerator * scale, low.denominator)
    if (digits * high.denominator <= high.numerator * scale) return Number(`${digits}e-${places}`)
  }
}

function isAbove(left: Fraction, right: Fraction): boolean {
  return left.numerator * right.denominator > right.numerator * left.denominator
}

function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit
}

/** Request and limit of one resource, each undefined where there is none. */
export interface Pair<Value> {
  readonly request?: Value
  readonly limit?: Value
}

const NANO = 1_000_000_000n
/** Sizes print in whole multiples of these: a millicore and a mebibyte. */
export const NANO_PER_STEP: Record<Resource, bigint> = { cpu: NANO / 1000n, memory: 1024n * 1024n * NANO }
const NONE = Quantity.of(0n, 'DecimalSI')
const HUNDRED_PERCENT: Fraction = { numerator: 100n, denominator: 1n }

/**
 * The percentages of an allocatable amount that give the request and limit of a template, both above 0. With v the
 * amount of the template and s a millicore or 1Mi: the shortest decimal that gives between v + s/4 and v + 3s/4, which
 * prints as v, also on a node with a little less. Where no size prints as v: one that gives between v - 3s/4 and v -
 * s/4, so that v as the minimum decides. At most 100, where the minimum decides, too. The percentage of a request is
 * never above that of its limit.
 */
export function startPercentages(
  resource: Resource,
  allocatable: Quantity,
  { request, limit }: Pair<Quantity>,
): Pair<number> {
  const percentage = (amount: Quantity | undefined) =>
    amount === undefined ? undefined : percentageOf(resource, allocatable, amount, isPrintable(resource, amount))
  const [lower, upper] = [percentage(request), percentage(limit)]
  // request and limit may be less than a step apart; the limit's minimum decides then
  const isCrossed = lower !== undefined && upper !== undefined && lower > upper
  return { request: lower, limit: isCrossed ? lower : upper }
}

/** Whether a size can print as this amount. */
function isPrintable(resource: Resource, amount: Quantity): boolean {
  if (amount.nanoValue() % NANO_PER_STEP[resource] !== 0n) return false
  const least = resource === 'cpu' ? amount.milliValue() : amount.value()
  return printAmount(resource, { amount: least, min: NONE }) === amount.toString()
}

function percentageOf(resource: Resource, allocatable: Quantity, amount: Quantity, isOver: boolean): number {
  const nano = amount.nanoValue()
  const step = !isOver && nano < NANO_PER_STEP[resource] ? nano : NANO_PER_STEP[resource]
  const [from, to] = isOver ? [1n, 3n] : [-3n, -1n]
  const share = (quarters: bigint): Fraction => ({
    numerator: 100n * (4n * nano + quarters * step),
    denominator: 4n * allocatable.nanoValue(),
  })
  const low = share(from)
  return isAbove(low, HUNDRED_PERCENT) ? 100 : decimalBetween(low, share(to))
}

const MI = 1n << 20n
const NO_MAXIMUM = Quantity.of(1n << 62n, 'DecimalSI')
const ONE: Fraction = { numerator: 1n, denominator: 1n }

/**
 * The `goMemLimitPercentage` that gives the GOMEMLIMIT of a container: the shortest decimal that gives it both on nodes
 * of the basis and where the minimum of the limit decides, as on a node with a little less. Undefined without a limit,
 * for a variable that is not a whole number of MiB (`deriveEnv` writes no other), and for one above the limit.
 */
export function startHeap(
  { env, resources }: Container,
  { resourcePercentages }: Pick<SizesText, 'resourcePercentages'>,
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
  if (isAbove(low, ONE) || !isAbove(high, low)) return undefined
  return decimalBetween(low, isAbove(high, ONE) ? ONE : high)
}

/** The value of the variable in MiB; undefined for another format, and for two entries, where the kubelet decides. */
function wholeMebibytes(env: Container['env']): bigint | undefined {
  const [variable, ...others] = (env ?? []).filter(({ name }) => name === GO_MEMORY_LIMIT)
  const [, digits] = /^([1-9][0-9]{0,11})MiB$/.exec(variable?.value ?? '') ?? []
  return digits === undefined || others.length > 0 ? undefined : BigInt(digits)
}

/** An environment variable computed from the size of a container. */
export interface DerivedEnv {
  readonly container: string
  readonly name: string
  readonly value: string
  /** How it came about. */
  readonly step: VariableStep
}

/** The variable that Go's runtime reads its memory limit from. */
export const GO_MEMORY_LIMIT = 'GOMEMLIMIT'

type Unit = NonNullable<SizingSettings['env'][number]['unit']>

const SOURCES: Record<SizingSettings['env'][number]['from'], PercentageName> = {
  'requests.cpu': 'requestCPU',
  'requests.memory': 'requestMemory',
  'limits.cpu': 'limitCPU',
  'limits.memory': 'limitMemory',
}

/** Bytes or millicores per unit. */
const UNITS: Record<Unit, bigint> = {
  B: 1n,
  KiB: 1024n,
  MiB: 1024n ** 2n,
  GiB: 1024n ** 3n,
  Ki: 1024n,
  Mi: 1024n ** 2n,
  Gi: 1024n ** 3n,
  m: 1n,
  cores: 1000n,
}
const WITHOUT_SUFFIX: ReadonlySet<Unit> = new Set<Unit>(['B', 'cores'])

/**
 * GOMEMLIMIT and the derived variables of a policy, computed from exact amounts and rounded down to the unit.
 * GOMEMLIMIT is a fraction of the memory limit in MiB (research: kubescape section 1.5).
 */
export function deriveEnv(
  group: string,
  sizes: readonly ContainerSize[],
  settings: SizingSettings,
): { env: DerivedEnv[]; findings: Finding[] } {
  const env: DerivedEnv[] = []
  const findings: Finding[] = []
  const derive = (
    size: ContainerSize,
    name: string,
    from: PercentageName,
    fraction: Fraction,
    unit: Unit,
    suffix = true,
  ) => {
    const amount = size.amounts.get(from)
    const place = { subject: settings.subject }
    if (amount === undefined) {
      findings.push(
        finding(
          'DerivedWithoutSize',
          `group ${groupText(group)}: ${name} of container ${size.container} needs ${from}, which is unset`,
          place,
        ),
      )
      return
    }
    const count = timesRoundedDown(amount, fraction, UNITS[unit])
    if (count > 0n || unit === 'cores') {
      const { container } = size
      const value = `${count > 0n ? count : 1n}${suffix && !WITHOUT_SUFFIX.has(unit) ? unit : ''}`
      const share = { percentage: percent(hundredTimes(fraction)), raw: timesRoundedDown(amount, fraction) }
      const step = { name, container, ...share, basis: exactText(from, amount), from, printed: value }
      env.push({ container, name, value, step })
    } else
      findings.push(
        finding(
          'DerivedTooSmall',
          `group ${groupText(group)}: ${name} of container ${size.container} is less than 1${unit}`,
          place,
        ),
      )
  }
  if (settings.goMemLimit !== undefined) {
    const limited = sizes.filter(({ amounts }) => settings.isGoMemLimitStated || amounts.has('limitMemory'))
    for (const size of limited) derive(size, GO_MEMORY_LIMIT, 'limitMemory', settings.goMemLimit, 'MiB')
  }
  for (const [index, { container, name, from, fraction = 1, unit, suffix }] of settings.env.entries()) {
    const size =
      container === undefined
        ? sizes.length === 1
          ? sizes[0]
          : undefined
        : sizes.find((entry) => entry.container === container)
    if (size === undefined) {
      const field = { path: `spec.env.${index}.container`, currentValue: container }
      findings.push(
        finding(
          'ContainerNotChosen',
          `${settings.subject.metadata.name}: env ${name} ${container === undefined ? 'names no container' : `names container ${container}, which is not sized`}; sized containers: ${sizes.map((size) => size.container).join(', ')}`,
          { subject: settings.subject, field },
        ),
      )
    } else derive(size, name, SOURCES[from], decimal(fraction), unit ?? (from.endsWith('cpu') ? 'm' : 'MiB'), suffix)
  }
  return { env, findings }
}

function hundredTimes({ numerator, denominator }: Fraction): Fraction {
  return { numerator: numerator * 100n, denominator }
}

function exactText(name: PercentageName, amount: bigint): string {
  return (RESOURCE[name] === 'cpu' ? Quantity.ofMilli(amount) : Quantity.of(amount, 'BinarySI')).toString()
}
