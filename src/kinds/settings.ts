import type { Subject } from '../krm/finding/index.ts'
import type { Affinity, Toleration } from '../kube/index.ts'
import type { Steps } from './bounds.ts'
import type { Fraction } from './fraction.ts'
import type { SizingPolicy } from './generated/types.ts'
import type { Rollout } from './rollout.ts'
import type { RuleText } from './rule.ts'

type Spec = SizingPolicy['spec']

/** A valid SizingPolicy with its defaults filled in and exact numbers. */
export interface SizingSettings {
  readonly subject: Subject
  readonly enabled: boolean
  /** Whether earlier output is kept as it is. The other fields are then not read. */
  readonly suspended: boolean
  readonly cluster?: string
  readonly target: { apiVersion: string; kind: 'DaemonSet' | 'ConfigMap' | 'Order'; name: string; key?: string }
  /** The prefix of every rendered name, and the name of the sized container. */
  readonly baseName: string
  readonly groupLabels: readonly string[]
  /** The field that sets the group labels. */
  readonly groupLabelPath: string
  /** The lower bounds of the ranges of the group label's integers, if the policy groups by ranges. */
  readonly rangeBounds?: readonly bigint[]
  /** The ratio between neighbouring classes, if values of similar size share a group. */
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
  /** Whether the policy itself sets GOMEMLIMIT. The default of its target is dropped where no memory limit is set. */
  readonly isGoMemLimitStated: boolean
  readonly seLinuxType?: string
  /**
   * Whether the policy itself sets an SELinux type. The default of its target only fills in what the template leaves
   * open.
   */
  readonly isSeLinuxTypeStated: boolean
  readonly bottlerocketAutoDetect: boolean
  readonly isBottlerocketStated: boolean
  readonly formerNames: readonly string[]
  /** How long the group of a label value stays after its last node, in milliseconds. */
  readonly retainGroups: number
  /** Taints that pass; `*` at the end of a key stands for any characters, without an effect both count. */
  readonly startupTaints: ReadonlyArray<{ readonly key: string; readonly effect?: 'NoSchedule' | 'NoExecute' }>
  /** Which amount of a group's nodes the percentages refer to. */
  readonly basis: NonNullable<Spec['basis']>
  readonly steps: Steps
  /** The difference up to which a remembered basis is kept, in percent; 0 always takes the current one. */
  readonly hysteresis: Fraction
  readonly rollout?: Rollout
  /**
   * The policy's own rule as written, which groups and overrides extend. For a DaemonSet or an Order a percentage may
   * be missing; `statedSizes` then says so, or starts it from today's.
   */
  readonly ruleText: RuleText
}
