import { type Fleet, isNodeSource, type Live, newestTime, readFleet, readLive } from '../facts/inventory/index.ts'
import { isWorkloadSnapshot, type RenderOptions } from '../kinds/index.ts'
import { type Finding, isError, type Read } from '../krm/finding.ts'
import { identityOf, isLocalConfig } from '../krm/identity.ts'
import { ownerOf, renderedNamespace, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { formatDuration, timeText } from '../kube/index.ts'
import { finding } from './codes.ts'
import type { Kustomizations } from './kustomizations.ts'
import { indexBy, memo, once } from './memo.ts'
import type { LeaveReason, Leaving } from './planned.ts'
import type { Trust } from './trust.ts'

/**
 * How flat keys of a run were given: `config` where they are kept, as in a ConfigMap, or `look` by somebody who looks.
 */
export type FlatKeys = 'config' | 'look'

/** What only the planner of a subject or of an owner's kind knows about its output. */
export interface PlannerRegistry {
  /** Returns the finding for an object that is kept back for the first time; undefined for the usual one. */
  retirement(object: KubernetesObject, world: World): Finding | undefined
  isDoubled(object: KubernetesObject): boolean
  /**
   * Returns what happens to an object that is no longer rendered; `subject` is what it was rendered for, if the package
   * has it, and `path` a field of it that is shared.
   */
  leaving(object: KubernetesObject, why: LeaveReason, subject?: Item, path?: readonly string[]): Leaving
  /** Returns what to do about orphans whose owner is of a kind; undefined for the usual mend. */
  orphanMend(ownerKind: string): string | undefined
  /** Returns what to do about an object that has a name that a subject needs; undefined for the usual mend. */
  foreignMend(object: KubernetesObject, subject: Item): string | undefined
  /** Returns the noun for a subject's objects that are for one node; undefined where there is none. */
  noun(subject: Item): string | undefined
  /** Returns the code of a subject's summary. */
  summary(subject: Item): string
  /** Whether subjects of a kind share fields of objects. */
  sharesFields(kind: string): boolean
}

/**
 * A package: exactly what its policies may read. Nothing in it changes; everything is read once, when it is asked for.
 */
export interface World {
  readonly path: string
  readonly items: readonly Item[]
  /** Every item of the run, also those of other packages; only to find what uses an item. */
  readonly everything: readonly Item[]
  /** The kustomizations of the run, also those of other packages. */
  readonly kustomizations: Kustomizations
  readonly options: RenderOptions
  /** The time of the run: as the run sets it, else that of the newest inventory or snapshot. */
  readonly now?: Date
  /** The clock of the machine that runs; undefined where nobody gave one. No time of the run is later. */
  readonly clock?: Date
  /**
   * Returns the clusterUid of a cluster's inventories, of the only cluster where none is named; undefined where no
   * inventory has one.
   */
  clusterUid(cluster?: string): string | undefined
  /** Whom the operator trusts to act; undefined where nobody says, and the package decides itself. */
  readonly trust?: Trust
  /** The time of the newest inventory or snapshot, whatever time the run sets. */
  readonly observedAt?: Date
  readonly planners: PlannerRegistry
  /** How the subject's flat keys were given; undefined where it is an object. */
  readonly flat?: FlatKeys
  /** The items to plan; never any of nodefit's output. */
  readonly subjects: readonly Item[]
  /** Whether every subject of the package is planned: the run is neither for one subject nor for a selection. */
  readonly plansAllSubjects: boolean
  /** What was rendered before, where it was given separately from the items. */
  readonly earlierOutput: readonly Item[]
  /** Whether the input can hold earlier output. */
  readonly isSeen: boolean
  /**
   * Whether a host keeps the files of the package: what is output as local configuration is in the input of the next
   * run.
   */
  readonly keepsFiles: boolean
  /** The findings about the package itself; those about its nodes come with what is read of them. */
  readonly findings: readonly Finding[]
  /** Whether the item is in the package. */
  holds(item: Item): boolean
  /** Whether the item is never applied. */
  isInput(item: Item): boolean
  /** Returns the items of a kind and name, in any namespace. */
  named(wanted: { apiVersion: string; kind: string; name: string }): readonly Item[]
  /** Returns the objects of the package that carry an owner. */
  ownedBy(owner: string): readonly Item[]
  /** Returns the nodes of the cluster; those of the only cluster where none is named. */
  fleet(cluster?: string): Read<Fleet>
  /** Returns what runs in the cluster, as far as a snapshot shows it. */
  live(cluster?: string): Read<Live>
  /**
   * Returns what the owners rendered into the namespace before, and what they have released since: from the package,
   * else from output that was given separately. If all of it was moved to one other namespace, as a later function of
   * the pipeline does, it is found there.
   */
  earlier(owners: readonly string[], namespace?: string): { readonly items: readonly Item[]; readonly isSeen: boolean }
  /** Whether findings stop a plan: errors that the run does not allow. */
  stops(findings: readonly Finding[]): boolean
}

/** The input of a world. */
export type WorldInput = Omit<
  World,
  'now' | 'observedAt' | 'clusterUid' | 'holds' | 'named' | 'ownedBy' | 'fleet' | 'live' | 'earlier' | 'stops'
>

/** Returns the world of a package; reads nothing before it is asked for. */
export function worldOf(input: WorldInput): World {
  const { items, options, isSeen, earlierOutput, clock } = input
  const objects = items.filter((item) => rendererOf(item.object) === undefined).map(({ object }) => object)
  const late = objects.filter((object) => isAhead(object, clock))
  const isLate = new Set(late)
  const [sources, snapshots] = [isNodeSource, isWorkloadSnapshot].map((isOf) =>
    objects.filter(isOf).map((object) => (isLate.has(object) ? setBack(object, clock) : object)),
  ) as [KubernetesObject[], KubernetesObject[]]
  const observedAt = newestTime([...sources, ...snapshots])
  const fleets = memo((cluster: string) => readFleet(sources, cluster === '' ? undefined : cluster))
  const uids = memo((cluster: string) => clusterUidIn(sources.filter((one) => isOf(one, cluster))))
  const lives = memo((cluster: string) =>
    readLive(snapshots, cluster, newestTime(sources.filter((one) => isOf(one, cluster))), uids(cluster)),
  )
  const names = once(() => indexBy(items, ({ object }) => nameKey({ ...object, name: object.metadata.name })))
  const members = new Set(items)
  const owners = once(() => indexBy(items, ({ object }) => rendererOf(object)))
  const earlierOwners = once(() => indexBy(earlierOutput, ({ object }) => rendererOf(object)))
  const of = (index: ReadonlyMap<string, readonly Item[]>, wanted: readonly string[]) =>
    wanted.flatMap((owner) => index.get(owner) ?? [])
  const among = (index: ReadonlyMap<string, readonly Item[]>, wanted: readonly string[], namespace = '') =>
    of(index, wanted).filter(({ object }) => namespaceOf(object) === namespace)
  return {
    ...input,
    now: options.now ?? observedAt,
    observedAt,
    clusterUid: (cluster) => (cluster === undefined ? clusterUidIn(sources) : uids(cluster)),
    findings: [...input.findings, ...lateFindings(late, clock)],
    holds: (item) => members.has(item),
    named: (wanted) => names().get(nameKey(wanted)) ?? [],
    ownedBy: (owner) => owners().get(owner) ?? [],
    fleet: (cluster = '') => fleets(cluster),
    live: (cluster = '') => lives(cluster),
    earlier: (wanted, namespace) => {
      const names = [...new Set(wanted)]
      const here = among(owners(), names, namespace)
      const apart = among(earlierOwners(), names, namespace)
      const isOurs = ({ object }: Item) => ownerOf(object) !== undefined
      // owned objects are in the package or in separate output, released ones in either
      const atHome = here.some(isOurs) ? here.filter(isOurs) : apart.filter(isOurs)
      const movedHere = movedFrom(namespace, of(owners(), names))
      const moved = movedHere.length > 0 ? movedHere : movedFrom(namespace, of(earlierOwners(), names))
      const ours = atHome.some(isApplied) ? atHome : [...atHome, ...moved]
      const known = once(() => new Set([...ours, ...here].map(({ object }) => identityOf(object))))
      const isReleased = (item: Item) => !isOurs(item)
      const releasedApart = apart.filter((item) => isReleased(item) && !known().has(identityOf(item.object)))
      return { items: [...ours, ...here.filter(isReleased), ...releasedApart], isSeen }
    },
    stops: (all) => all.some(({ severity, code }) => severity === 'error' && !isAllowed(options, code)),
  }
}

/**
 * Returns the applied objects that were rendered for a namespace and are in another one now; empty where they are in
 * several. Functions such as set-namespace move what is applied, and leave local configuration where it is.
 */
function movedFrom(namespace = '', items: readonly Item[]): Item[] {
  const moved = items.filter(
    (item) =>
      ownerOf(item.object) !== undefined &&
      isApplied(item) &&
      renderedNamespace(item.object) === namespace &&
      namespaceOf(item.object) !== namespace,
  )
  return new Set(moved.map(({ object }) => namespaceOf(object))).size === 1 ? moved : []
}

/** Whether an inventory or snapshot says that it is of a later time than the clock. */
function isAhead(object: KubernetesObject, clock: Date | undefined): boolean {
  if (clock === undefined || !(isNodeSource(object) || isWorkloadSnapshot(object))) return false
  return (newestTime([object])?.getTime() ?? 0) > clock.getTime()
}

function setBack<Source extends KubernetesObject>(object: Source, clock: Date | undefined): Source {
  return clock === undefined ? object : { ...object, spec: { ...(object.spec as object), observedAt: timeText(clock) } }
}

/** Clocks of two machines differ by less than this. */
const SKEW = 60_000

function lateFindings(late: readonly KubernetesObject[], clock: Date | undefined): Finding[] {
  return late.flatMap((subject) => {
    const time = newestTime([subject])
    if (clock === undefined || time === undefined || time.getTime() - clock.getTime() <= SKEW) return []
    return [aheadFinding(subject, 'spec.observedAt', time, clock)]
  })
}

/** Reports a time that was written by a clock that was ahead, and is set back to that of this machine. */
export function aheadFinding(subject: KubernetesObject, path: string, time: Date, clock: Date): Finding {
  const by = formatDuration(BigInt(time.getTime() - clock.getTime()) * 1_000_000n)
  const sentence = `${subject.kind} ${subject.metadata.name}: ${path} is ${timeText(time)}, ${by} after the clock of this machine, ${timeText(clock)}, which counts`
  return finding('TimeSetBack', sentence, { subject, field: { path, currentValue: timeText(time) } })
}

/** Whether an inventory is of a cluster; Node objects name none, and have no time of their own. */
function isOf(source: KubernetesObject, cluster: string): boolean {
  return (source.spec as { cluster?: unknown } | null | undefined)?.cluster === cluster
}

function clusterUidIn(sources: readonly KubernetesObject[]): string | undefined {
  const uids = sources.map(({ spec }) => (spec as { clusterUid?: unknown } | null | undefined)?.clusterUid)
  return uids.find((uid): uid is string => typeof uid === 'string')
}

function isApplied({ object }: Item): boolean {
  return !isLocalConfig(object.metadata.annotations)
}

function nameKey({ apiVersion, kind, name }: { apiVersion: string; kind: string; name: unknown }): string {
  return `${apiVersion} ${kind} ${String(name)}`
}

function namespaceOf({ metadata }: KubernetesObject): string {
  return metadata.namespace ?? ''
}

/** Whether the options of a run allow findings of this code, which then only warn. */
export function isAllowed({ allow }: RenderOptions, code: string): boolean {
  return allow.has(code)
}

/**
 * Applies the options of a run to its findings, once and last: allowed errors only warn, other severities are set as
 * requested, `off` omits a finding, and failOn raises warnings.
 */
export function judge(findings: readonly Finding[], options: RenderOptions): Finding[] {
  return findings.flatMap((one) => {
    if (isError(one)) return isAllowed(options, one.code) ? [{ ...one, severity: 'warning' as const }] : [one]
    const asked = options.severity.get(one.code)
    const severity = asked ?? one.severity
    if (severity === 'off') return []
    // whoever gives a code a severity asks for each of its findings
    const roles = asked === undefined ? one.roles : one.roles?.filter((role) => role !== 'each')
    return [
      {
        ...one,
        ...(roles === undefined ? {} : { roles }),
        severity: severity === 'warning' && options.failOn === 'warning' ? 'error' : severity,
      },
    ]
  })
}
