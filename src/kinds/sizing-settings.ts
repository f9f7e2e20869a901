import type { Finding, Subject } from '../krm/finding.ts'
import { isMap, type Mapping, memberOf } from '../krm/map.ts'
import type { Affinity, Toleration } from '../kube/index.ts'
import { KORDER, renamedFindings } from './api-versions.ts'
import { checkSettings, isFraction, retentionOf } from './check-settings.ts'
import { finding } from './codes.ts'
import { CONFIG_MAP_DEFAULTS, NO_EFFECT, SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'
import { decimal, mergeRules, type Rule, type RuleText, readRule, readSteps } from './rule.ts'
import { readRollout, type SizingSettings } from './settings.ts'
import { notBuiltFindings, validate } from './validate.ts'

type Spec = SizingPolicy['spec']

/** Kubescape's name for its node agent: the container, the component and the prefix of every name. */
const KUBESCAPE_NAME = 'node-agent'

/** Reads and checks a SizingPolicy; without settings the findings contain an error. */
export function readSizingPolicy(resource: Subject): { settings?: SizingSettings; findings: Finding[] } {
  const object = relevantFields(withoutQuotes(withoutNulls(resource)))
  const findings = [...validate('SizingPolicy', object), ...notBuiltFindings('SizingPolicy', object)]
  if (findings.length > 0) return { findings }
  const { spec } = object as unknown as SizingPolicy
  const renamed = renamedFindings(object, spec)
  if (renamed.length > 0) return { findings: renamed }
  const { kind = SIZING_POLICY_DEFAULTS.targetRef.kind } = spec.targetRef
  const { steps, findings: stepFindings } = readSteps(spec.step, object)
  const { rollout, findings: rolloutFindings } = readRollout(spec.rollout, object)
  const settings = { ...withDefaults(object, spec, kind), steps, rollout }
  findings.push(...stepFindings, ...rolloutFindings, ...checkSettings(settings, spec))
  return findings.length > 0
    ? { findings }
    : {
        settings,
        findings: [...noEffectFindings(object, spec), ...headroomFindings(object, spec), ...unitFindings(object, spec)],
      }
}

/** A quantity in thousandths, which are usual for CPU only. */
const THOUSANDTHS = /^\+?[0-9.]+m$/

/** Reports bounds of memory in thousandths of a byte: `180m` bounds nothing, or takes all memory away. */
function unitFindings(subject: Subject, { minResources, maxResources, groups = [], overrides = [] }: Spec): Finding[] {
  const rules = [
    { path: 'spec', minResources, maxResources },
    ...groups.map((group, index) => ({ path: `spec.groups.${index}`, ...group })),
    ...overrides.map((override, index) => ({ path: `spec.overrides.${index}`, ...override })),
  ]
  return rules.flatMap(({ path, ...rule }) =>
    (['minResources', 'maxResources'] as const).flatMap((side) =>
      (['memory', 'limitMemory'] as const).flatMap((name) => {
        const written = rule[side]?.[name]
        if (!THOUSANDTHS.test(String(written))) return []
        const meant = `${String(written).slice(0, -1)}M`
        const field = { path: `${path}.${side}.${name}`, currentValue: written, proposedValue: meant }
        const sentence = `${subject.metadata.name}: ${path}.${side}.${name} is ${written}, thousandths of a byte: did you mean ${meant}?`
        return [finding('MemoryInThousandths', sentence, { subject, field })]
      }),
    ),
  )
}

/**
 * Returns the function that merges the rule of a group: the policy's rule, then the explicit group's, then the
 * overrides for any of its names, the last one winning. Most groups share one rule, which is read once.
 */
export function rulesOf(
  settings: SizingSettings,
): (names: readonly string[], groupRule?: RuleText) => { rule?: Rule; findings: Finding[] } {
  const known = new Map<string, ReturnType<typeof readRule>>()
  return (names, groupRule = {}) => {
    const overrides = settings.overrides.filter(({ groups }) => groups.some((group) => names.includes(group)))
    const text = mergeRules([settings.ruleText, groupRule, ...overrides])
    const key = JSON.stringify(text)
    const read = known.get(key) ?? readRule(text, settings.subject, 'spec')
    known.set(key, read)
    return read
  }
}

/**
 * Fills in the defaults for the kind of target: a ConfigMap gets those of Kubescape's operator, which are sizes, too. A
 * DaemonSet or an Order has no default size.
 */
function withDefaults(
  subject: Subject,
  spec: Spec,
  kind: SizingSettings['target']['kind'],
): Omit<SizingSettings, 'steps' | 'rollout'> {
  const defaults = SIZING_POLICY_DEFAULTS
  const targetDefaults: Partial<typeof CONFIG_MAP_DEFAULTS> = kind === 'ConfigMap' ? CONFIG_MAP_DEFAULTS : {}
  const labels = { ...defaults.labels, ...targetDefaults.labels, ...spec.labels }
  const order = kind === 'Order' ? { apiVersion: KORDER } : {}
  const target = { ...defaults.targetRef, ...targetDefaults.targetRef, ...order, ...spec.targetRef, kind }
  const goMemLimit = spec.goMemLimitPercentage ?? spec.gomemlimitPercentage ?? targetDefaults.goMemLimitPercentage
  const { managedBy } = labels
  const equals = managedBy.indexOf('=')
  return {
    subject,
    enabled: spec.enabled ?? defaults.enabled,
    suspended: spec.suspend ?? defaults.suspend,
    cluster: spec.cluster,
    target,
    baseName: kind === 'ConfigMap' ? KUBESCAPE_NAME : target.name,
    ...groupingOf(spec),
    explicitGroups: spec.groups ?? [],
    defaultNodeGroup: spec.defaultNodeGroup ?? defaults.defaultNodeGroup,
    remainder: spec.remainder ?? (kind === 'Order' ? false : defaults.remainder),
    nodeSelector: spec.nodeSelector ?? {},
    affinity: spec.affinity as Affinity | undefined,
    tolerations: (spec.tolerations ?? []) as Toleration[],
    containers: spec.containers,
    env: spec.env ?? [],
    overrides: spec.overrides ?? [],
    names: spec.names ?? {},
    managedBy: { key: managedBy.slice(0, Math.max(0, equals)), value: managedBy.slice(equals + 1) },
    nodeGroupKey: labels.nodeGroup,
    goMemLimit: isFraction(goMemLimit) ? decimal(goMemLimit) : undefined,
    isGoMemLimitStated: (spec.goMemLimitPercentage ?? spec.gomemlimitPercentage) !== undefined,
    seLinuxType: spec.seLinuxType || targetDefaults.seLinuxType,
    isSeLinuxTypeStated: Boolean(spec.seLinuxType),
    isBottlerocketStated: spec.bottlerocketAutoDetect !== undefined,
    bottlerocketAutoDetect: spec.bottlerocketAutoDetect ?? targetDefaults.bottlerocketAutoDetect ?? false,
    formerNames: spec.formerNames ?? [],
    retainGroups: retentionOf(spec.retainGroups ?? defaults.retainGroups) ?? 0,
    startupTaints: spec.startupTaints ?? defaults.startupTaints,
    basis: spec.basis ?? defaults.basis,
    hysteresis: decimal(spec.hysteresisPercent ?? defaults.hysteresisPercent),
    ruleText: mergeRules([targetDefaults, spec]),
  }
}

/** Returns the labels that form the groups, the field that sets them, and how their values are combined. */
function groupingOf({ nodeGroupLabel, nodeGroupLabels, nodeGroupRanges, classes }: Spec) {
  if (nodeGroupRanges !== undefined) {
    const { label, bounds } = nodeGroupRanges
    return { groupLabels: [label], groupLabelPath: 'spec.nodeGroupRanges.label', rangeBounds: bounds.map(BigInt) }
  }
  return {
    groupLabels: nodeGroupLabels ?? [nodeGroupLabel ?? SIZING_POLICY_DEFAULTS.nodeGroupLabel],
    groupLabelPath: nodeGroupLabels === undefined ? 'spec.nodeGroupLabel' : 'spec.nodeGroupLabels',
    classRatio: classes === undefined ? undefined : BigInt(classes.ratio),
  }
}

/** Reports keys that are accepted only so that a chart's whole block can be pasted in. */
function noEffectFindings(subject: Subject, spec: Spec): Finding[] {
  return Object.entries(NO_EFFECT)
    .filter(([name]) => spec[name as keyof Spec] !== undefined)
    .map(([name, why]) =>
      finding('FieldWithoutEffect', `${subject.metadata.name}: ${name} has no effect: ${why}`, {
        subject,
        field: { path: `spec.${name}`, currentValue: spec[name as keyof Spec] },
      }),
    )
}

/** Reports a GOMEMLIMIT of the whole memory limit, which leaves no room for memory outside the Go runtime. */
function headroomFindings(subject: Subject, spec: Spec): Finding[] {
  const given = (['goMemLimitPercentage', 'gomemlimitPercentage'] as const).find((name) => spec[name] === 1)
  if (given === undefined) return []
  const field = { path: `spec.${given}`, currentValue: 1, proposedValue: 0.8 }
  return [finding('NoHeadroom', `${subject.metadata.name}: ${given} is 1`, { subject, field })]
}

/** The fields that tell which output belongs to a policy. For a suspended policy only these are read. */
const IDENTITY = ['targetRef', 'formerNames', 'suspend']

function relevantFields(resource: Subject): Subject {
  const { spec } = resource as Subject & { spec?: unknown }
  if (!isMap(spec) || spec.suspend !== true) return resource
  const identity = Object.entries(spec).filter(([name]) => IDENTITY.includes(name))
  return { ...resource, spec: Object.fromEntries(identity) } as Subject
}

/** Removes fields without a value (`tolerations:`), which count as absent. */
function withoutNulls(resource: Subject): Subject {
  const { spec } = resource as Subject & { spec?: unknown }
  if (!isMap(spec)) return resource
  return {
    ...resource,
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)),
  } as Subject
}

/** The numbers of a spec that Kubescape's chart prints as they are written, with quotes or without. */
const NUMBERS = ['goMemLimitPercentage', 'gomemlimitPercentage']
const NUMBERS_BLOCK = 'resourcePercentages'

/** Returns text as a number where it is one, as the operator's reader does: `"2"` is 2; any other value as it is. */
export function unquotedNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

/** Reads quoted numbers in a policy for a ConfigMap as the chart takes them, whose values can be pasted in. */
function withoutQuotes(policy: Subject & { spec?: unknown }): Subject {
  const { spec } = policy
  if (!isMap(spec) || memberOf(spec.targetRef, 'kind') !== 'ConfigMap') return policy
  const block = spec[NUMBERS_BLOCK]
  const read = {
    ...numbersIn(spec, NUMBERS),
    ...(isMap(block) ? { [NUMBERS_BLOCK]: { ...block, ...numbersIn(block, Object.keys(block)) } } : {}),
  }
  return { ...policy, spec: { ...spec, ...read } } as Subject
}

function numbersIn(map: Mapping, names: readonly string[]): Mapping {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(map, name)).map((name) => [name, unquotedNumber(map[name])]),
  )
}
