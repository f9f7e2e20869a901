import type { Finding, Subject } from '../finding/index.ts'
import type { Toleration } from '../kube/index.ts'
import {
  affinityProblem,
  isLabelValue,
  isQualifiedName,
  isTime,
  parseDuration,
  Schedule,
  tolerationProblem,
} from '../kube/index.ts'
import type { Order } from '../policy/index.ts'
import { checkResources } from './check-resources.ts'
import { invalid, problemOf } from './problem.ts'

type Spec = Order['spec']

/**
 * What a schema cannot say of an Order: what korder's webhook refuses, and what would make a guardian pod invalid, whose
 * Ticket would stay Pending for ever (research: korder sections 1.5, 3.2 and 5.1 E).
 */
export function checkOrder(subject: Subject, spec: Spec): Finding[] {
  return [
    ...checkOnce(subject, spec),
    ...checkTime(subject, spec),
    ...checkSchedule(subject, spec),
    ...checkPlacement(subject, spec),
    ...checkMetadata(subject, spec),
    ...checkResources(subject, spec.template.spec.resources),
  ]
}

/** A field that both dialects have must not say two things. */
function checkOnce(subject: Subject, { strategy, refreshPolicy, template }: Spec): Finding[] {
  const { duration, startTime, window } = template.spec
  const pairs = [
    ['spec.refreshPolicy', refreshPolicy, strategy?.refreshPolicy],
    ['spec.template.spec.duration', duration, window?.duration],
    ['spec.template.spec.startTime', startTime, window?.startTime],
  ] as const
  return pairs
    .filter(([, one, other]) => one !== undefined && other !== undefined && one !== other)
    .map(([path, one, other]) => invalid(subject, path, `is ${one} in one dialect and ${other} in the other`, one))
}

function checkTime(subject: Subject, { template }: Spec): Finding[] {
  const { duration, startTime, window, lifecycle } = template.spec
  const at = 'spec.template.spec'
  const findings: Finding[] = []
  for (const [path, text] of [
    [`${at}.duration`, duration],
    [`${at}.window.duration`, window?.duration],
  ] as const) {
    if (text === undefined) continue
    const problem = problemOf(() => parseDuration(text))
    if (problem !== undefined) findings.push(invalid(subject, path, `: ${problem}`, text))
    else if (parseDuration(text) <= 0n) findings.push(invalid(subject, path, `is "${text}", not above zero`, text))
  }
  for (const [path, text] of [
    [`${at}.startTime`, startTime],
    [`${at}.window.startTime`, window?.startTime],
  ] as const) {
    if (text !== undefined && !isTime(text))
      findings.push(invalid(subject, path, `is "${text}", not a time of RFC 3339`, text))
  }
  const { cleanupPolicy, ttlSecondsAfterFinished: ttl } = lifecycle ?? {}
  const path = `${at}.lifecycle.ttlSecondsAfterFinished`
  if (ttl !== undefined && ttl < 0) findings.push(invalid(subject, path, `is ${ttl}, below zero`, ttl))
  if (ttl !== undefined && cleanupPolicy === 'Retain')
    findings.push(invalid(subject, path, 'has no meaning beside cleanupPolicy Retain', ttl))
  return findings
}

function checkSchedule(subject: Subject, { strategy, template }: Spec): Finding[] {
  const zone = template.spec.window?.timeZone
  const zoneProblem = zone === undefined ? undefined : problemOf(() => Schedule.parse('* * * * *', zone))
  const findings =
    zoneProblem === undefined ? [] : [invalid(subject, 'spec.template.spec.window.timeZone', `: ${zoneProblem}`, zone)]
  if (strategy === undefined) return findings
  const { type, schedule } = strategy
  const path = 'spec.strategy.schedule'
  if (type === 'OneTime')
    return schedule === undefined
      ? findings
      : [...findings, invalid(subject, path, 'has no meaning with OneTime: use Scheduled or Recurring', schedule)]
  if (schedule === undefined) return [...findings, invalid(subject, path, `is missing, ${type} needs one`)]
  const problem = problemOf(() => Schedule.parse(schedule))
  return problem === undefined ? findings : [...findings, invalid(subject, path, `: ${problem}`, schedule)]
}

function checkPlacement(subject: Subject, { template }: Spec): Finding[] {
  const { tolerations, affinity, nodeSelector } = template.spec
  const at = 'spec.template.spec'
  const findings: Finding[] = []
  for (const [index, toleration] of (tolerations ?? []).entries()) {
    const problem = tolerationProblem(toleration as Toleration)
    if (problem !== undefined) findings.push(invalid(subject, `${at}.tolerations.${index}`, `: ${problem}`, toleration))
  }
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    if (!isQualifiedName(key) || !isLabelValue(value))
      findings.push(invalid(subject, `${at}.nodeSelector.${key}`, `is "${value}", which no label can be`, value))
  }
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const problem = required === undefined ? undefined : affinityProblem(required as never)
  if (problem !== undefined) findings.push(invalid(subject, `${at}.affinity.nodeAffinity`, `: ${problem}`))
  return findings
}

function checkMetadata(subject: Subject, { template }: Spec): Finding[] {
  const { labels, annotations } = template.metadata ?? {}
  const at = 'spec.template.metadata'
  const badLabels = Object.entries(labels ?? {})
    .filter(([key, value]) => !isQualifiedName(key) || !isLabelValue(value))
    .map(([key, value]) => invalid(subject, `${at}.labels.${key}`, `is "${value}", which no label can be`, value))
  const badAnnotations = Object.keys(annotations ?? {})
    .filter((key) => !isQualifiedName(key))
    .map((key) => invalid(subject, `${at}.annotations.${key}`, 'is not the key of an annotation'))
  return [...badLabels, ...badAnnotations]
}
