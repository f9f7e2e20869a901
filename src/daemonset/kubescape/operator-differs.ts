import type { Finding } from '../../finding/index.ts'
import { memberOf, scalarText } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KubeError, parseDuration, Quantity } from '../../kube/index.ts'
import { decimal, type SizingSettings } from '../../policy/index.ts'
import { finding } from './codes.ts'
import { operatorValues } from './operator-config.ts'

/**
 * A value of the operator and the policy's value for it: undefined if the policy does not set it, null if it disables
 * it.
 */
interface Compared {
  readonly path: string
  readonly theirs: unknown
  readonly ours: unknown
  readonly isSame: (one: string, other: string) => boolean
}

/**
 * Reports each value of the operator's configuration that differs in a policy for its template. Only values in the
 * configuration are compared: the chart renders its defaults into it, and those may differ from the defaults of a
 * policy.
 */
export function differsFromOperator(settings: SizingSettings, config: KubernetesObject): Finding[] {
  const { subject } = settings
  return comparedOf(settings, config)
    .filter(({ theirs, ours, isSame }) => !isSameValue(theirs, ours, isSame))
    .map(({ path, theirs, ours }) => {
      const sentence = `${subject.metadata.name}: spec.${path} is ${wordOf(ours)}, but ${wordOf(theirs)} in ConfigMap ${config.metadata.name}`
      const field = { path: `spec.${path}`, currentValue: ours, proposedValue: theirs }
      return finding('OperatorConfigDiffers', sentence, { subject, field })
    })
}

function comparedOf(settings: SizingSettings, config: KubernetesObject): Compared[] {
  const { resourcePercentages, minResources, maxResources, ...values } = operatorValues(config) ?? {}
  const { ruleText, groupLabels, rangeBounds, goMemLimit } = settings
  const ours: Record<string, unknown> = {
    nodeGroupLabel: `${rangeBounds === undefined ? '' : 'ranges of '}${groupLabels.join(', ')}`,
    defaultNodeGroup: settings.defaultNodeGroup,
    goMemLimitPercentage: goMemLimit && Number(goMemLimit.numerator) / Number(goMemLimit.denominator),
    seLinuxType: settings.seLinuxType,
    bottlerocketAutoDetect: settings.bottlerocketAutoDetect,
    reconcileInterval: memberOf(memberOf(settings.subject, 'spec'), 'reconcileInterval'),
  }
  const blocks = [
    ['resourcePercentages', resourcePercentages, ruleText.resourcePercentages, isSameNumber],
    ['minResources', minResources, ruleText.minResources, isSameQuantity],
    ['maxResources', maxResources, ruleText.maxResources, isSameQuantity],
  ] as const
  return [
    // a render has no clock, so a policy without an interval does not differ in it
    ...Object.entries(values)
      .filter(([path]) => path !== 'reconcileInterval' || ours[path] !== undefined)
      .map(([path, theirs]) => ({ path, theirs, ours: ours[path], isSame: SAME[path] ?? isSameText })),
    ...blocks.flatMap(([block, theirs, values, isSame]) =>
      Object.entries(theirs ?? {}).map(([name, value]) => {
        return { path: `${block}.${name}`, theirs: value, ours: memberOf(values, name), isSame }
      }),
    ),
  ]
}

const SAME: Record<string, Compared['isSame']> = {
  goMemLimitPercentage: isSameNumber,
  reconcileInterval: isSameDuration,
}

function isSameValue(theirs: unknown, ours: unknown, isSame: Compared['isSame']): boolean {
  if (ours === undefined || ours === null) return false
  try {
    return isSame(scalarText(theirs), scalarText(ours))
  } catch (error) {
    // the operator cannot read such a value either
    if (error instanceof KubeError || error instanceof RangeError) return false
    throw error
  }
}

function isSameText(one: string, other: string): boolean {
  return one === other
}

function isSameNumber(one: string, other: string): boolean {
  const [first, second] = [decimal(Number(one)), decimal(Number(other))]
  return first.numerator * second.denominator === second.numerator * first.denominator
}

function isSameQuantity(one: string, other: string): boolean {
  return Quantity.parse(one).compare(Quantity.parse(other)) === 0
}

function isSameDuration(one: string, other: string): boolean {
  return parseDuration(one) === parseDuration(other)
}

function wordOf(value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return value === '' ? 'empty' : scalarText(value)
}
