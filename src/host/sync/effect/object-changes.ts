import { jobText } from '../../../core/index.ts'
import { type Amount, type GroupRow, groupRows } from '../../../face/index.ts'
import { type Change, mayStayText, totalsOf } from '../../../fate/index.ts'
import { plural } from '../../../krm/finding.ts'
import { describe } from '../../../krm/identity.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import { coresText, gibibytesText } from '../../../kube/index.ts'
import type { PackagePlan, Plan } from '../../../rules/plan.ts'

/** Rows that are listed; the others are counted. */
const MAX_ROWS = 40
/** Kinds whose changes are rows or counts of their own. */
const TOLD_APART = new Set(['DaemonSet', 'Order', 'Ticket'])
const AMOUNT_NAMES = ['cpu request', 'memory request', 'cpu limit', 'memory limit']

/** The changes of a plan, as text. */
export interface ObjectChanges {
  /** A few words for the subject of a commit; empty where nothing changes. */
  readonly brief: string
  readonly lines: readonly string[]
}

interface Subject {
  readonly title: string
  readonly name: string
  readonly rows: readonly GroupRow[]
  readonly tickets: Readonly<Record<GroupRow['kind'], number>>
  /** Rendered objects of other kinds that change: claims, Jobs, documents of Nodes. */
  readonly others: readonly OtherChange[]
  /** Jobs that go on as they are. */
  readonly jobs: readonly KubernetesObject[]
  readonly totals: string
}

interface OtherChange {
  readonly kind: Change['kind']
  readonly object: KubernetesObject
}

/**
 * Lists for each policy and Order the groups, Tickets and other objects that are added, changed and removed, the sizes
 * of groups before and after, and the restarts.
 */
export function objectChanges({ packages }: Plan): ObjectChanges {
  const all = packages.flatMap(subjectsOf)
  const subjects = all.filter(hasChanges)
  const [only, another] = subjects
  const counts = briefCounts(subjects)
  const brief = only !== undefined && another === undefined ? `${only.name}: ${counts}` : counts
  const lines = all
    .filter((subject) => hasChanges(subject) || subject.jobs.length > 0)
    .flatMap((subject) => {
      const rows = subject.rows.filter(({ kind }) => kind !== 'unchanged')
      const more = rows.length - MAX_ROWS
      const quiet = subject.rows.length - rows.length
      const rest = [...(more > 0 ? [`and ${more} more`] : []), ...(quiet > 0 ? [`${quiet} unchanged`] : [])]
      return [
        `${subject.title}${subject.totals}`,
        ...rows.slice(0, MAX_ROWS).map((row) => `  ${rowText(row)}`),
        ...rest.map((text) => `  ${text}`),
        ...otherLines(subject).map((text) => `  ${text}`),
        ...ticketLines(subject).map((text) => `  ${text}`),
      ]
    })
  return { brief: subjects.length === 0 ? '' : brief, lines }
}

function subjectsOf({ planned }: PackagePlan): Subject[] {
  return planned.map((subjectPlan) => {
    const isTicket = ({ before, after }: Change) => (after ?? before)?.object.kind === 'Ticket'
    const tickets = { added: 0, changed: 0, removed: 0, released: 0, unchanged: 0 }
    for (const change of subjectPlan.changes.filter(isTicket)) tickets[change.kind]++
    const totals = totalsOf(subjectPlan)
    const { object } = subjectPlan.subject
    return {
      title: describe(object),
      name: object.metadata.name,
      rows: groupRows({ ...subjectPlan, changes: subjectPlan.changes.filter((change) => !isTicket(change)) }),
      tickets,
      others: subjectPlan.changes.flatMap(otherChange),
      jobs: subjectPlan.changes.flatMap(({ kind, after }) =>
        kind === 'unchanged' && after?.object.kind === 'Job' ? [after.object] : [],
      ),
      totals: totals === undefined ? '' : `: ${totalsText(totals)}`,
    }
  })
}

/** Returns a change of what nodefit owns that has no row and no count; what a user owns is told as applied. */
function otherChange({ kind, before, after }: Change): OtherChange[] {
  const object = (after ?? before)?.object
  if (object === undefined || kind === 'unchanged' || TOLD_APART.has(object.kind)) return []
  const isOwned = [before, after].some((one) => one !== undefined && ownerOf(one.object) !== undefined)
  return isOwned ? [{ kind, object }] : []
}

function hasChanges({ rows, tickets, others }: Subject): boolean {
  return rows.some(({ kind }) => kind !== 'unchanged') || ticketChanges(tickets) > 0 || others.length > 0
}

function briefCounts(subjects: readonly Subject[]): string {
  const rows = subjects.flatMap((subject) => subject.rows)
  const count = (kind: GroupRow['kind']) => rows.filter((row) => row.kind === kind).length
  const tickets = (kind: GroupRow['kind']) => subjects.reduce((sum, subject) => sum + subject.tickets[kind], 0)
  const counted = (noun: string, of: (kind: GroupRow['kind']) => number) =>
    (['added', 'changed', 'removed', 'released'] as const)
      .filter((kind) => of(kind) > 0)
      .map((kind, index) => `${index === 0 ? plural(of(kind), noun) : of(kind)} ${kind}`)
  const restarts = restartCount(rows)
  const pods = restarts === 0 ? [] : [`${plural(restarts, 'pod')} ${restarts === 1 ? 'restarts' : 'restart'}`]
  const others = subjects.flatMap((subject) => subject.others)
  const kinds = [...new Set(others.map(({ object }) => object.kind))].sort()
  const otherCounts = kinds.flatMap((name) =>
    counted(name, (kind) => others.filter((one) => one.kind === kind && one.object.kind === name).length),
  )
  return [...counted('group', count), ...pods, ...otherCounts, ...counted('Ticket', tickets)].join(', ')
}

function restartCount(rows: readonly GroupRow[]): number {
  return rows.reduce((sum, { restart }) => sum + (restart?.pods ?? 0) + (restart?.moved ?? 0), 0)
}

function rowText({ kind, name, nodeCount, restart, containers }: GroupRow): string {
  const nodes = nodeCount === undefined ? '' : ` (${plural(nodeCount, 'node')})`
  const sizes =
    kind === 'removed'
      ? []
      : containers.flatMap(({ name: container, amounts }) => {
          const texts = amounts.flatMap((amount, index) => amountText(amount, AMOUNT_NAMES[index] ?? '', kind))
          return texts.length === 0 ? [] : [`${container === '' ? '' : `${container} `}${texts.join(', ')}`]
        })
  const { pods = 0, moved = 0, lost = 0, isOnDelete = false } = restart ?? {}
  const details = [
    ...sizes,
    ...(pods > 0
      ? [`${plural(pods, 'pod')} ${pods === 1 ? 'restarts' : 'restart'}${isOnDelete ? ' when deleted' : ''}`]
      : []),
    ...(moved > 0 ? [`${plural(moved, 'node')} ${moved === 1 ? 'moves' : 'move'} here`] : []),
    ...(lost > 0 ? [`${plural(lost, 'node')} ${lost === 1 ? 'loses its' : 'lose their'} agent`] : []),
  ]
  return `${kind} ${name}${nodes}${details.length === 0 ? '' : `: ${details.join('; ')}`}`
}

/** Every amount of an added group; those that differ from what its nodes had. */
function amountText(
  { before, after, isBeforeKnown, comparison }: Amount,
  name: string,
  kind: GroupRow['kind'],
): string[] {
  if (kind === 'added' && (!isBeforeKnown || comparison === 0)) return after === undefined ? [] : [`${name} ${after}`]
  return isBeforeKnown && comparison !== 0 ? [`${name} ${before ?? 'none'} -> ${after ?? 'none'}`] : []
}

function ticketChanges({ added, changed, removed, released }: Subject['tickets']): number {
  return added + changed + removed + released
}

function otherLines({ others, jobs }: Subject): string[] {
  // whoever reads the commit sees what runs: no Job is left out
  const changed = others.filter(({ kind }) => kind !== 'removed').map(({ kind, object }) => ({ kind, object }))
  const acts = [...changed, ...jobs.map((object) => ({ kind: 'unchanged', object }))].flatMap(({ kind, object }) => {
    const job = jobText(object)
    return job === undefined ? [] : [`${kind} ${describe(object)}: ${job.command}, as ${job.account}`]
  })
  const rest = others.filter(({ kind, object }) => kind === 'removed' || jobText(object) === undefined)
  const lines = rest.map(({ kind, object }) => `${kind} ${describe(object)}`).sort()
  const more = lines.length - MAX_ROWS
  return [...acts.sort(), ...lines.slice(0, MAX_ROWS), ...(more > 0 ? [`and ${more} more`] : [])]
}

function ticketLines({ tickets }: Subject): string[] {
  const { added, changed, removed, unchanged } = tickets
  if (ticketChanges(tickets) === 0) return []
  return [`Tickets: ${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`]
}

function totalsText({ before, after, mayStay }: NonNullable<ReturnType<typeof totalsOf>>): string {
  const both = (was: string | undefined, is: string) => (was === undefined || was === is ? is : `${was} -> ${is}`)
  const pods =
    before === undefined || before.pods === after.pods
      ? plural(after.pods, 'pod')
      : `${before.pods} -> ${after.pods} pods`
  const cores = both(before && coresText(before.cpu), coresText(after.cpu))
  const gibibytes = both(before && gibibytesText(before.memory), gibibytesText(after.memory))
  return `${cores} cores and ${gibibytes} GiB requested, ${pods}${mayStayText(mayStay)}`
}
