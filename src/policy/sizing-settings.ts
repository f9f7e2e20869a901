import { type Finding, finding, type Subject } from '../finding/index.ts'
import { type Affinity, isLabelValue, isQualifiedName, type Toleration } from '../kube/index.ts'
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
  findings.push(...checkRules(settings), ...checkLabels(settings, spec), ...checkFraction(settings, spec))
  return findings.length > 0 ? { findings } : { settings, findings }
}

/** The rule of a group: the policy's, then the explicit group's own, then the overrides for any of its names. */
export function ruleOf(settings: SizingSettings, names: readonly string[], own: RuleText = {}): Rule {
  const overrides = settings.overrides.filter(({ groups }) => groups.some((group) => names.includes(group)))
  const { rule } = readRule(mergeRules([settings.ruleText, own, ...overrides]), settings.subject, 'spec')
  if (rule === undefined) throw new Error('a rule was not checked before it was used')
  return rule
}

function withDefaults(subject: Subject, spec: Spec): SizingSettings {
  const defaults = SIZING_POLICY_DEFAULTS
  const managedBy = spec.labels?.managedBy ?? defaults.labels.managedBy
  const [key = '', value = ''] = managedBy.split('=')
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
    managedBy: { key, value },
    nodeGroupKey: spec.labels?.nodeGroup ?? defaults.labels.nodeGroup,
    goMemLimit: isFraction(spec.goMemLimitPercentage) ? decimal(spec.goMemLimitPercentage) : undefined,
    seLinuxType: spec.seLinuxType,
    bottlerocketAutoDetect: spec.bottlerocketAutoDetect ?? false,
    formerNames: spec.formerNames ?? [],
    ruleText: mergeRules([defaults, spec]),
  }
}

function checkRules({ subject, ruleText, explicitGroups, overrides }: SizingSettings): Finding[] {
  const findings = readRule(ruleText, subject, 'spec').findings
  if (findings.length > 0) return findings
  for (const [index, group] of explicitGroups.entries()) {
    findings.push(...readRule(mergeRules([ruleText, group]), subject, `spec.groups.${index}`).findings)
  }
  for (const [index, override] of overrides.entries()) {
    findings.push(...readRule(mergeRules([ruleText, override]), subject, `spec.overrides.${index}`).findings)
  }
  return findings
}

function checkLabels({ subject, groupLabels, managedBy, nodeGroupKey }: SizingSettings, spec: Spec): Finding[] {
  const findings: Finding[] = []
  const bad = (path: string, value: string, wanted: string) =>
    findings.push(
      finding('InvalidField', `${subject.metadata.name}: ${path} "${value}" is not ${wanted}`, {
        subject,
        field: { path, currentValue: value },
      }),
    )
  for (const label of groupLabels) {
    const path = spec.nodeGroupLabels === undefined ? 'spec.nodeGroupLabel' : 'spec.nodeGroupLabels'
    if (!isQualifiedName(label)) bad(path, label, 'a label key')
  }
  if (!isQualifiedName(nodeGroupKey)) bad('spec.labels.nodeGroup', nodeGroupKey, 'a label key')
  if (!isQualifiedName(managedBy.key) || !isLabelValue(managedBy.value)) {
    bad('spec.labels.managedBy', `${managedBy.key}=${managedBy.value}`, 'a label, written key=value')
  }
  if (spec.nodeGroupLabel !== undefined && spec.nodeGroupLabels !== undefined) {
    bad('spec.nodeGroupLabel', spec.nodeGroupLabel, 'to be given beside nodeGroupLabels')
  }
  return findings
}

function checkFraction({ subject }: SizingSettings, { goMemLimitPercentage }: Spec): Finding[] {
  if (goMemLimitPercentage === undefined || isFraction(goMemLimitPercentage)) return []
  const field = { path: 'spec.goMemLimitPercentage', currentValue: goMemLimitPercentage, proposedValue: 0.8 }
  return [
    finding(
      'FractionOutOfRange',
      `${subject.metadata.name}: goMemLimitPercentage ${goMemLimitPercentage} is out of valid range (0, 1]`,
      { subject, field },
    ),
  ]
}

function isFraction(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value <= 1
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
