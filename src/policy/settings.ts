import type { Subject } from '../finding/index.ts'
import type { Affinity, Toleration } from '../kube/index.ts'
import type { Steps } from './bounds.ts'
import type { SizingPolicy } from './generated/types.ts'
import type { Rollout } from './rollout.ts'
import type { Fraction, RuleText } from './rule.ts'

type Spec = SizingPolicy['spec']

/** A SizingPolicy that is valid, with its defaults filled in and its numbers exact. */
export interface SizingSettings {
  readonly subject: Subject
  readonly enabled: boolean
  /** Whether what was rendered before stays as it is, whatever the rest says; the rest is then not read. */
  readonly suspended: boolean
  readonly cluster?: string
  readonly target: { apiVersion: string; kind: 'DaemonSet' | 'ConfigMap' | 'Order'; name: string; key?: string }
  /** What the names of everything rendered begin with, and its own container is called. */
  readonly baseName: string
  readonly groupLabels: readonly string[]
  /** The field that names them. */
  readonly groupLabelPath: string
  /** Where ranges of the one label's integers begin, if it groups by ranges. */
  readonly rangeBounds?: readonly bigint[]
  /** How much larger each class is than the last, if values of similar size share a group. */
  readonly classRatio?: bigint
  readonly explicitGroups: NonNullable<Spec['groups']>
  readonly defaultNodeGroup: string
  readonly remainder: boolean
  readonly nodeSelector: Record<string, string>
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
  readonly containers?: Spec['containers']
  readonly env: NonNullable<Spec['env']>
  readonly overrides: NonNullable<Spec['overrides']>
  readonly names: Record<string, string>
  readonly managedBy: { key: string; value: string }
  readonly nodeGroupKey: string
  readonly goMemLimit?: Fraction
  /** Whether the policy asks for GOMEMLIMIT itself; its target's default gives way where no memory limit is set. */
  readonly isGoMemLimitStated: boolean
  readonly seLinuxType?: string
  /** Whether the policy itself asks for an SELinux type; its target's default only fills what the template leaves open. */
  readonly isSeLinuxTypeStated: boolean
  readonly bottlerocketAutoDetect: boolean
  readonly isBottlerocketStated: boolean
  readonly formerNames: readonly string[]
  /** Which amount of a group's nodes percentages are taken of. */
  readonly basis: NonNullable<Spec['basis']>
  readonly steps: Steps
  /** How near the basis of the nodes must be for the remembered one to be kept, in percent; 0 keeps none. */
  readonly hysteresis: Fraction
  readonly rollout?: Rollout
  /** The policy's own rule as written, under what groups and overrides add. */
  readonly ruleText: RuleText
}
