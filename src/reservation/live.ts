import { type Finding, finding, type Subject } from '../finding/index.ts'
import { isTime } from '../kube/index.ts'
import { unknownFields, validate, type WorkloadSnapshot } from '../policy/index.ts'

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

/** Whether an object is a snapshot of what lives in a cluster. */
function isSnapshot({ apiVersion, kind }: Pick<Subject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'nodefit.dev/v1alpha1' && kind === 'WorkloadSnapshot'
}

/** The live Tickets of a cluster from the snapshots of a scope; undefined where none says. */
export function readLive(
  sources: readonly Subject[],
  cluster: string | undefined,
): { tickets?: readonly LiveTicket[]; findings: Finding[] } {
  const findings: Finding[] = []
  let tickets: Map<string, LiveTicket> | undefined
  for (const subject of sources.filter(isSnapshot).sort(oldestFirst)) {
    const problems = validate('WorkloadSnapshot', subject)
    findings.push(...problems)
    if (problems.length > 0) continue
    const { spec } = subject as unknown as WorkloadSnapshot
    const entries = (spec.tickets ?? []).map((ticket) => ['spec.tickets[]', ticket] as const)
    findings.push(...unknownFields('WorkloadSnapshot', subject, [['spec', spec], ...entries]))
    if (cluster && spec.cluster !== cluster) {
      findings.push(otherCluster(subject, spec.cluster, cluster))
      continue
    }
    if (spec.tickets === undefined) continue
    for (const [index, ticket] of spec.tickets.entries()) findings.push(...checkTimes(subject, ticket, index))
    tickets ??= new Map()
    for (const ticket of spec.tickets.map(toTicket)) tickets.set(`${ticket.namespace}/${ticket.name}`, ticket)
  }
  return { tickets: tickets && [...tickets.values()], findings }
}

/** What was seen last wins, in whatever order the snapshots come. */
function oldestFirst(left: Subject, right: Subject): number {
  const key = (one: Subject) =>
    `${String((one as { spec?: { observedAt?: unknown } }).spec?.observedAt ?? '')} ${one.metadata.name}`
  return key(left) < key(right) ? -1 : 1
}

type TicketText = NonNullable<WorkloadSnapshot['spec']['tickets']>[number]

function toTicket({ namespace = '', claimedAt, expiresAt, ...rest }: TicketText): LiveTicket {
  const time = (text: string | undefined) => (text === undefined || !isTime(text) ? undefined : new Date(text))
  return { ...rest, namespace, claimedAt: time(claimedAt), expiresAt: time(expiresAt) }
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
  const sentence = `WorkloadSnapshot ${subject.metadata.name} is of cluster ${found}, the nodes are of ${wanted}`
  return finding('WrongCluster', sentence, { subject })
}
