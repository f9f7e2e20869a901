import type { Finding, Read, Subject } from '../finding/index.ts'
import { scalarText } from '../krm/map.ts'
import { isTime, KubeError, Quantity, type ResourceQuantities } from '../kube/index.ts'
import { isWorkloadSnapshot, unknownFields, validate, type WorkloadSnapshot } from '../policy/index.ts'
import { finding } from './codes.ts'
import { COUNTED_PARTS } from './write-snapshot.ts'

/** A Ticket as it lives in the cluster. */
export interface LiveTicket {
  readonly namespace: string
  readonly name: string
  readonly order?: string
  readonly node?: string
  readonly phase?: string
  readonly claimedAt?: Date
  readonly expiresAt?: Date
}

/** What lives in a cluster, each part of it undefined where no snapshot says. */
export interface Live {
  readonly tickets?: readonly LiveTicket[]
  /** What the pods on each node request. */
  readonly nodes?: readonly LiveNode[]
}

/** What the snapshots of a scope say of a cluster; without a cluster's name nobody can tell whether they are of the same one. */
export function readLive(sources: readonly Subject[], cluster: string): Read<Live> {
  const findings: Finding[] = []
  let tickets: Map<string, LiveTicket> | undefined
  let nodes: Map<string, LiveNode> | undefined
  for (const subject of sources.filter(isWorkloadSnapshot).sort(oldestFirst)) {
    const problems = validate('WorkloadSnapshot', subject)
    findings.push(...problems)
    if (problems.length > 0) continue
    const { spec } = subject as unknown as WorkloadSnapshot
    findings.push(...unknownFields('WorkloadSnapshot', subject, [['spec', spec], ...entriesOf(spec)]))
    if (spec.cluster !== cluster) {
      findings.push(otherCluster(subject, spec.cluster, cluster))
      continue
    }
    const { value: seen, findings: nodeFindings } = readLiveNodes(subject, spec)
    findings.push(...nodeFindings, ...cutFindings(subject, spec))
    if (seen !== undefined) {
      nodes ??= new Map()
      for (const node of seen) nodes.set(node.name, node)
    }
    if (spec.tickets === undefined) continue
    for (const [index, ticket] of spec.tickets.entries()) findings.push(...checkTimes(subject, ticket, index))
    tickets ??= new Map()
    for (const ticket of spec.tickets.map(toTicket)) tickets.set(`${ticket.namespace}/${ticket.name}`, ticket)
  }
  return { value: { tickets: tickets && [...tickets.values()], nodes: nodes && [...nodes.values()] }, findings }
}

/** The parts of a snapshot that are lists, entry by entry. */
function entriesOf(spec: WorkloadSnapshot['spec']): Array<readonly [path: string, entry: object]> {
  return [
    ...(spec.collected === undefined ? [] : [['spec.collected', spec.collected] as const]),
    ...(['nodes', 'daemonSets', 'claims', 'tickets', 'usage', 'events'] as const).flatMap((part) =>
      (spec[part] ?? []).map((entry) => [`spec.${part}[]`, entry] as const),
    ),
    ...(spec.claims ?? []).flatMap(({ requirements }) =>
      requirements === undefined ? [] : [['spec.claims[].requirements', requirements] as const],
    ),
  ]
}

/** What was seen last wins, in whatever order the snapshots come. */
function oldestFirst(left: Subject, right: Subject): number {
  const key = (one: Subject) =>
    `${scalarText((one as { spec?: { observedAt?: unknown } }).spec?.observedAt ?? '')} ${one.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}

type TicketText = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

function toTicket({ namespace = '', claimedAt, expiresAt, ...rest }: TicketText): LiveTicket {
  const time = (text: string | undefined) => (text === undefined || !isTime(text) ? undefined : new Date(text))
  return { ...rest, namespace, claimedAt: time(claimedAt), expiresAt: time(expiresAt) }
}

/** Parts that have not as many entries as their writer counted, those that are gone altogether among them. */
function cutFindings(subject: Subject, spec: WorkloadSnapshot['spec']): Finding[] {
  return COUNTED_PARTS.flatMap((part) => {
    const wanted = spec.collected?.[part]
    const count = spec[part]?.length ?? 0
    if (wanted === undefined || wanted === count) return []
    const field = { path: `spec.collected.${part}`, currentValue: wanted, proposedValue: count }
    const sentence = `WorkloadSnapshot ${subject.metadata.name} has ${count} ${part}, but collected says ${wanted}`
    return [finding('SnapshotCut', sentence, { subject, field })]
  })
}

function checkTimes(subject: Subject, ticket: TicketText, index: number): Finding[] {
  return (['claimedAt', 'expiresAt'] as const).flatMap((name) => {
    const text = ticket[name]
    if (text === undefined || isTime(text)) return []
    const field = { path: `spec.tickets.${index}.${name}`, currentValue: text }
    return [
      finding('InvalidField', `${subject.metadata.name}: ${field.path} is "${text}", not a time of RFC 3339`, {
        subject,
        field,
      }),
    ]
  })
}

function otherCluster(subject: Subject, found: string, wanted: string): Finding {
  const who = `WorkloadSnapshot ${subject.metadata.name} is of cluster ${found}`
  if (wanted !== '') return finding('WrongCluster', `${who}, the nodes are of ${wanted}`, { subject })
  const sentence = `${who}, and Node objects do not say of which cluster they are: name it in spec.cluster of a RenderConfig`
  return finding('WrongCluster', sentence, { subject })
}

/** What the pods on a node request, and which of them are of DaemonSets. */
export interface LiveNode {
  readonly name: string
  /** Undefined where the snapshot does not say. */
  readonly used?: ResourceQuantities
  readonly daemonPods: readonly DaemonPod[]
}

/** A pod of a DaemonSet. */
export interface DaemonPod {
  readonly namespace: string
  readonly name: string
  readonly requests: ResourceQuantities
}

/** The nodes of a snapshot; without a value it says nothing about them. */
function readLiveNodes(subject: Subject, spec: WorkloadSnapshot['spec']): Read<LiveNode[]> {
  const { nodes, daemonSets = [] } = spec
  if (nodes === undefined) return { findings: [] }
  const malformed = [
    ...nodes.flatMap((node, index) => amountFindings(subject, node.used, `spec.nodes.${index}.used`)),
    ...daemonSets.flatMap((one, index) => amountFindings(subject, one.requests, `spec.daemonSets.${index}.requests`)),
  ]
  if (malformed.length > 0) return { findings: malformed }
  const pods = new Map<string, DaemonPod[]>(nodes.map(({ name }) => [name, []]))
  for (const { namespace = '', name, requests, nodes: places } of daemonSets)
    for (const place of places) pods.get(place)?.push({ namespace, name, requests: requests ?? {} })
  const value = nodes.map(({ name, used }) => ({ name, used: used ?? undefined, daemonPods: pods.get(name) ?? [] }))
  return { value, findings: [] }
}

function amountFindings(subject: Subject, amounts: ResourceQuantities | null | undefined, path: string): Finding[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) => {
    try {
      Quantity.parse(text)
      return []
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      const field = { path: `${path}.${name}`, currentValue: text }
      return [finding('InvalidField', `${subject.metadata.name}: ${field.path}: ${error.message}`, { subject, field })]
    }
  })
}
