import type { Order } from '../../../kinds/index.ts'
import type { Finding, Subject } from '../../../krm/finding.ts'
import { scalarText } from '../../../krm/map.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isOvercommitAllowed,
  isQualifiedName,
  isTime,
  isWeight,
  KubeError,
  nodeSelectorProblem,
  nodeTermProblem,
  parseDuration,
  podAffinityProblems,
  Quantity,
  Schedule,
  spreadProblems,
  type Toleration,
  tolerationProblem,
} from '../../../kube/index.ts'
import { finding } from '../codes.ts'

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

interface Resources {
  requests?: Record<string, string | number>
  limits?: Record<string, string | number>
  claims?: unknown
}

const AT = 'spec.template.spec.resources'
const ZERO = Quantity.parse(0)
const NANO = 1_000_000_000n

type Amount = string | number

/**
 * Checks resources that would make a guardian pod invalid or reserve nothing (research: korder section 3.2, number 28).
 */
function checkResources(subject: Subject, resources: Resources | undefined): Finding[] {
  if (resources === undefined) return []
  const { requests = {}, limits = {}, claims } = resources
  const findings: Finding[] = []
  if (claims !== undefined)
    findings.push(invalid(subject, `${AT}.claims`, 'refers to resource claims that a guardian pod does not have'))
  for (const [side, amounts] of Object.entries({ requests, limits })) {
    for (const [name, amount] of Object.entries(amounts)) {
      const path = `${AT}.${side}.${name}`
      const problem = problemOf(() => Quantity.parse(amount))
      if (problem !== undefined) findings.push(invalid(subject, path, `: ${problem}`, amount))
      else if (Quantity.parse(amount).compare(ZERO) < 0)
        findings.push(invalid(subject, path, `is ${amount}, but must not be negative`, amount))
    }
  }
  if (findings.length > 0) return findings
  const names = [...new Set([...Object.keys(requests), ...Object.keys(limits)])]
  for (const name of names)
    findings.push(...checkAmount(subject, name, amountOf(requests, name), amountOf(limits, name)))
  const reserved = [...Object.values(requests), ...Object.values(limits)]
  const isBare =
    names.some((name) => name.startsWith('hugepages-')) && !names.some((name) => ['cpu', 'memory'].includes(name))
  if (isBare) findings.push(invalid(subject, AT, 'has hugepages without cpu or memory'))
  if (!reserved.some((amount) => Quantity.parse(amount).compare(ZERO) > 0))
    findings.push(
      invalid(subject, AT, 'reserves nothing: set requests, or remove resources to reserve 100m cpu and 128Mi memory'),
    )
  return findings
}

/** Matches the names of native resources; all others, such as those of devices, need a prefix. */
const NATIVE = /^(cpu|memory|ephemeral-storage|hugepages-[A-Za-z0-9]+)$/

function checkAmount(
  subject: Subject,
  name: string,
  request: Amount | undefined,
  limit: Amount | undefined,
): Finding[] {
  const path = `${AT}.${request === undefined ? 'limits' : 'requests'}.${name}`
  if (!NATIVE.test(name) && !(name.includes('/') && isQualifiedName(name)))
    return [
      invalid(subject, path, 'is not a resource name: use cpu, memory, ephemeral-storage, or a name with a prefix'),
    ]
  const isExact = !isOvercommitAllowed(name)
  const [wanted, most] = [request, limit].map((amount) => (amount === undefined ? undefined : Quantity.parse(amount)))
  if (isExact && [wanted, most].some((amount) => amount !== undefined && amount.nanoValue() % NANO !== 0n))
    return [invalid(subject, path, `is ${request ?? limit}, but must be an integer`, request ?? limit)]
  if (isExact && wanted !== undefined && (most === undefined || wanted.compare(most) !== 0))
    return [invalid(subject, path, `is ${request}, but must equal the limit of this resource`, request)]
  const isAbove = wanted !== undefined && most !== undefined && wanted.compare(most) > 0
  return isAbove ? [invalid(subject, path, `is ${request}, above its limit ${limit}`, request)] : []
}

function amountOf(amounts: Record<string, Amount>, name: string): Amount | undefined {
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined
}

/** Returns the message of the `KubeError` that reading a value throws; undefined if it can be read. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

/** Returns OrderInvalid for a field; `sentence` follows its path. */
export function invalid(subject: Subject, path: string, sentence: string, currentValue?: unknown): Finding {
  return finding(
    'OrderInvalid',
    `${subject.kind} ${subject.metadata.name}: ${path}${sentence.startsWith(':') ? '' : ' '}${sentence}`,
    {
      subject,
      field: { path, currentValue },
    },
  )
}
