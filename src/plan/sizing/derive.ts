import { groupText, type VariableStep } from '../../core/index.ts'
import {
  decimal,
  type Fraction,
  type PercentageName,
  type SizingSettings,
  timesRoundedDown,
} from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { Quantity } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { type ContainerSize, RESOURCE } from './share.ts'
import { percent } from './size.ts'

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
