import type { Finding } from '../finding/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { type Group, nameOfGroup } from '../sizing/index.ts'
import { finding } from './codes.ts'

const BOTTLEROCKET_TYPE = 'super_t'

/** An SELinux type for a group, and on which sized containers it is set: on all, or where there is one already. */
export interface SeLinux {
  readonly type: string
  readonly on: 'all' | 'present'
}

/**
 * The SELinux type that is set in a group, and the one that fills what the template leaves open: `super_t` where a node
 * runs Bottlerocket and the policy asks for detection, else the policy's own (research: kubescape section 1.12). A type
 * is given to a container that has none only where the policy says so itself.
 */
export function seLinuxOf(
  group: Group,
  settings: SizingSettings,
): { set?: SeLinux; fill?: string; findings: Finding[] } {
  const { seLinuxType, isSeLinuxTypeStated, isBottlerocketStated, subject } = settings
  const own = seLinuxType !== undefined && isSeLinuxTypeStated ? { type: seLinuxType, on: 'all' as const } : undefined
  const kinds = (group.sizedLike ?? group).members.map(({ shape }) =>
    shape.osImage.toLowerCase().includes('bottlerocket'),
  )
  const isDetected =
    settings.bottlerocketAutoDetect && kinds.includes(true) && !(group.sizedLike !== undefined && kinds.includes(false))
  if (!isDetected) return { set: own, fill: seLinuxType, findings: [] }
  const findings = kinds.includes(false)
    ? [finding('MixedOperatingSystems', `${nameOfGroup(group)} has Bottlerocket and other nodes`, { subject })]
    : []
  const on = own !== undefined || isBottlerocketStated ? 'all' : 'present'
  return { set: { type: BOTTLEROCKET_TYPE, on }, fill: BOTTLEROCKET_TYPE, findings }
}
