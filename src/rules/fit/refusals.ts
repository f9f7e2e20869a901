import { indexBy } from '../../core/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import {
  amountTexts,
  missingForQuota,
  type PodSpec,
  Quantity,
  quotaApplies,
  quotaUsage,
  type Refusal,
  type ResourceQuota,
  readQuantity,
} from '../../kube/index.ts'
import type { Examples } from '../rule.ts'
import { type Agent, agentsText, type PlacedQuota } from './agents.ts'
import type { OtherPods } from './other-pods.ts'

export const REFUSAL_CODES = codesAbout('Fit', {
  ResourcesRefused: {
    severity: 'error',
    allowable: true,
    meaning:
      'The API server would refuse the pods: hugepages without cpu or memory, a device or hugepages whose request differs from its limit, a request above its limit, an overhead that differs from its RuntimeClass.',
    mend: 'Correct the container in the template, or set the cpu or memory it needs in the policy.',
  },
  LimitRangeRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'After defaulting, rendered pods violate a minimum, maximum or ratio of a LimitRange of the package, which Kubernetes shows only as FailedCreate events.',
    mend: 'Change the sizes in the policy (minResources, maxResources), or the LimitRange.',
  },
  LimitRangeAmbiguous: {
    severity: 'warning',
    meaning:
      'LimitRanges of a namespace give a missing request or limit different defaults; Kubernetes applies them in no defined order. Every order is checked.',
    mend: 'Keep one LimitRange with defaults, or set the request or limit in the template.',
  },
  ResourceQuotaRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A ResourceQuota of the package admits no pod of a rendered DaemonSet: it limits cpu or memory that a container does not set, or one pod exceeds it.',
    mend: 'Set the missing request or limit (resourcePercentages), or change the ResourceQuota.',
  },
  ResourceQuotaExceeded: {
    severity: 'warning',
    meaning:
      'The pods of all rendered DaemonSets of a namespace, one on each present node, exceed a ResourceQuota, or the DaemonSets themselves do, or the revisions that the controller keeps of them: some nodes would run no agent, or no roll-out ends. Other pods are not counted.',
    mend: 'Raise the ResourceQuota, or move the agents to a separate namespace.',
  },
})
const finding = findingOf(REFUSAL_CODES)

export const EXAMPLES: Examples<typeof REFUSAL_CODES> = {
  ResourcesRefused: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - name: agent
          image: agent:1
          resources: { requests: { hugepages-2Mi: 2Mi }, limits: { hugepages-2Mi: 4Mi } }
`,
  LimitRangeRefuses: `
apiVersion: v1
kind: LimitRange
metadata: { name: limits }
spec: { limits: [{ type: Container, max: { memory: 1Mi } }] }
`,
  LimitRangeAmbiguous: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - { name: agent, image: agent:1 }
        - { name: side, image: side:1 }
---
apiVersion: v1
kind: LimitRange
metadata: { name: one }
spec: { limits: [{ type: Container, defaultRequest: { memory: 1Mi } }] }
---
apiVersion: v1
kind: LimitRange
metadata: { name: two }
spec: { limits: [{ type: Container, defaultRequest: { memory: 2Mi } }] }
`,
  ResourceQuotaRefuses: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - { name: agent, image: agent:1 }
        - { name: side, image: side:1 }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: quota }
spec: { hard: { limits.memory: 100Gi } }
`,
  ResourceQuotaExceeded: `
kind: NodeInventory
spec:
  nodeCount: 2
  shapes:
    - labels: { node.kubernetes.io/instance-type: x }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [a, b]
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: quota }
spec: { hard: { pods: 1 } }
`,
}

/** Reports pods of a subject that the API server would refuse: once for each LimitRange, and once for its own rules. */
export function refusedFindings(agents: readonly Agent[]): Finding[] {
  const [first] = agents
  if (first === undefined) return []
  const { object: subject } = first.planned.subject
  const all = agents.flatMap((agent) => agent.pod.refusals.map((refusal) => ({ agent, refusal })))
  const refused = [...indexBy(all, ({ refusal }) => refusal.limitRange ?? '')].flatMap(([limitRange, own]) => {
    const who = agentsText([...new Set(own.map(({ agent }) => agent))])
    const words = wordsOf(own.map(({ refusal }) => refusal))
    return limitRange === ''
      ? [
          finding('ResourcesRefused', `${subject.metadata.name}: the API server refuses the pods of ${who}: ${words}`, {
            subject,
          }),
        ]
      : [
          finding('LimitRangeRefuses', `${subject.metadata.name}: LimitRange ${limitRange} refuses ${who}: ${words}`, {
            subject,
          }),
        ]
  })
  return [...refused, ...ambiguousFindings(agents)]
}

/** Formats the refusal of the first pod; those of the others differ only in amounts. */
function wordsOf(refusals: readonly Refusal[]): string {
  const words = [...new Set(refusals.map((refusal) => refusal.words))]
  return words[0] ?? ''
}

function ambiguousFindings(agents: readonly Agent[]): Finding[] {
  const found = agents.find(({ pod }) => pod.ambiguous.length > 0)
  const [first] = found?.pod.ambiguous ?? []
  if (found === undefined || first === undefined) return []
  const { object: subject } = found.planned.subject
  const names = listNames(first.limitRanges)
  const sentence = `${subject.metadata.name}: LimitRanges ${names} give container ${first.container} different ${first.resource}`
  return [finding('LimitRangeAmbiguous', sentence, { subject })]
}

/** An agent, and on how many nodes it starts pods. */
export interface CountedAgent {
  readonly agent: Agent
  readonly nodeCount: number
}

/**
 * Reports agents of a namespace that a quota refuses: pods that it never admits, and more pods than it has room for.
 * `others` gives the other pods that a snapshot of each cluster shows in the namespace; a quota with scopes may not
 * count them.
 */
export function quotaFindings(
  { item, quota }: PlacedQuota,
  all: readonly CountedAgent[],
  others: () => readonly OtherPods[],
): Finding[] {
  const agents = all.filter(({ agent }) => quotaApplies(quota, agent.pod.spec))
  const refused = agents.flatMap(({ agent }) => {
    return refusalsOf(quota, agent.pod.spec).map((text) => ({ agent, text }))
  })
  if (refused.length > 0) {
    const bySubject = indexBy(refused, ({ agent }) => agent.planned.subject.object.metadata.name)
    return [...bySubject].map(([name, own]) => {
      const who = agentsText([...new Set(own.map(({ agent }) => agent))])
      const sentence = `${name}: ResourceQuota ${quota.name} refuses ${who}: ${own[0]?.text}`
      return finding('ResourceQuotaRefuses', sentence, { subject: own[0]?.agent.planned.subject.object })
    })
  }
  const sum = new Map<string, Quantity>()
  for (const { agent, nodeCount } of agents)
    for (const [name, one] of quotaUsage(quota, agent.pod.spec)) {
      const more = one.times(BigInt(nodeCount))
      sum.set(name, sum.get(name)?.plus(more) ?? more)
    }
  const isOfPods = PODS.some((name) => Object.hasOwn(quota.hard, name))
  const more = agents.length > 0 && isOfPods && quota.scopes.length === 0 ? others() : []
  const [words] = [...tooMuch(quota.hard, sum), ...more.flatMap((one) => podsBeside(quota.hard, sum, one))]
  if (words === undefined) return []
  const nodes = agents.reduce((count, { nodeCount }) => count + nodeCount, 0)
  const policies = [...new Set(agents.map(({ agent }) => agent.planned.subject.object.metadata.name))]
  const sentence = `ResourceQuota ${quota.name} is too small for ${plural(nodes, 'pod')} of ${listNames(policies)}: ${words}`
  return [finding('ResourceQuotaExceeded', sentence, { subject: item.object })]
}

/** How many revisions of its template a DaemonSet keeps beside the present one, unless it says otherwise. */
const REVISIONS = 10

/**
 * Reports quotas on the number of DaemonSets, and of the revisions that the controller keeps of each, which the
 * DaemonSets of a namespace exceed: the API server refuses the last ones, and later roll-outs.
 */
export function objectQuotaFindings({ item, quota }: PlacedQuota, daemonSets: readonly KubernetesObject[]): Finding[] {
  const count = daemonSets.length
  const revisions = daemonSets.reduce((sum, { spec }) => {
    const kept = memberOf(spec, 'revisionHistoryLimit')
    return sum + 1 + (typeof kept === 'number' ? kept : REVISIONS)
  }, 0)
  const wanted = [
    [
      'count/daemonsets.apps',
      count,
      `${plural(count, 'DaemonSet')} of the package ${count === 1 ? 'is' : 'are'} in its namespace`,
    ],
    ['count/controllerrevisions.apps', revisions, `${plural(count, 'DaemonSet')} keep up to ${revisions} revisions`],
  ] as const
  return wanted.flatMap(([name, most, words]) => {
    const hard = readQuantity(Object.hasOwn(quota.hard, name) ? quota.hard[name] : undefined)
    if (hard === undefined || Quantity.of(BigInt(most), 'DecimalSI').compare(hard) <= 0) return []
    const sentence = `ResourceQuota ${quota.name} is too small: ${name} is ${hard.toString()}, and ${words}`
    return [finding('ResourceQuotaExceeded', sentence, { subject: item.object, field: { path: `spec.hard.${name}` } })]
  })
}

/** Explains why a quota would never admit a pod that it counts; empty where it admits the pod. */
export function refusalsOf(quota: ResourceQuota, spec: PodSpec): string[] {
  return [...missingForQuota(quota, spec), ...tooMuch(quota.hard, quotaUsage(quota, spec))]
}

/** The names under which a quota counts pods. */
const PODS = ['pods', 'count/pods'] as const

/** Explains which count of pods is exceeded with the other pods of the namespace. */
function podsBeside(
  hard: Readonly<Record<string, string | number>>,
  usage: ReadonlyMap<string, Quantity>,
  { daemons, others }: OtherPods,
): string[] {
  const shares = [
    ...(daemons === 0 ? [] : [`other DaemonSets have ${daemons}`]),
    ...(others === 0 ? [] : [`other workloads have ${others}`]),
  ]
  if (shares.length === 0) return []
  return PODS.flatMap((name) => {
    const amount = usage.get(name)?.plus(Quantity.of(BigInt(daemons + others), 'DecimalSI'))
    const most = Quantity.parse(hard[name] ?? 0)
    if (amount === undefined || amount.compare(most) <= 0) return []
    return [`${name} ${amount.toString()}, of which ${shares.join(' and ')}, is above ${most.toString()}`]
  })
}

function tooMuch(hard: Readonly<Record<string, string | number>>, usage: ReadonlyMap<string, Quantity>): string[] {
  return [...usage].flatMap(([name, amount]) => {
    const most = Quantity.parse(hard[name] ?? 0)
    const [is, bound] = amountTexts(name, [amount, most])
    return amount.compare(most) <= 0 ? [] : [`${name} ${is} is above ${bound}`]
  })
}
