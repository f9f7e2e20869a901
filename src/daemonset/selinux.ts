import { type Finding, finding } from '../finding/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { Group } from '../sizing/index.ts'

const BOTTLEROCKET_TYPE = 'super_t'

/**
 * The SELinux type of a group's containers, undefined to leave it as it is: `super_t` where a node runs Bottlerocket
 * and the policy asks for detection, else the policy's own (research: kubescape section 1.12).
 */
export function seLinuxTypeOf(
  group: Group,
  { seLinuxType, bottlerocketAutoDetect, subject }: SizingSettings,
): { type?: string; findings: Finding[] } {
  if (!bottlerocketAutoDetect || group.id === 'remainder') return { type: seLinuxType, findings: [] }
  const isBottlerocket = group.members.map(({ shape }) => shape.osImage.toLowerCase().includes('bottlerocket'))
  if (!isBottlerocket.includes(true)) return { type: seLinuxType, findings: [] }
  const mixed = isBottlerocket.includes(false)
  const findings = mixed
    ? [finding('MixedOperatingSystems', `group ${group.id} has Bottlerocket and other nodes`, { subject })]
    : []
  return { type: BOTTLEROCKET_TYPE, findings }
}
