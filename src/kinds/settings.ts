import type { Finding, Subject } from '../krm/finding.ts'
import { type Affinity, parseDuration, type Toleration, unlessMalformed } from '../kube/index.ts'
import { finding, invalidValue, refusedValue } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'
import type { Fraction, RuleText, Steps } from './rule.ts'

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

/** How many nodes may get a new agent at once, and how the others are held back. */
export interface Rollout {
  /** Returns how many of a policy's nodes may change at once. */
  readonly mostOf: (nodeCount: number) => number
  /** As written. */
  readonly maxNodes: string
  /** The interval between batches, in nanoseconds; undefined if groups follow each other in sync waves. */
  readonly every?: bigint
}

const PERCENTAGE = /^(100|[1-9][0-9]?)%$/

/** Reads `rollout`: a node count or percentage, and either an interval or waves. */
export function readRollout(
  written: SizingPolicy['spec']['rollout'],
  subject: Subject,
  path = 'spec.rollout',
): { rollout?: Rollout; findings: Finding[] } {
  if (written === undefined) return { findings: [] }
  const { maxNodes, every, waves = false } = written
  const mostOf = readMost(maxNodes)
  const time = every === undefined ? undefined : readTime(every)
  const bad = (field: string, value: unknown, wanted: string) =>
    invalidValue(subject, `${path}.${field}`, String(value), wanted)
  const missing = finding('InvalidField', `${subject.metadata.name}: spec.rollout needs every, or waves: true`, {
    subject,
    field: { path: 'spec.rollout.every' },
  })
  const findings = [
    ...(mostOf === undefined ? [bad('maxNodes', maxNodes, 'a positive number or a percentage from 1% to 100%')] : []),
    ...(every !== undefined && time === undefined ? [bad('every', every, 'a positive duration, such as 10m')] : []),
    ...(waves && every !== undefined
      ? [refusedValue(subject, 'spec.rollout.waves', 'true', 'cannot be set together with every')]
      : []),
    ...(!waves && every === undefined ? [missing] : []),
  ]
  if (mostOf === undefined || findings.length > 0) return { findings }
  return { rollout: { mostOf, maxNodes: String(maxNodes), every: time }, findings }
}

function readMost(maxNodes: string | number): Rollout['mostOf'] | undefined {
  if (typeof maxNodes === 'number') return maxNodes > 0 ? () => maxNodes : undefined
  const percentage = PERCENTAGE.exec(maxNodes)?.[1]
  return percentage === undefined ? undefined : (count) => Math.floor((count * Number(percentage)) / 100)
}

function readTime(every: string): bigint | undefined {
  const time = unlessMalformed(() => parseDuration(every))
  return time !== undefined && time > 0n ? time : undefined
}
