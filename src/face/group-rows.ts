import { indexBy } from '../core/index.ts'
import {
  type Change,
  type ChangeKind,
  type PlannedChanges,
  type Restart,
  restartOfTemplate,
  restartsOf,
} from '../fate/index.ts'
import { isMap, memberOf } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { changeTexts, readQuantity } from '../kube/index.ts'
import { NONE } from './columns.ts'

/** What a table shows for one node group. */
export interface GroupRow {
  /** The name of the object that is rendered for it. */
  readonly name: string
  /** Today's nodes; undefined for a removed group. */
  readonly nodeCount?: number
  /** How many of them may have a pod that nothing shows: none starts there, and one that runs may stay. */
  readonly mayStay?: number
  readonly kind: ChangeKind
  /** Undefined where nothing is changed. */
  readonly restart?: Restart
  /** The containers that are sized, and others whose amounts differ. */
  readonly containers: readonly ContainerRow[]
}

/** The amounts of one container, in the order of `AMOUNTS`. */
export interface ContainerRow {
  readonly name: string
  readonly amounts: readonly Amount[]
}

/**
 * An amount before and after; undefined where it is not set. An earlier one is a range where nodes had different
 * amounts: `200Mi..1635Mi`.
 */
export interface BothAmounts {
  readonly before?: string
  readonly after?: string
}

/**
 * An amount for people, in one unit before and after, which may round it. The earlier one counts only where it is
 * known.
 */
export interface Amount extends BothAmounts {
  /** The same for programs: as written where one unit would round it. */
  readonly exact: BothAmounts
  readonly isBeforeKnown: boolean
  /** Negative where any node gets less; no limit counts as more than any, no request as less than any. */
  readonly comparison: number
}

/** An amount that is not set, of which nothing is known before. */
export const NO_AMOUNT: Amount = { exact: {}, isBeforeKnown: false, comparison: 0 }

/** The amounts that are shown for a container. */
export const AMOUNTS = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const
type AmountName = (typeof AMOUNTS)[number]

/**
 * Returns a row for each object of a subject that has amounts. The earlier amounts are those of what ran on its nodes:
 * earlier output, also under another name, else the template, unless it leaves its amounts open.
 */
export function groupRows(planned: PlannedChanges): GroupRow[] {
  const rendered = new Map(planned.objects.map((one) => [one.object.metadata.name, one]))
  const restarts = restartsOf(planned)
  const sized = planned.account.flatMap((line) => (line.kind === 'containers' ? [new Set(line.sized)] : []))[0]
  const before = objectsBefore(planned)
  const rows = planned.changes.flatMap((change): GroupRow[] => {
    const { kind, after } = change
    // a Job serves no group of nodes, it runs once
    if (change.isShared === true || (after ?? change.before)?.object.kind === 'Job') return []
    const now = after && resourcesIn(after.object)
    const was = before(change).flatMap((object) => resourcesIn(object) ?? [])
    const all = kind === 'added' ? now : (now ?? was[0])
    if (all === undefined) return []
    const name = (after ?? change.before)?.object.metadata.name ?? ''
    const containers = [...all.keys()].map((container) => {
      const [had, has] = [was.map((one) => one.get(container)), now?.get(container)]
      return { name: container, amounts: AMOUNTS.map((amount) => amountOf(amount, had, has)) }
    })
    return [
      {
        name,
        kind,
        nodeCount: after === undefined ? undefined : rendered.get(name)?.nodeCount,
        mayStay: planned.pods.reduce((sum, one) => sum + (one.mayStay && isServedBy(one, name) ? one.nodeCount : 0), 0),
        restart: restarts.get(change),
        containers: containers.filter(
          (one) =>
            (sized ?? all).has(one.name) ||
            one.amounts.some(({ isBeforeKnown, comparison }) => isBeforeKnown && comparison !== 0),
        ),
      },
    ]
  })
  return [...rows, ...templateRows(planned)]
}

function isServedBy({ after }: PlannedChanges['pods'][number], name: string): boolean {
  return after?.object.metadata.name === name
}

/**
 * Returns a function that gives the objects whose pods the nodes of a change had. Where it has no nodes: its own
 * earlier object, else the template where nothing was rendered from it before.
 */
function objectsBefore({ pods, earlier, source }: PlannedChanges): (change: Change) => readonly KubernetesObject[] {
  const byName = indexBy(pods, ({ after }) => after?.object.metadata.name)
  return ({ kind, before, after }) => {
    const served = kind === 'unchanged' ? [] : (byName.get(after?.object.metadata.name ?? '') ?? [])
    const had = new Set(served.flatMap((one) => one.before?.object ?? []))
    if (had.size > 0) return [...had]
    if (before !== undefined) return [before.object]
    const isFirst = earlier.length === 0 && served.length === 0
    return isFirst && kind === 'added' && source !== undefined ? [source.object] : []
  }
}

/** Returns a row for the template's own DaemonSet where nodes go back to it. */
function templateRows(planned: PlannedChanges): GroupRow[] {
  const restart = restartOfTemplate(planned)
  if (restart === undefined || planned.source === undefined) return []
  const { name } = planned.source.object.metadata
  return [{ name: `${name} (static)`, nodeCount: restart.nodeCount, kind: 'changed', restart, containers: [] }]
}

type Resources = Readonly<Partial<Record<string, unknown>>>

/**
 * Returns the amounts of `AMOUNTS` of each container of a pod template, or of the template itself where it has no
 * containers, such as an Order's; undefined for an object without a template.
 */
export function resourcesIn({ spec }: KubernetesObject): ReadonlyMap<string, Resources> | undefined {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  if (!isMap(pod)) return undefined
  const containers = [pod.containers, pod.initContainers].flatMap((list) => (Array.isArray(list) ? list : []))
  if (containers.length === 0) return new Map([['', flat(pod.resources)]])
  return new Map(containers.filter(isMap).map((one) => [String(one.name), flat(one.resources)]))
}

/** Flattens requests and limits. Shows a missing request as the limit that Kubernetes uses for it, as the totals do. */
function flat(resources: unknown): Resources {
  return Object.fromEntries(
    AMOUNTS.map((amount) => {
      const [list, name] = amount.split('.') as [string, string]
      const own = memberOf(memberOf(resources, list), name)
      return [amount, list === 'requests' ? (own ?? memberOf(memberOf(resources, 'limits'), name)) : own]
    }),
  )
}

function amountOf(name: AmountName, was: ReadonlyArray<Resources | undefined>, now: Resources | undefined): Amount {
  const written = [now, ...was].map((one) => cellText(one?.[name]))
  const shown = inOneUnit(name, written)
  const [after, ...all] = written
  const comparisons = all.map((before) => compare(name, before, after))
  const comparison = comparisons.find((one) => one < 0) ?? comparisons.find((one) => one > 0) ?? 0
  const isExact = written.every((text, index) => compare(name, text, shown[index]) === 0)
  const exact = bothOf(name, isExact ? shown : written)
  return { ...bothOf(name, shown), exact, isBeforeKnown: was.length > 0, comparison }
}

function bothOf(name: AmountName, [after, ...all]: ReadonlyArray<string | undefined>): BothAmounts {
  const had = [...new Set(all)].sort((a, b) => compare(name, b, a))
  const [least, most] = [had[0], had.at(-1)]
  return { before: had.length < 2 ? least : `${least ?? NONE}..${most ?? NONE}`, after }
}

/**
 * Amounts as they are where all are equal, or where rounding would make different ones look so; else in one unit, so
 * that a reader compares numbers.
 */
function inOneUnit(name: AmountName, amounts: ReadonlyArray<string | undefined>): Array<string | undefined> {
  const quantities = amounts.map((text) => readQuantity(text))
  const known = quantities.filter((one) => one !== undefined)
  const [first] = known
  const isAlike = first === undefined || known.every((one) => one.compare(first) === 0)
  if (isAlike || known.length < amounts.filter((text) => text !== undefined).length) return [...amounts]
  const texts = changeTexts(name, quantities)
  const isHidden = countOf(known.map((one) => one.nanoValue())) > countOf(changeTexts(name, known))
  return amounts.map((text, index) => (text === undefined || isHidden ? text : texts[index]))
}

function countOf(values: readonly unknown[]): number {
  return new Set(values).size
}

function cellText(value: unknown): string | undefined {
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

function compare(name: AmountName, before: string | undefined, after: string | undefined): number {
  if (before === after) return 0
  const none = name.startsWith('limits') ? 1 : -1
  if (before === undefined) return -none
  if (after === undefined) return none
  const [was, is] = [readQuantity(before), readQuantity(after)]
  return was === undefined || is === undefined ? 1 : is.compare(was)
}
