import { decimal, type SizingSettings } from '../../../kinds/index.ts'
import type { Finding } from '../../../krm/finding/index.ts'
import { memberOf, scalarText } from '../../../krm/map.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { KubeError, parseDuration, Quantity } from '../../../kube/index.ts'
import { finding } from './codes.ts'
import { type OperatorValues, operatorValues } from './operator-config.ts'

/**
 * A value of the operator and the policy's value for it: undefined if the policy does not set it, null if it disables
 * it.
 */
export interface DifferingValue {
  readonly path: string
  readonly theirs: unknown
  readonly ours: unknown
}

/**
 * Reports each value of the operator's configuration that differs in a policy for its template. Only values in the
 * configuration are compared: the chart renders its defaults into it, and those may differ from the defaults of a
 * policy.
 */
export function differsFromOperator(settings: SizingSettings, config: KubernetesObject): Finding[] {
  const { subject } = settings
  return differingFromPolicy(settings, config).map(({ path, theirs, ours }) => {
    const sentence = `${subject.metadata.name}: spec.${path} is ${valueWord(ours)}, but ${valueWord(theirs)} in ConfigMap ${config.metadata.name}`
    const field = { path: `spec.${path}`, currentValue: ours, proposedValue: theirs }
    return finding('OperatorConfigDiffers', sentence, { subject, field })
  })
}

/** Returns the values of the operator's configuration that differ in a policy. */
export function differingFromPolicy(settings: SizingSettings, config: KubernetesObject): DifferingValue[] {
  const { ruleText, groupLabels, rangeBounds, goMemLimit } = settings
  return differingValues(operatorValues(config) ?? {}, {
    ...ruleText,
    nodeGroupLabel: `${rangeBounds === undefined ? '' : 'ranges of '}${groupLabels.join(', ')}`,
    defaultNodeGroup: settings.defaultNodeGroup,
    goMemLimitPercentage: goMemLimit && Number(goMemLimit.numerator) / Number(goMemLimit.denominator),
    seLinuxType: settings.seLinuxType,
    bottlerocketAutoDetect: settings.bottlerocketAutoDetect,
    reconcileInterval: memberOf(memberOf(settings.subject, 'spec'), 'reconcileInterval'),
  })
}

/** Returns the values of one configuration that differ in another, without those that only one of them has. */
export function differingInBoth(theirs: KubernetesObject, ours: KubernetesObject): DifferingValue[] {
  const differing = differingValues(operatorValues(theirs) ?? {}, operatorValues(ours) ?? {})
  return differing.filter((value) => value.ours !== undefined)
}

function differingValues(theirs: OperatorValues, ours: object): DifferingValue[] {
  const { resourcePercentages, minResources, maxResources, ...values } = theirs
  const blocks = { resourcePercentages, minResources, maxResources }
  const all = [
    // a render has no clock, so a policy without an interval does not differ in it
    ...Object.entries(values)
      .filter(([path]) => path !== 'reconcileInterval' || memberOf(ours, path) !== undefined)
      .map(([path, value]) => ({ path, theirs: value, ours: memberOf(ours, path) })),
    ...Object.entries(blocks).flatMap(([block, values]) =>
      Object.entries(values ?? {}).map(([name, value]) => {
        return { path: `${block}.${name}`, theirs: value, ours: memberOf(memberOf(ours, block), name) }
      }),
    ),
  ]
  return all.filter((value) => !isSameValue(value))
}

/** How values are compared, by their path or its first part; others as texts. */
const SAME: Record<string, (one: string, other: string) => boolean> = {
  goMemLimitPercentage: isSameNumber,
  reconcileInterval: isSameDuration,
  resourcePercentages: isSameNumber,
  minResources: isSameQuantity,
  maxResources: isSameQuantity,
}

function isSameValue({ path, theirs, ours }: DifferingValue): boolean {
  if (ours === undefined || ours === null) return false
  const isSame = SAME[path.split('.')[0] ?? ''] ?? isSameText
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

/** Formats a value for a sentence. */
export function valueWord(value: unknown): string {
  if (value === undefined || value === null) return 'not set'
  return value === '' ? 'empty' : scalarText(value)
}
