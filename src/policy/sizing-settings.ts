import { type Finding, finding, type Subject } from '../finding/index.ts'
import { type Affinity, isLabelValue, isQualifiedName, type Toleration } from '../kube/index.ts'
import { decimal, type Fraction } from './fraction.ts'
import { SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'
import { mergeRules, type Rule, type RuleText, readRule } from './rule.ts'
import { notBuilt, validate } from './validate.ts'

type Spec = SizingPolicy['spec']

/** What the API server takes as the name of an environment variable. */
const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/

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
  findings.push(
    ...checkRules(settings),
    ...checkLabels(settings, spec),
    ...checkSelectors(settings),
    ...checkFraction(settings, spec),
  )
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

/** The policy's rule must hold by itself; of what groups and overrides add each value, and the whole for each group later. */
function checkRules({ subject, ruleText, explicitGroups, overrides }: SizingSettings): Finding[] {
  const findings = readRule(ruleText, subject, 'spec').findings
  if (findings.length > 0) return findings
  const additions: Array<[text: RuleText, path: string]> = [
    ...explicitGroups.map((group, index): [RuleText, string] => [group, `spec.groups.${index}`]),
    ...overrides.map((override, index): [RuleText, string] => [override, `spec.overrides.${index}`]),
  ]
  for (const [text, path] of additions) {
    const own = readRule(mergeRules([ruleText, text]), subject, path).findings
    findings.push(...own.filter(({ code }) => code === 'PercentageOutOfRange' || code === 'BoundInvalid'))
  }
  return findings
}

/** Selectors are written into what is rendered, where the API server would refuse a bad one. */
function checkSelectors({ subject, nodeSelector, explicitGroups, env, goMemLimit }: SizingSettings): Finding[] {
  const findings: Finding[] = []
  const bad = (path: string, value: string, wanted: string) =>
    findings.push(
      finding('InvalidField', `${subject.metadata.name}: ${path} "${value}" is not ${wanted}`, {
        subject,
        field: { path, currentValue: value },
      }),
    )
  const selectors = [
    ['spec.nodeSelector', nodeSelector] as const,
    ...explicitGroups.map((group, index) => [`spec.groups.${index}.nodeSelector`, group.nodeSelector] as const),
  ]
  for (const [path, selector] of selectors) {
    for (const [key, value] of Object.entries(selector)) {
      if (!isQualifiedName(key)) bad(path, key, 'a label key')
      if (!isLabelValue(value)) bad(`${path}.${key}`, value, 'a label value')
    }
  }
  const variables = new Set(goMemLimit === undefined ? [] : ['GOMEMLIMIT'])
  for (const [index, { name, container = '' }] of env.entries()) {
    const path = `spec.env.${index}.name`
    if (!VARIABLE.test(name)) bad(path, name, 'the name of an environment variable')
    const own = name === 'GOMEMLIMIT' && goMemLimit !== undefined ? name : `${container} ${name}`
    if (variables.has(own)) bad(path, name, 'to be given twice')
    variables.add(own)
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
