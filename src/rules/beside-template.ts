import { indexBy, type Planned } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { listOf, memberOf } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type Container, type PodSpec, qosClass, unlessMalformed, withDefaultRequests } from '../kube/index.ts'
import {
  type AmountChange,
  afterText,
  amountChanges,
  amountIn,
  changesText,
  containersOf,
  limitOf,
  type Pair,
  pairsOf,
} from './beside-amounts.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Beside the template', {
  BelowTemplate: {
    severity: 'warning',
    meaning:
      'A container gets less than its template sets, or loses its request: maybe less than its author tested. Requests that usage makes are left out.',
    mend: 'Raise the percentage, or set minResources to the template’s amounts (limitCPU and limitMemory for its limits) and maxResources no lower, as nodefit init does.',
  },
  LimitAdded: {
    severity: 'warning',
    meaning:
      'A container gets a limit that its template does not set: above it, it is throttled (cpu) or OOM-killed (memory).',
    mend: 'Set the percentage to none if the agent should have no limit.',
  },
  LimitRemoved: {
    severity: 'warning',
    meaning: 'A limit of the template is removed: the container may use all that is free on its node.',
    mend: 'Set a percentage if the agent should keep the limit.',
  },
  RequestDefaulted: {
    severity: 'warning',
    meaning: 'The policy removes a request but keeps the limit, to which Kubernetes then sets the request.',
    mend: 'Set a percentage for the request, or set the limit’s percentage to none too.',
  },
  QosClassChanged: {
    severity: 'warning',
    meaning: 'The pods’ QoS class, by which a node evicts and OOM-kills, differs from the template’s.',
    mend: 'For Guaranteed set equal percentages and bounds for requests and limits, for Burstable requests below limits.',
  },
  HeapAboveLimit: {
    severity: 'warning',
    meaning:
      'A variable or flag sets a heap above the new memory limit: the container is OOM-killed before it collects garbage.',
    mend: 'Raise limitMemory, or derive the heap size from it: GOMEMLIMIT with goMemLimitPercentage, a flag from an env variable that the template defines before its use.',
  },
  AmountReadBack: {
    severity: 'warning',
    meaning: 'The template reads its request or limit through resourceFieldRef: it now differs between groups.',
    mend: 'If the agent works with different amounts, set this code to off.',
  },
})
const finding = findingOf(CODES)

export const besideTemplate = {
  codes: CODES,
  check: ({ planned }) => besideFindings(planned),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  BelowTemplate: `
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1, resources: { requests: { cpu: 2 } } }]
`,
  LimitAdded: ``,
  LimitRemoved: `
kind: SizingPolicy
spec: { resourcePercentages: { limitCPU: none } }
---
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1, resources: { limits: { cpu: 2 } } }]
`,
  RequestDefaulted: `
kind: SizingPolicy
spec: { resourcePercentages: { requestCPU: none } }
---
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1, resources: { requests: { cpu: 100m } } }]
`,
  QosClassChanged: ``,
  HeapAboveLimit: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - name: agent
          image: agent:1
          env: [{ name: GOMEMLIMIT, value: 8GiB }]
`,
  AmountReadBack: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - name: agent
          image: agent:1
          env: [{ name: A, valueFrom: { resourceFieldRef: { resource: limits.cpu } } }]
`,
}

/**
 * Reports how rendered objects differ from their template, one finding for each subject and code. A template that
 * leaves its amounts open, such as a ConfigMap's, has no amounts to compare with.
 */
export function besideFindings(planned: readonly Planned[]): Finding[] {
  return planned.flatMap((one) => {
    const { constraints, isEnabled, source } = one
    if (constraints === undefined || source === undefined || !isEnabled) return []
    const objects = one.objects.map(({ object }) => object)
    const pairs = pairsOf(constraints.pod, objects)
    const isOpen = source.object.kind === 'ConfigMap'
    const changes = isOpen ? [] : amountChanges(pairs)
    return [
      ...amountFindings(one, changes),
      ...(isOpen ? [] : defaultedFindings(one, pairs)),
      ...(isOpen ? [] : qosFindings(one, constraints.pod, objects)),
      ...heapFindings(one, pairs),
      ...readBackFindings(one, constraints.pod, changes),
    ]
  })
}

function amountFindings(planned: Planned, changes: readonly AmountChange[]): Finding[] {
  const isLimit = ({ amount }: AmountChange) => amount.startsWith('limits')
  const asked = askedByUsage(planned)
  const below = changes.filter(({ before, after, amount, name, container }) => {
    if (before === undefined || asked.has(keyOf(name, container, amount))) return false
    return after === undefined ? amount.startsWith('requests') : after.compare(before) < 0
  })
  return [
    ...amountFinding(planned, 'BelowTemplate', below, 'less than the template sets'),
    ...amountFinding(
      planned,
      'LimitRemoved',
      changes.filter((change) => isLimit(change) && change.after === undefined),
      'the template’s limit is removed',
    ),
    ...amountFinding(
      planned,
      'LimitAdded',
      changes.filter((change) => isLimit(change) && change.before === undefined),
      'a limit that the template does not set',
    ),
  ]
}

const REQUESTS: Readonly<Record<string, AmountChange['amount']>> = {
  requestCPU: 'requests.cpu',
  requestMemory: 'requests.memory',
}

/**
 * The requests that are as small as what is used, or as a minimum: a policy that is sized by usage asks for that. One
 * that a maximum or a limit holds is not as it asked.
 */
function askedByUsage({ account }: Planned): ReadonlySet<string> {
  return new Set(
    account.flatMap((line) => {
      if (line.kind !== 'group') return []
      return line.steps.flatMap((step) => {
        const amount = REQUESTS[step.name]
        const isAsked = step.kind === 'used' && (step.decidedBy === undefined || step.decidedBy === 'minimum')
        return isAsked && amount !== undefined ? [keyOf(line.name, step.container, amount)] : []
      })
    }),
  )
}

function keyOf(object: string, container: string, amount: string): string {
  return JSON.stringify([object, container, amount])
}

function amountFinding(
  planned: Planned,
  code: keyof typeof CODES,
  changes: readonly AmountChange[],
  words: string,
): Finding[] {
  return changes.length === 0 ? [] : [of(planned, code, `${words}: ${changesText(changes)}`)]
}

/** Reports requests that the policy removes while their limit stays: Kubernetes sets such a request to the limit. */
function defaultedFindings(planned: Planned, pairs: readonly Pair[]): Finding[] {
  const changes = pairs.flatMap(({ object, template, container }) =>
    (['requests.cpu', 'requests.memory'] as const).flatMap((amount) => {
      const before = amountIn(template, amount)
      const after = amountIn(container, limitOf(amount))
      const isGone = before !== undefined && amountIn(container, amount) === undefined && after !== undefined
      return isGone ? [{ container: container.name, amount, name: object.metadata.name, before, after }] : []
    }),
  )
  return amountFinding(planned, 'RequestDefaulted', changes, 'the request is unset, so Kubernetes sets it to the limit')
}

function qosFindings(planned: Planned, template: PodSpec, objects: readonly KubernetesObject[]): Finding[] {
  const classOf = (pod: PodSpec) => unlessMalformed(() => qosClass(withDefaultRequests(pod)))
  const before = classOf(template)
  const byClass = new Map<string, string[]>()
  for (const object of objects) {
    const after = classOf(podSpecOf(object))
    if (before === undefined || after === undefined || after === before) continue
    byClass.set(after, [...(byClass.get(after) ?? []), object.metadata.name])
  }
  return [...byClass].map(([after, names]) =>
    of(
      planned,
      'QosClassChanged',
      `the QoS class is ${after}, the template’s is ${before}: ${listNames(names.sort())}`,
    ),
  )
}

function heapFindings(planned: Planned, pairs: readonly Pair[]): Finding[] {
  const above = pairs.flatMap((pair) => heapsAboveLimit(pair).map((heap) => ({ heap, ...limitOfPair(pair) })))
  const texts = [...indexBy(above, ({ heap, container }) => `${heap.text} of ${container}`)].map(
    ([text, all]) => `${text}, limited to ${afterText(all)}`,
  )
  return texts.length === 0
    ? []
    : [of(planned, 'HeapAboveLimit', `the heap exceeds the memory limit: ${texts.sort().join('; ')}`)]
}

function limitOfPair({ object, container }: Pair): AmountChange {
  const amount = 'limits.memory'
  return { container: container.name, amount, name: object.metadata.name, after: amountIn(container, amount) }
}

/**
 * Reports amounts that a container reads back, such as through `resourceFieldRef`, and that differ from the template's.
 */
function readBackFindings(planned: Planned, template: PodSpec, changes: readonly AmountChange[]): Finding[] {
  const changed = new Set(changes.map(({ container, amount }) => `${container} ${amount}`))
  // a variable that the policy sets is not read back any more
  const left = new Set(planned.objects.flatMap(({ object }) => readBacksOf(podSpecOf(object))).map(readBackKey))
  const readers = readBacksOf(template).filter(
    (one) => changed.has(`${one.container} ${one.resource}`) && left.has(readBackKey(one)),
  )
  if (readers.length === 0) return []
  const texts = readers.map(({ reader, container, resource }) => `${reader} (${resource} of ${container})`)
  return [of(planned, 'AmountReadBack', `the template reads amounts that differ now: ${listNames(texts)}`)]
}

function readBackKey({ container, resource, reader }: ReadBack): string {
  return JSON.stringify([container, resource, reader])
}

function of({ subject: { object } }: Planned, code: keyof typeof CODES, sentence: string): Finding {
  return finding(code, `${object.metadata.name}: ${sentence}`, { subject: object })
}

/** A field in which a pod reads a request or limit of its own container. */
interface ReadBack {
  /** The container whose amount is read. */
  readonly container: string
  /** The resource as `resourceFieldRef` writes it: `limits.memory`. */
  readonly resource: string
  /** What reads it: a variable of a container, or a file of a volume. */
  readonly reader: string
}

/**
 * Returns every `resourceFieldRef` of a pod: in variables, where it reads the container itself unless it names another,
 * and in downward API volumes.
 */
function readBacksOf(pod: PodSpec): ReadBack[] {
  const variables = containersOf(pod).flatMap((container) => variablesOf(container))
  const files = listOf(pod.volumes).flatMap((volume) => [
    ...listOf(memberOf(memberOf(volume, 'downwardAPI'), 'items')),
    ...listOf(memberOf(memberOf(volume, 'projected'), 'sources')).flatMap((source) =>
      listOf(memberOf(memberOf(source, 'downwardAPI'), 'items')),
    ),
  ])
  return [...variables, ...files.flatMap((file) => readBack(file, `file ${text(memberOf(file, 'path'))}`, undefined))]
}

function variablesOf(container: Container): ReadBack[] {
  return listOf(container.env).flatMap((variable) =>
    readBack(
      memberOf(variable, 'valueFrom'),
      `${text(memberOf(variable, 'name'))} of ${container.name}`,
      container.name,
    ),
  )
}

function readBack(from: unknown, reader: string, own: string | undefined): ReadBack[] {
  const ref = memberOf(from, 'resourceFieldRef')
  const resource = memberOf(ref, 'resource')
  const container = memberOf(ref, 'containerName') ?? own
  return typeof resource === 'string' && typeof container === 'string' ? [{ container, resource, reader }] : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A heap size that is written in a container, in bytes. */
interface Heap {
  /** As it is written: `GOMEMLIMIT=900MiB`, `-Xmx2g`. */
  readonly text: string
  readonly bytes: bigint
}

const GO_UNITS: Readonly<Record<string, bigint>> = {
  B: 1n,
  KiB: 1n << 10n,
  MiB: 1n << 20n,
  GiB: 1n << 30n,
  TiB: 1n << 40n,
}
/** Go's runtime takes whole numbers with one of these units, and bytes without a unit (`parseByteCount`). */
const GO = /^([0-9]{1,18})(B|KiB|MiB|GiB|TiB)?$/
/** `-Xmx` and its long form: bytes, or k, m, g or t of either case. */
const JAVA = /(?:^|[\s"'=])(-Xmx|-XX:MaxHeapSize=)([0-9]{1,15})([kKmMgGtT]?)(?=$|[\s"'])/g
const JAVA_UNITS: Readonly<Record<string, bigint>> = { '': 1n, k: 1n << 10n, m: 1n << 20n, g: 1n << 30n, t: 1n << 40n }
/** Node counts in MiB; V8 takes dashes and underscores alike. */
const NODE = /--max[-_]old[-_]space[-_]size[= ]([0-9]{1,12})(?=$|[\s"'])/g

/**
 * Returns the fixed heap sizes of Go, the JVM and Node in a container's variables, command and arguments. A value that
 * refers to another variable or to the limit itself is not fixed.
 */
export function heapsIn({ env, command, args }: Container & { command?: unknown; args?: unknown }): Heap[] {
  const variables = (env ?? []).filter(({ value }) => typeof value === 'string')
  const texts = [[...words(command), ...words(args)].join(' '), ...variables.map(({ value }) => value ?? '')]
  return [
    ...variables.flatMap(({ name, value = '' }) => (name === 'GOMEMLIMIT' ? goHeap(value) : [])),
    ...texts.flatMap(flagHeaps),
  ]
}

/** Returns the heaps that exceed a container's memory limit, where that limit differs from the template's. */
function heapsAboveLimit({ template, container }: Pair): Heap[] {
  const limit = amountIn(container, 'limits.memory')
  const before = amountIn(template, 'limits.memory')
  if (limit === undefined || before?.compare(limit) === 0) return []
  return heapsIn(container).filter(({ bytes }) => bytes > limit.value())
}

function goHeap(value: string): Heap[] {
  const [, digits, unit = 'B'] = GO.exec(value) ?? []
  return digits === undefined ? [] : [{ text: `GOMEMLIMIT=${value}`, bytes: BigInt(digits) * (GO_UNITS[unit] ?? 1n) }]
}

function flagHeaps(text: string): Heap[] {
  const java = [...text.matchAll(JAVA)].map(([, flag = '', digits = '0', unit = '']) => ({
    text: `${flag}${digits}${unit}`,
    bytes: BigInt(digits) * (JAVA_UNITS[unit.toLowerCase()] ?? 1n),
  }))
  const node = [...text.matchAll(NODE)].map(([match, digits = '0']) => ({
    text: match,
    bytes: BigInt(digits) << 20n,
  }))
  return [...java, ...node]
}

function words(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((word): word is string => typeof word === 'string') : []
}
