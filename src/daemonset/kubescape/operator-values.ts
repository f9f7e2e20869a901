import type { Mapping } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { autoscalerSection, memberInCase } from './operator-config.ts'

/** The keys of the operator's section that a policy has, too, under the same names. */
const KEYS = [
  'nodeGroupLabel',
  'defaultNodeGroup',
  'reconcileInterval',
  'goMemLimitPercentage',
  'seLinuxType',
  'bottlerocketAutoDetect',
] as const
const BLOCKS = {
  resourcePercentages: ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory'],
  minResources: ['cpu', 'memory'],
  maxResources: ['cpu', 'memory'],
} as const

/**
 * What the operator's autoscaler is told, as the fields of a policy; what its configuration does not say is not there.
 */
export type OperatorValues = Partial<Record<(typeof KEYS)[number], unknown>> & {
  [block in keyof typeof BLOCKS]?: Readonly<Partial<Record<(typeof BLOCKS)[block][number], unknown>>>
}

/**
 * The values of the operator's autoscaler in its ConfigMap; undefined where it has no section of it. They are as the
 * JSON has them, whatever that is: who takes them into a policy has them checked there.
 */
export function operatorValues(object: KubernetesObject): OperatorValues | undefined {
  const section = autoscalerSection(object)
  if (section === undefined) return undefined
  const blocks = Object.entries(BLOCKS).map(
    ([block, names]) => [block, picked(memberInCase(section, block), names)] as const,
  )
  return {
    ...picked(section, KEYS),
    ...Object.fromEntries(blocks.filter(([, values]) => Object.keys(values).length > 0)),
  }
}

function picked(map: unknown, names: readonly string[]): Mapping {
  const found = names.map((name) => [name, memberInCase(map, name)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null))
}
