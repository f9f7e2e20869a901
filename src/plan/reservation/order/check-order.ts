import type { Order } from '../../../kinds/index.ts'
import type { Finding, Subject } from '../../../krm/finding/index.ts'
import { scalarText } from '../../../krm/map.ts'
import type { Toleration } from '../../../kube/index.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  isTime,
  isWeight,
  nodeSelectorProblem,
  nodeTermProblem,
  parseDuration,
  podAffinityProblems,
  Schedule,
  spreadProblems,
  tolerationProblem,
} from '../../../kube/index.ts'
import { checkResources } from './check-resources.ts'
import { invalid, problemOf } from './problem.ts'

type Spec = Order['spec']

/**
 * Checks what the schema of an Order cannot express: what korder's webhook rejects, and what would make a guardian pod
 * invalid, so that its Ticket would stay Pending forever (research: korder sections 1.5, 3.2 and 5.1 E).
 */
export function checkOrder(subject: Subject, spec: Spec): Finding[] {
  return [
    ...checkName(subject),
    ...checkOnce(subject, spec),
    ...checkTime(subject, spec),
    ...checkSchedule(subject, spec),
    ...checkPlacement(subject, spec),
    ...checkMetadata(subject, spec),
    ...checkResources(subject, spec.template.spec.resources),
  ]
}

/** Reports fields that have a different value in each dialect. */
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
    else if (parseDuration(text) <= 0n)
      findings.push(invalid(subject, path, `is "${text}", but must be above zero`, text))
  }
  for (const [path, text] of [
    [`${at}.startTime`, startTime],
    [`${at}.window.startTime`, window?.startTime],
  ] as const) {
    if (text !== undefined && !isTime(text))
      findings.push(invalid(subject, path, `is "${text}", not an RFC 3339 time`, text))
  }
  const { cleanupPolicy, ttlSecondsAfterFinished: ttl } = lifecycle ?? {}
  const path = `${at}.lifecycle.ttlSecondsAfterFinished`
  if (ttl !== undefined && ttl < 0) findings.push(invalid(subject, path, `is ${ttl}, but must not be negative`, ttl))
  if (ttl !== undefined && cleanupPolicy === 'Retain')
    findings.push(invalid(subject, path, 'cannot be set with cleanupPolicy Retain', ttl))
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
      : [...findings, invalid(subject, path, 'cannot be set with type OneTime: use Scheduled or Recurring', schedule)]
  if (schedule === undefined) return [...findings, invalid(subject, path, `is missing: type ${type} requires it`)]
  const problem = problemOf(() => Schedule.parse(schedule))
  return problem === undefined ? findings : [...findings, invalid(subject, path, `: ${problem}`, schedule)]
}

/**
 * Returns a problem for the operators Gt and Lt: their feature gate is off by default, and the API server then rejects
 * the pod.
 */
function gateProblem({ operator }: Toleration): string | undefined {
  if (operator !== 'Gt' && operator !== 'Lt') return undefined
  return `operator "${operator}" needs the feature gate TaintTolerationComparisonOperators, which nodefit takes to be off`
}

function checkPlacement(subject: Subject, spec: Spec): Finding[] {
  const { template } = spec
  const { tolerations, affinity, nodeSelector } = template.spec
  const at = 'spec.template.spec'
  const findings: Finding[] = []
  for (const [index, toleration] of (tolerations ?? []).entries()) {
    const problem = tolerationProblem(toleration as Toleration) ?? gateProblem(toleration as Toleration)
    if (problem !== undefined) findings.push(invalid(subject, `${at}.tolerations.${index}`, `: ${problem}`, toleration))
  }
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    if (!isQualifiedName(key) || !isLabelValue(value))
      findings.push(invalid(subject, `${at}.nodeSelector.${key}`, `is "${value}", which is not a valid label`, value))
  }
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const problem = required === undefined ? undefined : nodeSelectorProblem(required.nodeSelectorTerms)
  if (problem !== undefined) findings.push(invalid(subject, `${at}.affinity.nodeAffinity`, `: ${problem}`))
  return [...findings, ...checkPreferences(subject, spec), ...checkOtherPods(subject, spec)]
}

/** Checks preferences, which exclude no node but make the guardian pod invalid if they are malformed. */
function checkPreferences(subject: Subject, { template }: Spec): Finding[] {
  const { affinity, priorityClassName } = template.spec
  const at = 'spec.template.spec'
  const findings: Finding[] = []
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  for (const [index, entry] of preferred.entries()) {
    const { weight, preference } = entry as { weight?: unknown; preference?: object }
    const path = `${at}.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.${index}`
    if (!isWeight(weight))
      findings.push(
        invalid(subject, `${path}.weight`, `is ${scalarText(weight)}, not an integer from 1 to 100`, weight),
      )
    const problem = nodeTermProblem(preference ?? {}, { isPreference: true })
    if (problem !== undefined) findings.push(invalid(subject, `${path}.preference`, `: ${problem}`))
  }
  if (priorityClassName && !isDns1123Subdomain(priorityClassName))
    findings.push(
      invalid(subject, `${at}.priorityClassName`, `is "${priorityClassName}", not a valid name`, priorityClassName),
    )
  return findings
}

/** Checks affinity to other pods and topology spread, which the scheduler evaluates in the cluster. */
function checkOtherPods(subject: Subject, { template }: Spec): Finding[] {
  const { affinity, topologySpreadConstraints } = template.spec
  const at = 'spec.template.spec'
  const pods = (['podAffinity', 'podAntiAffinity'] as const).flatMap((name) =>
    podAffinityProblems(affinity?.[name]).map(({ path, problem }) =>
      invalid(subject, `${at}.affinity.${name}${path}`, `: ${problem}`),
    ),
  )
  const spread = spreadProblems(topologySpreadConstraints ?? []).flatMap((problem, index) =>
    problem === undefined ? [] : [invalid(subject, `${at}.topologySpreadConstraints.${index}`, `: ${problem}`)],
  )
  return [...pods, ...spread]
}

/** Checks name and namespace, which are part of Ticket and file names. */
function checkName(subject: Subject): Finding[] {
  const { name, namespace } = subject.metadata
  const findings = isDns1123Subdomain(name)
    ? []
    : [invalid(subject, 'metadata.name', `is "${name}", not a valid Kubernetes name`, name)]
  if (namespace !== undefined && !(typeof namespace === 'string' && isDns1123Label(namespace)))
    findings.push(invalid(subject, 'metadata.namespace', `is "${namespace}", not a valid namespace`, namespace))
  return findings
}

function checkMetadata(subject: Subject, { template }: Spec): Finding[] {
  const { labels, annotations } = template.metadata ?? {}
  const at = 'spec.template.metadata'
  const badLabels = Object.entries(labels ?? {})
    .filter(([key, value]) => !isQualifiedName(key) || !isLabelValue(value))
    .map(([key, value]) => invalid(subject, `${at}.labels.${key}`, `is "${value}", which is not a valid label`, value))
  const badAnnotations = Object.keys(annotations ?? {})
    .filter((key) => !isQualifiedName(key))
    .map((key) => invalid(subject, `${at}.annotations.${key}`, 'is not a valid annotation key'))
  return [...badLabels, ...badAnnotations]
}
