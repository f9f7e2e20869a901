import type { Finding, Read, Subject } from '../finding/index.ts'
import { scalarText } from '../krm/map.ts'
import { formatDuration, isTime, KubeError, Quantity, type ResourceQuantities, timeText } from '../kube/index.ts'
import { isWorkloadSnapshot, unknownFields, validate, type WorkloadSnapshot } from '../policy/index.ts'
import { finding } from './codes.ts'
import { newestTime } from './read-inventory.ts'
import { COUNTED_PARTS } from './write-snapshot.ts'

/** A Ticket as it is in the cluster. */
export interface LiveTicket {
  readonly namespace: string
  readonly name: string
  readonly order?: string
  readonly node?: string
  readonly phase?: string
  readonly claimedAt?: Date
  readonly expiresAt?: Date
  /** Since when its guardian pod does not run, and why; undefined of one that runs. */
  readonly since?: Date
  readonly reason?: string
  /** The pod that claimed it, and whether that pod is gone; undefined if that is unknown. */
  readonly pod?: string
  readonly podGone?: boolean
}

/** The live state of a cluster. A part is undefined if no snapshot has it. */
export interface Live {
  readonly tickets?: readonly LiveTicket[]
  /** The requests of the pods on each node. */
  readonly nodes?: readonly LiveNode[]
  /** Whether the newest snapshot with Tickets is stale. */
  readonly isStale?: boolean
}

/** A snapshot that is older than its inventory by more than this says little of what runs now. */
const STALE_MILLISECONDS = 3_600_000

/**
 * Reads the WorkloadSnapshots of a scope that are of the cluster. Without a cluster name nothing shows whether a
 * snapshot belongs to the nodes, which is a finding. `inventoryTime` is when the nodes were read.
 */
export function readLive(sources: readonly Subject[], cluster: string, inventoryTime?: Date): Read<Live> {
  const findings: Finding[] = []
  let tickets: Map<string, LiveTicket> | undefined
  let nodes: Map<string, LiveNode> | undefined
  /** By part, the newest snapshot that has it. */
  const newest = new Map<'tickets' | 'nodes', Subject>()
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
      newest.set('nodes', subject)
      nodes ??= new Map()
      for (const node of seen) nodes.set(node.name, node)
    }
    if (spec.tickets === undefined) continue
    for (const [index, ticket] of spec.tickets.entries()) findings.push(...checkTimes(subject, ticket, index))
    newest.set('tickets', subject)
    tickets ??= new Map()
    for (const ticket of spec.tickets.map(toTicket)) tickets.set(`${ticket.namespace}/${ticket.name}`, ticket)
  }
  const stale = new Map([...new Set(newest.values())].flatMap((one) => staleEntry(one, inventoryTime)))
  const isStale = stale.has(newest.get('tickets'))
  const value = { tickets: tickets && [...tickets.values()], nodes: nodes && [...nodes.values()], isStale }
  return { value, findings: [...findings, ...stale.values()] }
}

/** Returns a snapshot that is stale, with its finding; empty if it is not, or a time is unknown. */
function staleEntry(subject: Subject, inventoryTime: Date | undefined): Array<[Subject | undefined, Finding]> {
  const time = newestTime([subject])
  if (time === undefined || inventoryTime === undefined) return []
  const milliseconds = inventoryTime.getTime() - time.getTime()
  if (milliseconds <= STALE_MILLISECONDS) return []
  const sentence = `WorkloadSnapshot ${subject.metadata.name} is of ${timeText(time)}, ${formatDuration(BigInt(milliseconds) * 1_000_000n)} before the inventory`
  return [[subject, finding('SnapshotStale', sentence, { subject, field: { path: 'spec.observedAt' } })]]
}

/** Returns the entries of each list in a snapshot, with the path of the list. */
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

/** Sorts snapshots by time, so that the newest wins in whatever order they come. */
function oldestFirst(left: Subject, right: Subject): number {
  const key = (one: Subject) =>
    `${scalarText((one as { spec?: { observedAt?: unknown } }).spec?.observedAt ?? '')} ${one.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}

type TicketText = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

function toTicket({ namespace = '', claimedAt, expiresAt, since, ...rest }: TicketText): LiveTicket {
  const time = (text: string | undefined) => (text === undefined || !isTime(text) ? undefined : new Date(text))
  return { ...rest, namespace, claimedAt: time(claimedAt), expiresAt: time(expiresAt), since: time(since) }
}

/** Finds parts whose number of entries differs from the one that the writer recorded, missing parts included. */
function cutFindings(subject: Subject, spec: WorkloadSnapshot['spec']): Finding[] {
  return COUNTED_PARTS.flatMap((part) => {
    const wanted = spec.collected?.[part]
    const count = spec[part]?.length ?? 0
    if (wanted === undefined || wanted === count) return []
    const field = { path: `spec.collected.${part}`, currentValue: wanted, proposedValue: count }
    const sentence = `WorkloadSnapshot ${subject.metadata.name} has ${count} ${part}, but collected is ${wanted}`
    return [finding('SnapshotCut', sentence, { subject, field })]
  })
}

function checkTimes(subject: Subject, ticket: TicketText, index: number): Finding[] {
  return (['claimedAt', 'expiresAt', 'since'] as const).flatMap((name) => {
    const text = ticket[name]
    if (text === undefined || isTime(text)) return []
    const field = { path: `spec.tickets.${index}.${name}`, currentValue: text }
    return [
      finding('InvalidField', `${subject.metadata.name}: ${field.path} is "${text}", not an RFC 3339 time`, {
        subject,
        field,
      }),
    ]
  })
}

function otherCluster(subject: Subject, found: string, wanted: string): Finding {
  const who = `WorkloadSnapshot ${subject.metadata.name} is of cluster ${found}`
  if (wanted !== '') return finding('WrongCluster', `${who}, but the nodes are of ${wanted}`, { subject })
  const sentence = `${who}, but Node objects do not name their cluster: set spec.cluster of a RenderConfig`
  return finding('WrongCluster', sentence, { subject })
}

/** The requests of the pods on a node, and which of the pods belong to DaemonSets. */
export interface LiveNode {
  readonly name: string
  /** Undefined if the snapshot does not record it. */
  readonly used?: ResourceQuantities
  readonly daemonPods: readonly DaemonPod[]
}

/** A pod of a DaemonSet. */
export interface DaemonPod {
  readonly namespace: string
  readonly name: string
  readonly requests: ResourceQuantities
}

/** Reads the nodes of a snapshot; without a value the snapshot does not record them. */
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
