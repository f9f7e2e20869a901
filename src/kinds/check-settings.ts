import type { Finding } from '../krm/finding.ts'
import { isLabelValue, isQualifiedName, parseDuration, unlessMalformed } from '../kube/index.ts'
import { parseInt64 } from '../kube/quantity.ts'
import { finding, invalidValue, refusedValue } from './codes.ts'
import type { SizingPolicy } from './generated/types.ts'
import { mergeRules, type RuleText, readRule } from './rule.ts'
import type { SizingSettings } from './settings.ts'

type Spec = SizingPolicy['spec']

/** The names of environment variables that the API server accepts. */
const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/

/** Checks what a schema cannot express: rules across fields, and values that the API server would refuse. */
export function checkSettings(settings: SizingSettings, spec: Spec): Finding[] {
  return [
    ...checkRules(settings),
    ...checkLabels(settings),
    ...checkGrouping(settings, spec),
    ...checkSelectors(settings),
    ...checkFraction(settings, spec),
    ...checkTarget(settings, spec),
    ...checkSeLinuxType(settings),
    ...checkInterval(settings, spec),
    ...checkRetention(settings, spec),
  ]
}

/**
 * The policy's own rule must be valid. For groups and overrides, each value is checked here, and the merged rule of
 * each group later.
 */
function checkRules({ subject, ruleText, explicitGroups, overrides }: SizingSettings): Finding[] {
  const findings = readRule(ruleText, subject, 'spec').findings
  if (findings.length > 0) return findings
  const additions: Array<[text: RuleText, path: string]> = [
    ...explicitGroups.map((group, index): [RuleText, string] => [group, `spec.groups.${index}`]),
    ...overrides.map((override, index): [RuleText, string] => [override, `spec.overrides.${index}`]),
  ]
  for (const [text, path] of additions) {
    const ruleFindings = readRule(mergeRules([ruleText, text]), subject, path).findings
    findings.push(...ruleFindings.filter(({ code }) => code === 'PercentageOutOfRange' || code === 'BoundInvalid'))
  }
  return findings
}

/** Selectors are copied into the rendered objects, where the API server would refuse an invalid one. */
function checkSelectors({ subject, nodeSelector, explicitGroups, env, goMemLimit }: SizingSettings): Finding[] {
  const findings: Finding[] = []
  const bad = (path: string, value: string, wanted: string) => findings.push(invalidValue(subject, path, value, wanted))
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
    const key = name === 'GOMEMLIMIT' && goMemLimit !== undefined ? name : `${container} ${name}`
    if (variables.has(key)) findings.push(refusedValue(subject, path, name, 'is set twice'))
    variables.add(key)
  }
  return findings
}

function checkLabels({ subject, groupLabels, groupLabelPath, managedBy, nodeGroupKey }: SizingSettings): Finding[] {
  const findings: Finding[] = []
  const bad = (path: string, value: string, wanted: string) => findings.push(invalidValue(subject, path, value, wanted))
  for (const label of groupLabels) {
    if (!isQualifiedName(label)) bad(groupLabelPath, label, 'a label key')
  }
  if (!isQualifiedName(nodeGroupKey)) bad('spec.labels.nodeGroup', nodeGroupKey, 'a label key')
  if (!isQualifiedName(managedBy.key) || !isLabelValue(managedBy.value)) {
    bad('spec.labels.managedBy', `${managedBy.key}=${managedBy.value}`, 'a label, written key=value')
  }
  return findings
}

function checkFraction({ subject }: SizingSettings, spec: Spec): Finding[] {
  const given = (['goMemLimitPercentage', 'gomemlimitPercentage'] as const).filter((name) => spec[name] !== undefined)
  const findings = given
    .filter((name) => !isFraction(spec[name]))
    .map((name) => {
      const field = { path: `spec.${name}`, currentValue: spec[name], proposedValue: 0.8 }
      const sentence = `${subject.metadata.name}: ${name} ${spec[name]} is out of valid range (0, 1]`
      return finding('FractionOutOfRange', sentence, { subject, field })
    })
  if (given.length > 1)
    findings.push(
      refusedValue(
        subject,
        'spec.gomemlimitPercentage',
        String(spec.gomemlimitPercentage),
        'cannot be set together with goMemLimitPercentage',
      ),
    )
  return findings
}

function checkSeLinuxType({ subject, seLinuxType }: SizingSettings): Finding[] {
  if (seLinuxType === undefined || /^[A-Za-z][A-Za-z0-9_.-]*$/.test(seLinuxType)) return []
  return [invalidValue(subject, 'spec.seLinuxType', seLinuxType, 'an SELinux type, such as spc_t')]
}

/** Fields about containers, or about nodes that do not exist yet, do not apply to Orders. */
const NOT_FOR_ORDERS = [
  'containers',
  'env',
  'goMemLimitPercentage',
  'gomemlimitPercentage',
  'seLinuxType',
  'bottlerocketAutoDetect',
  'rollout',
  'usage',
] as const

/** Only a ConfigMap has keys, and an Order has no containers. */
function checkTarget({ subject, target, remainder }: SizingSettings, spec: Spec): Finding[] {
  const { targetRef } = spec
  if (target.kind === 'Order') {
    const given = NOT_FOR_ORDERS.filter((name) => spec[name] !== undefined)
    const findings = given.map((name) => {
      const why = `cannot be set for an Order${name === 'rollout' ? ': set spec.korder.rollout of a RenderConfig' : ''}`
      return refusedValue(subject, `spec.${name}`, JSON.stringify(spec[name]), why)
    })
    for (const [list, rules] of Object.entries({ groups: spec.groups, overrides: spec.overrides }))
      for (const [index, { usage }] of (rules ?? []).entries())
        if (usage !== undefined)
          findings.push(
            refusedValue(subject, `spec.${list}.${index}.usage`, JSON.stringify(usage), 'cannot be set for an Order'),
          )
    if (remainder) findings.push(refusedValue(subject, 'spec.remainder', 'true', 'cannot be set for an Order'))
    if (findings.length > 0) return findings
  }
  if (targetRef.key === undefined || target.kind === 'ConfigMap') return []
  return [refusedValue(subject, 'spec.targetRef.key', targetRef.key, 'cannot be set for a DaemonSet')]
}

function checkInterval({ subject }: SizingSettings, { reconcileInterval }: Spec): Finding[] {
  if (reconcileInterval === undefined) return []
  const time = unlessMalformed(() => parseDuration(reconcileInterval))
  if (time !== undefined && time > 0n) return []
  return [invalidValue(subject, 'spec.reconcileInterval', reconcileInterval, 'a positive duration, such as 5m')]
}

function checkRetention({ subject, startupTaints }: SizingSettings, { retainGroups }: Spec): Finding[] {
  const bad = startupTaints.flatMap(({ key }, index) =>
    isQualifiedName(key.replace(/\*$/, 'x'))
      ? []
      : [invalidValue(subject, `spec.startupTaints.${index}.key`, key, 'the key of a taint')],
  )
  if (retainGroups === undefined || retentionOf(retainGroups) !== undefined) return bad
  const wanted = 'a duration of 0 or more, such as 336h, or 0'
  return [...bad, invalidValue(subject, 'spec.retainGroups', String(retainGroups), wanted)]
}

const NANO_PER_MILLI = 1_000_000n

/** Returns `retainGroups` in milliseconds; undefined for what is no duration, or below zero. */
export function retentionOf(written: string | number): number | undefined {
  if (typeof written === 'number') return written === 0 ? 0 : undefined
  const time = unlessMalformed(() => parseDuration(written))
  return time !== undefined && time >= 0n ? Number(time / NANO_PER_MILLI) : undefined
}

export function isFraction(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value <= 1
}

/** Checks that the grouping fields do not exclude each other, and the bounds of ranges. */
function checkGrouping(settings: SizingSettings, spec: Spec): Finding[] {
  const { subject, groupLabels, groupLabelPath } = settings
  const repeated = groupLabels.find((label, index) => groupLabels.indexOf(label) !== index)
  return [
    ...exclusiveFields(settings, spec),
    ...(repeated === undefined ? [] : [refusedValue(subject, groupLabelPath, repeated, 'is listed twice')]),
    ...(spec.classes !== undefined && groupLabels.length > 1
      ? [
          refusedValue(
            subject,
            'spec.classes',
            JSON.stringify(spec.classes),
            'cannot be set together with several nodeGroupLabels',
          ),
        ]
      : []),
    ...checkBounds(settings),
    ...checkGroupsInRanges(settings),
  ]
}

function exclusiveFields({ subject }: SizingSettings, spec: Spec): Finding[] {
  const [label, labels, ranges, classes] = ['nodeGroupLabel', 'nodeGroupLabels', 'nodeGroupRanges', 'classes'] as const
  const pairs = [
    [label, labels],
    [label, ranges],
    [labels, ranges],
    [classes, ranges],
  ] as const
  return pairs
    .filter((pair) => pair.every((name) => spec[name] !== undefined))
    .map(([name, other]) => {
      const value = spec[name]
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return refusedValue(subject, `spec.${name}`, text, `cannot be set together with ${other}`)
    })
}

function checkBounds({ subject, rangeBounds = [] }: SizingSettings): Finding[] {
  const at = rangeBounds.findIndex((bound, index) => bound <= (rangeBounds[index - 1] ?? 0n))
  if (at < 0) return []
  return [
    invalidValue(
      subject,
      `spec.nodeGroupRanges.bounds.${at}`,
      String(rangeBounds[at]),
      'greater than the bound before it',
    ),
  ]
}

/**
 * Refuses an explicit group for an integer of the range label: the range contains it, and could exclude it only by a
 * `NotIn` beside `Gt` and `Lt`.
 */
function checkGroupsInRanges({ subject, rangeBounds, groupLabels, explicitGroups }: SizingSettings): Finding[] {
  const [label = ''] = groupLabels
  if (rangeBounds === undefined) return []
  return explicitGroups.flatMap(({ nodeSelector }, index) => {
    const value = Object.hasOwn(nodeSelector, label) ? nodeSelector[label] : undefined
    if (value === undefined || parseInt64(value) === undefined) return []
    const problem = 'is in a range of nodeGroupRanges: make it a range of its own by two bounds, or use another label'
    return [refusedValue(subject, `spec.groups.${index}.nodeSelector.${label}`, value, problem)]
  })
}
