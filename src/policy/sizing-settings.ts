import type { Finding, Subject } from '../finding/index.ts'
import { isMap } from '../krm/map.ts'
import type { Affinity, Toleration } from '../kube/index.ts'
import { KORDER } from './api-versions.ts'
import { readSteps } from './bounds.ts'
import { checkSettings, isFraction } from './check-settings.ts'
import { finding } from './codes.ts'
import { CONFIG_MAP_DEFAULTS, NO_EFFECT, SIZING_POLICY_DEFAULTS } from './generated/fields.ts'
import type { SizingPolicy } from './generated/types.ts'
import { readRollout } from './rollout.ts'
import { decimal, mergeRules, type Rule, type RuleText, readRule } from './rule.ts'
import type { SizingSettings } from './settings.ts'
import { notBuilt, validate } from './validate.ts'

type Spec = SizingPolicy['spec']

/** What Kubescape calls its node agent: container, component and the beginning of every name. */
const KUBESCAPE_NAME = 'node-agent'

/** Reads and checks a SizingPolicy. Without settings there is at least one error among the findings. */
export function readSizingPolicy(resource: Subject): { settings?: SizingSettings; findings: Finding[] } {
  const object = whatCounts(withoutNulls(resource))
  const findings = [...validate('SizingPolicy', object), ...notBuilt('SizingPolicy', object)]
  if (findings.length > 0) return { findings }
  const { spec } = object as unknown as SizingPolicy
  const { kind = SIZING_POLICY_DEFAULTS.targetRef.kind } = spec.targetRef
  const { steps, findings: stepFindings } = readSteps(spec.step, object)
  const { rollout, findings: rolloutFindings } = readRollout(spec.rollout, object)
  const settings = { ...withDefaults(object, spec, kind), steps, rollout }
  findings.push(...stepFindings, ...rolloutFindings, ...checkSettings(settings, spec))
  return findings.length > 0
    ? { findings }
    : { settings, findings: [...withoutEffect(object, spec), ...noHeadroom(object, spec)] }
}

/**
 * The rules of a policy's groups: the policy's, then the explicit group's own, then the overrides for any of its names, the last one winning.
 * Most groups share one, which is read once.
 */
export function rulesOf(
  settings: SizingSettings,
): (names: readonly string[], own?: RuleText) => { rule?: Rule; findings: Finding[] } {
  const known = new Map<string, ReturnType<typeof readRule>>()
  return (names, own = {}) => {
    const overrides = settings.overrides.filter(({ groups }) => groups.some((group) => names.includes(group)))
    const text = mergeRules([settings.ruleText, own, ...overrides])
    const key = JSON.stringify(text)
    const read = known.get(key) ?? readRule(text, settings.subject, 'spec')
    known.set(key, read)
    return read
  }
}

/** Every value with the default that belongs to the target: Kubescape's ConfigMap has those of its operator. */
function withDefaults(
  subject: Subject,
  spec: Spec,
  kind: SizingSettings['target']['kind'],
): Omit<SizingSettings, 'steps' | 'rollout'> {
  const defaults = SIZING_POLICY_DEFAULTS
  const own: Partial<typeof CONFIG_MAP_DEFAULTS> = kind === 'ConfigMap' ? CONFIG_MAP_DEFAULTS : {}
  const labels = { ...defaults.labels, ...own.labels, ...spec.labels }
  const order = kind === 'Order' ? { apiVersion: KORDER } : {}
  const target = { ...defaults.targetRef, ...own.targetRef, ...order, ...spec.targetRef, kind }
  const goMemLimit = spec.goMemLimitPercentage ?? spec.gomemlimitPercentage ?? own.goMemLimitPercentage
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
    seLinuxType: spec.seLinuxType || own.seLinuxType,
    isSeLinuxTypeStated: Boolean(spec.seLinuxType),
    isBottlerocketStated: spec.bottlerocketAutoDetect !== undefined,
    bottlerocketAutoDetect: spec.bottlerocketAutoDetect ?? own.bottlerocketAutoDetect ?? false,
    formerNames: spec.formerNames ?? [],
    basis: spec.basis ?? defaults.basis,
    hysteresis: decimal(spec.hysteresisPercent ?? defaults.hysteresisPercent),
    ruleText: mergeRules([defaults, spec]),
  }
}

/** The labels that make the groups, the field that names them, and how their values are put together. */
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

/** Keys that are taken for the sake of a whole configuration pasted in, and change nothing. */
function withoutEffect(subject: Subject, spec: Spec): Finding[] {
  return Object.entries(NO_EFFECT)
    .filter(([name]) => spec[name as keyof Spec] !== undefined)
    .map(([name, why]) =>
      finding('FieldWithoutEffect', `${subject.metadata.name}: ${name} changes nothing: ${why}`, {
        subject,
        field: { path: `spec.${name}`, currentValue: spec[name as keyof Spec] },
      }),
    )
}

/** A whole memory limit as GOMEMLIMIT is legal, and leaves nothing for what the runtime does not count. */
function noHeadroom(subject: Subject, spec: Spec): Finding[] {
  const given = (['goMemLimitPercentage', 'gomemlimitPercentage'] as const).find((name) => spec[name] === 1)
  if (given === undefined) return []
  const field = { path: `spec.${given}`, currentValue: 1, proposedValue: 0.8 }
  return [finding('NoHeadroom', `${subject.metadata.name}: ${given} is 1`, { subject, field })]
}

/** What says whose output a policy's is; of one that is suspended nothing else counts, nor stops it. */
const IDENTITY = ['targetRef', 'formerNames', 'suspend']

function whatCounts(resource: Subject): Subject {
  const { spec } = resource as Subject & { spec?: unknown }
  if (!isMap(spec) || spec.suspend !== true) return resource
  const own = Object.entries(spec).filter(([name]) => IDENTITY.includes(name))
  return { ...resource, spec: Object.fromEntries(own) } as Subject
}

/** A field that is there without a value (`tolerations:`) is a field that is not there. */
function withoutNulls(resource: Subject): Subject {
  const { spec } = resource as Subject & { spec?: unknown }
  if (!isMap(spec)) return resource
  return {
    ...resource,
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null)),
  } as Subject
}
