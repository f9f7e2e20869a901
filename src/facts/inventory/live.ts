import { isWorkloadSnapshot, unknownFields, validate, type WorkloadSnapshot } from '../../kinds/index.ts'
import { type Finding, plural, type Read, type Subject } from '../../krm/finding.ts'
import { scalarText } from '../../krm/map.ts'
import { formatDuration, Quantity, type ResourceQuantities, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { amountFindings, duplicateFindings, invalidEntry, timeFindings, timeOf } from './live-checks.ts'
import { type LiveNode, readLiveNodes } from './live-nodes.ts'
import { type PendingPods, readPending } from './pending.ts'
import { type LiveClaim, type LiveMachine, type LivePool, readClaims, readMachines, readPools } from './pools.ts'
import { newestTime } from './read-fleet.ts'
import { COUNTED_PARTS, partCount } from './write-snapshot.ts'

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

/** How many pods of a namespace no DaemonSet controls, of those that are on a node and have not ended. */
interface LiveNamespace {
  readonly name: string
  readonly pods: number
}

/** The live state of a cluster. A part is undefined if no snapshot has it. */
export interface Live {
  readonly tickets?: readonly LiveTicket[]
  /** What runs on each node. */
  readonly nodes?: readonly LiveNode[]
  /** How many pods without a DaemonSet each namespace has, in the newest snapshot with such a part. */
  readonly namespaces?: readonly LiveNamespace[]
  /** The pods that have no node, in the newest snapshot with such a part; so are the following. */
  readonly pending?: readonly PendingPods[]
  readonly claims?: readonly LiveClaim[]
  readonly pools?: readonly LivePool[]
  readonly machines?: readonly LiveMachine[]
  readonly usage?: readonly UsageRow[]
  /** By part, when its newest snapshot was written, where that is known. */
  readonly times: Readonly<Partial<Record<LivePart, Date>>>
  /** Whether the newest snapshot with Tickets is stale. */
  readonly isStale?: boolean
}

/** A part of a snapshot that is read. */
export type LivePart = 'tickets' | 'nodes' | StatePart

/** The parts of which the newest snapshot counts alone: an entry that it does not have is gone. */
type StatePart = 'namespaces' | 'pending' | 'claims' | 'pools' | 'machines' | 'usage'

const STATE_READERS: Readonly<
  Record<StatePart, (subject: Subject, spec: WorkloadSnapshot['spec']) => Read<readonly unknown[]>>
> = {
  namespaces: readNamespaces,
  pending: readPending,
  claims: readClaims,
  pools: readPools,
  machines: readMachines,
  usage: readUsage,
}

/** A snapshot that is older than its inventory by more than this says little of what runs now. */
const STALE_MILLISECONDS = 3_600_000

/**
 * Reads the WorkloadSnapshots of a scope that are of the cluster. Without a cluster name nothing shows whether a
 * snapshot belongs to the nodes, which is a finding. `inventoryTime` is when the nodes were read, `clusterUid` that of
 * their inventory; where one of the two has none, names alone are compared.
 */
export function readLive(
  sources: readonly Subject[],
  cluster: string,
  inventoryTime?: Date,
  clusterUid?: string,
): Read<Live> {
  const findings: Finding[] = []
  let tickets: Map<string, LiveTicket> | undefined
  let nodes: Map<string, LiveNode> | undefined
  /** By part, the newest snapshot that has it. */
  const newest = new Map<LivePart, Subject>()
  const states: Partial<Record<StatePart, readonly unknown[]>> = {}
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
    if (!isSameUid(spec.clusterUid, clusterUid)) {
      findings.push(otherUid(subject, spec, clusterUid))
      continue
    }
    const { value: seen, findings: nodeFindings } = readLiveNodes(subject, spec)
    findings.push(...nodeFindings, ...cutFindings(subject, spec))
    if (seen !== undefined) {
      newest.set('nodes', subject)
      nodes ??= new Map()
      for (const node of seen) nodes.set(node.name, node)
    }
    for (const part of Object.keys(STATE_READERS) as StatePart[]) {
      const { value, findings: problems } = STATE_READERS[part](subject, spec)
      findings.push(...problems)
      if (value === undefined) continue
      states[part] = [...(isOfTime(newest.get(part), subject) ? (states[part] ?? []) : []), ...value]
      newest.set(part, subject)
    }
    if (spec.tickets === undefined) continue
    for (const [index, ticket] of spec.tickets.entries())
      findings.push(...timeFindings(subject, ticket, TICKET_TIMES, `spec.tickets.${index}`))
    newest.set('tickets', subject)
    tickets ??= new Map()
    for (const ticket of spec.tickets.map(toTicket)) tickets.set(`${ticket.namespace}/${ticket.name}`, ticket)
  }
  const stale = new Map([...new Set(newest.values())].flatMap((one) => staleEntry(one, inventoryTime)))
  const isStale = stale.has(newest.get('tickets'))
  const times = Object.fromEntries([...newest].map(([part, subject]) => [part, newestTime([subject])]))
  const parts = { tickets: tickets && [...tickets.values()], nodes: nodes && [...nodes.values()] }
  return {
    value: { ...parts, ...(states as Partial<Live>), times, isStale },
    findings: [...findings, ...stale.values()],
  }
}

function readNamespaces(_subject: Subject, { namespaces }: WorkloadSnapshot['spec']): Read<readonly LiveNamespace[]> {
  return { value: namespaces, findings: [] }
}

/** Whether two snapshots are of one time, as parts of one that was split are. */
function isOfTime(left: Subject | undefined, right: Subject): boolean {
  return left !== undefined && newestTime([left])?.getTime() === newestTime([right])?.getTime()
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
    ...([...COUNTED_PARTS, 'daemonSets'] as const).flatMap((part) =>
      (spec[part] ?? []).map((entry) => [`spec.${part}[]`, entry] as const),
    ),
    ...(spec.claims ?? []).flatMap(({ requirements, claims = [] }) => [
      ...(requirements === undefined ? [] : [['spec.claims[].requirements', requirements] as const]),
      ...claims.map((claim) => ['spec.claims[].claims[]', claim] as const),
    ]),
    ...(spec.pools ?? []).flatMap(({ limits }) =>
      limits === undefined ? [] : [['spec.pools[].limits', limits] as const],
    ),
    ...(spec.usage ?? []).flatMap((row) =>
      (['seen', 'kills', 'follows', 'ages', 'settled'] as const).flatMap((part) =>
        row[part] === undefined ? [] : [[`spec.usage[].${part}`, row[part]] as const],
      ),
    ),
    ...(spec.pending ?? []).flatMap(({ like, pods }) => [
      ['spec.pending[].like', like] as const,
      ...pods.map((pod) => ['spec.pending[].pods[]', pod] as const),
    ]),
  ]
}

/** Sorts snapshots by time, so that the newest wins in whatever order they come. */
function oldestFirst(left: Subject, right: Subject): number {
  const key = (one: Subject) =>
    `${scalarText((one as { spec?: { observedAt?: unknown } }).spec?.observedAt ?? '')} ${one.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}

type TicketText = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

const TICKET_TIMES = ['claimedAt', 'expiresAt', 'since'] as const

function toTicket({ namespace = '', claimedAt, expiresAt, since, ...rest }: TicketText): LiveTicket {
  return { ...rest, namespace, claimedAt: timeOf(claimedAt), expiresAt: timeOf(expiresAt), since: timeOf(since) }
}

/** What an entry of a part is called. */
const NOUNS: Readonly<Record<(typeof COUNTED_PARTS)[number], string>> = {
  nodes: 'node',
  namespaces: 'namespace',
  pending: 'pending pod',
  claims: 'claim',
  pools: 'pool',
  machines: 'machine',
  tickets: 'Ticket',
  usage: 'usage row',
  events: 'event',
  workloads: 'workload',
  components: 'component',
}

/** Finds parts whose number of entries differs from the one that the writer recorded, missing parts included. */
function cutFindings(subject: Subject, spec: WorkloadSnapshot['spec']): Finding[] {
  return COUNTED_PARTS.flatMap((part) => {
    const wanted = spec.collected?.[part]
    const count = partCount(spec, part) ?? 0
    if (wanted === undefined || wanted === count) return []
    const field = { path: `spec.collected.${part}`, currentValue: wanted, proposedValue: count }
    const sentence = `WorkloadSnapshot ${subject.metadata.name} has ${plural(count, NOUNS[part])}, but collected is ${wanted}`
    return [finding('SnapshotCut', sentence, { subject, field })]
  })
}

/** Whether two uids may be of one cluster: an unknown one may be any. */
export function isSameUid(left: string | undefined, right: string | undefined): boolean {
  return left === undefined || right === undefined || left === right
}

function otherUid(
  subject: Subject,
  { cluster, clusterUid }: WorkloadSnapshot['spec'],
  wanted: string | undefined,
): Finding {
  const sentence = `WorkloadSnapshot ${subject.metadata.name} is of a cluster ${cluster} with the uid ${clusterUid}, but the nodes are of the one with ${wanted}`
  const field = { path: 'spec.clusterUid', currentValue: clusterUid, proposedValue: wanted }
  return finding('WrongCluster', sentence, { subject, field })
}

function otherCluster(subject: Subject, found: string, wanted: string): Finding {
  const who = `WorkloadSnapshot ${subject.metadata.name} is of cluster ${found}`
  if (wanted !== '') return finding('WrongCluster', `${who}, but the nodes are of ${wanted}`, { subject })
  const sentence = `${who}, but Node objects do not name their cluster: set spec.cluster of a RenderConfig`
  return finding('WrongCluster', sentence, { subject })
}

/** A row of usage: what one container of a policy uses in one node group, and the sizes that are settled from it. */
export type UsageRow = NonNullable<WorkloadSnapshot['spec']['usage']>[number]

/** Reads the usage of a snapshot; without a value the snapshot does not record it. */
export function readUsage(subject: Subject, { usage }: WorkloadSnapshot['spec']): Read<readonly UsageRow[]> {
  if (usage === undefined) return { findings: [] }
  const findings = [
    ...usage.flatMap((row, index) => rowFindings(subject, row, `spec.usage.${index}`)),
    ...duplicateFindings(subject, 'usage', usage.map(usageKey)),
  ]
  return findings.length > 0 ? { findings } : { value: usage, findings }
}

/** Names a row of usage; no two have one name. */
export function usageKey({ policy, container, group }: Pick<UsageRow, 'policy' | 'container' | 'group'>): string {
  return `${policy}, container ${container}, group ${group}`
}

function rowFindings(subject: Subject, row: UsageRow, path: string): Finding[] {
  const { node, emptySince, seen = {}, newest, kills, follows = {}, ages = {}, settled } = row
  const { peakAt, ...used } = seen
  const { at, why, evidence: _, raisedAt = [], ...sizes } = settled ?? {}
  const limit: ResourceQuantities = kills?.limit === undefined ? {} : { limit: kills.limit }
  const times: Array<readonly [path: string, entry: Record<string, string | undefined>]> = [
    [path, { emptySince }],
    [`${path}.kills`, { last: kills?.last }],
    [`${path}.settled`, { at }],
    [`${path}.settled.raisedAt`, Object.fromEntries(raisedAt.entries())],
  ]
  return [
    ...Object.entries({ node: node ?? {}, seen: used, kills: limit, follows, ages, settled: sizes }).flatMap(
      ([part, amounts]) => usedFindings(subject, amounts as ResourceQuantities, `${path}.${part}`),
    ),
    ...dayFindings(subject, newest, `${path}.newest`),
    ...dayFindings(subject, peakAt, `${path}.seen.peakAt`),
    ...times.flatMap(([at, entry]) => timeFindings(subject, entry, Object.keys(entry), at)),
  ]
}

/** The largest amounts, a million cores and 10^9 MiB: what is larger is a mistake, and no number counts it exactly. */
const [MOST_NANO_CORES, MOST_NANO_BYTES] = [10n ** 15n, 10n ** 18n * 2n ** 20n]

/** Finds amounts of usage that are no quantities, negative, or larger than any machine has; and sizes of nothing. */
function usedFindings(subject: Subject, amounts: ResourceQuantities, path: string): Finding[] {
  const isSize = path.endsWith('.settled')
  const malformed = amountFindings(subject, amounts, path)
  if (malformed.length > 0) return malformed
  return Object.entries(amounts).flatMap(([name, text]) => {
    const nano = Quantity.parse(text).nanoValue()
    const most = /cpu$/i.test(name) ? MOST_NANO_CORES : MOST_NANO_BYTES
    if ((isSize ? nano > 0n : nano >= 0n) && nano <= most) return []
    return [
      invalidEntry(subject, `${path}.${name}`, text, (at) => `${at} is ${text}, which is not what a container can use`),
    ]
  })
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Finds a day that is not written as `2026-11-12`. */
function dayFindings(subject: Subject, day: string | undefined, path: string): Finding[] {
  if (day === undefined || (DAY.test(day) && !Number.isNaN(Date.parse(day)))) return []
  return [invalidEntry(subject, path, day, (at) => `${at} is "${day}", not a day such as 2026-11-12`)]
}
