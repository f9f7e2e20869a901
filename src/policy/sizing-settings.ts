import { type Finding, finding, type Subject } from '../finding/index.ts'
import type { Affinity, Toleration } from '../kube/index.ts'
import { checkSettings, isFraction } from './check-settings.ts'
import { decimal, type Fraction } from './fraction.ts'
import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'
import { mergeRules, type Rule, type RuleText, readRule } from './rule.ts'
import { notBuilt, validate } from './validate.ts'

type Spec = SizingPolicy['spec']

/** A SizingPolicy that is valid, with its defaults filled in and its numbers exact. */
export interface SizingSettings {
  readonly subject: Subject
  readonly enabled: boolean
  readonly cluster?: string
  readonly target: { apiVersion: string; kind: string; name: string }
  readonly groupLabels: readonly string[]
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
  readonly seLinuxType?: string
  readonly bottlerocketAutoDetect: boolean
  readonly formerNames: readonly string[]
  /** The policy's own rule as written, under what groups and overrides add. */
  readonly ruleText: RuleText
}

/** Reads and checks a SizingPolicy. Without settings there is at least one error among the findings. */
export function readSizingPolicy(resource: Subject): { settings?: SizingSettings; findings: Finding[] } {
  const object = withoutNulls(resource)
  const findings = [...validate('SizingPolicy', object), ...notBuilt('SizingPolicy', object)]
  if (findings.length > 0) return { findings }
  const { spec } = object as unknown as SizingPolicy
  if ((spec.targetRef.kind ?? 'DaemonSet') !== 'DaemonSet') {
    const field = { path: 'spec.targetRef.kind', currentValue: spec.targetRef.kind, proposedValue: 'DaemonSet' }
    return {
      findings: [
        finding('NotBuilt', `${object.metadata.name}: targetRef.kind ${spec.targetRef.kind} is not built yet`, {
          subject: object,
          field,
        }),
      ],
    }
  }
  const settings = withDefaults(object, spec)
  findings.push(...checkSettings(settings, spec))
  return findings.length > 0 ? { findings } : { settings, findings }
}

/** The rule of a group: the policy's, then the explicit group's own, then the overrides for any of its names, the last one winning. */
export function ruleOf(
  settings: SizingSettings,
  names: readonly string[],
  own: RuleText = {},
): { rule?: Rule; findings: Finding[] } {
  const overrides = settings.overrides.filter(({ groups }) => groups.some((group) => names.includes(group)))
  return readRule(mergeRules([settings.ruleText, own, ...overrides]), settings.subject, 'spec')
}

function withDefaults(subject: Subject, spec: Spec): SizingSettings {
  const defaults = SIZING_POLICY_DEFAULTS
  const managedBy = spec.labels?.managedBy ?? defaults.labels.managedBy
  const equals = managedBy.indexOf('=')
  return {
    subject,
    enabled: spec.enabled ?? defaults.enabled,
    cluster: spec.cluster,
    target: { ...defaults.targetRef, ...spec.targetRef },
    groupLabels: spec.nodeGroupLabels ?? [spec.nodeGroupLabel ?? defaults.nodeGroupLabel],
    explicitGroups: spec.groups ?? [],
    defaultNodeGroup: spec.defaultNodeGroup ?? defaults.defaultNodeGroup,
    remainder: spec.remainder ?? defaults.remainder,
    nodeSelector: spec.nodeSelector ?? {},
    affinity: spec.affinity as Affinity | undefined,
    tolerations: (spec.tolerations ?? []) as Toleration[],
    containers: spec.containers,
    env: spec.env ?? [],
    overrides: spec.overrides ?? [],
    names: spec.names ?? {},
    managedBy: { key: managedBy.slice(0, Math.max(0, equals)), value: managedBy.slice(equals + 1) },
    nodeGroupKey: spec.labels?.nodeGroup ?? defaults.labels.nodeGroup,
    goMemLimit: isFraction(spec.goMemLimitPercentage) ? decimal(spec.goMemLimitPercentage) : undefined,
    seLinuxType: spec.seLinuxType,
    bottlerocketAutoDetect: spec.bottlerocketAutoDetect ?? false,
    formerNames: spec.formerNames ?? [],
    ruleText: mergeRules([defaults, spec]),
  }
}

/** A field that is there without a value (`tolerations:`) is a field that is not there. */
function withoutNulls(resource: Subject): Subject {
  const { spec } = resource as Subject & { spec?: unknown }
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return resource
  return {
    ...resource,
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)),
  } as Subject
}
