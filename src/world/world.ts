import { type Finding, isError, type Read } from '../finding/index.ts'
import { type Fleet, isNodeSource, type Live, newestTime, readFleet, readLive } from '../inventory/index.ts'
import { identityOf } from '../krm/identity.ts'
import { ownerOf, rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isWorkloadSnapshot, type RenderOptions } from '../policy/index.ts'
import { indexBy, memo, once } from './memo.ts'
import type { LeaveReason, Leaving } from './planned.ts'

/** A key that actions are verified with: a shared secret or a public key, base64. */
export interface Key {
  readonly alg: 'HMAC-SHA256' | 'Ed25519'
  readonly key: string
}

/** Keys by their id. */
export type Keyring = Readonly<Record<string, Key>>

/** What only the planner of a subject or of an owner's kind knows of its output. */
export interface PlannerRegistry {
  /** What is reported when an object is kept back for the first time; undefined for the usual finding. */
  retirement(object: KubernetesObject): Finding | undefined
  /** What becomes of an object that leaves; `subject` is what it was rendered for, where that is in the package. */
  leaving(object: KubernetesObject, why: LeaveReason, subject?: Item): Leaving
  /** What to do about orphans whose owner is of a kind; undefined for the usual mend. */
  orphanMend(ownerKind: string): string | undefined
  /** What to do about an object that holds a name that a subject needs; undefined for the usual mend. */
  foreignMend(object: KubernetesObject, subject: Item): string | undefined
  /** What the objects of a subject that are for one node are called; undefined where they have no name of their own. */
  noun(subject: Item): string | undefined
  /** The code of a subject's summary. */
  summary(subject: Item): string
  /** Whether subjects of a kind share fields of objects. */
  sharesFields(kind: string): boolean
}

/** A package: what its policies may see, and no more. Everything in it is read once, and its findings are said once. */
export interface World {
  readonly path: string
  readonly items: readonly Item[]
  /** Every item of the run, other packages' too; only to see what an item is needed for. */
  readonly everything: readonly Item[]
  readonly options: RenderOptions
  /** The time of the run: what it says itself, else that of the newest inventory or snapshot. */
  readonly now?: Date
  /** The keys that signed actions are verified with. */
  readonly keyring?: Keyring
  readonly planners: PlannerRegistry
  /** What is to be planned here; what we rendered is never among it. */
  readonly subjects: readonly Item[]
  /** Whether every subject of the package is planned: not one alone, nor a part that a selection shows. */
  readonly plansAllSubjects: boolean
  /** What was rendered before, where that was given apart from the items. */
  readonly earlierOutput: readonly Item[]
  /** Whether what was rendered before can be in the input. */
  readonly isSeen: boolean
  /**
   * Whether a host keeps the files of the package: what leaves as local configuration stands in its output, and comes
   * back.
   */
  readonly keepsFiles: boolean
  /** What is to be said of the package itself, with all that was read of it so far. */
  readonly findings: readonly Finding[]
  /** The fleets that were read so far. */
  readonly fleets: readonly Fleet[]
  /** Whether the item stands in the package. */
  holds(item: Item): boolean
  /** Whether the item is never applied. */
  isInput(item: Item): boolean
  /** The items of a kind and name, in whatever namespace. */
  named(wanted: { apiVersion: string; kind: string; name: string }): readonly Item[]
  /** The objects that carry an owner, in the package alone. */
  ownedBy(owner: string): readonly Item[]
  /** The nodes of the cluster; of the only one there is where none is named. */
  fleet(cluster?: string): Read<Fleet>
  /** What lives in the cluster, as far as a snapshot says. */
  live(cluster?: string): Read<Live>
  /**
   * What the owners rendered into the namespace before, what they released since included: what stands in the package,
   * else what was given as earlier output.
   */
  earlier(owners: readonly string[], namespace?: string): { readonly items: readonly Item[]; readonly isSeen: boolean }
  /** Whether findings stop a plan: errors that the run does not allow. */
  stops(findings: readonly Finding[]): boolean
}

/** What a world is made of. */
export interface WorldInput
  extends Pick<
    World,
    'path' | 'items' | 'everything' | 'options' | 'keyring' | 'planners' | 'subjects' | 'isInput' | 'earlierOutput'
  > {
  readonly plansAllSubjects: boolean
  readonly isSeen: boolean
  readonly keepsFiles: boolean
  readonly findings: readonly Finding[]
}

/** The world of a package. Nothing is read before somebody asks for it. */
export function worldOf({ findings, ...input }: WorldInput): World {
  const { items, options, isSeen, earlierOutput } = input
  const objects = items.filter((item) => rendererOf(item.object) === undefined).map(({ object }) => object)
  const sources = objects.filter(isNodeSource)
  const snapshots = objects.filter(isWorkloadSnapshot)
  const fleets = memo((cluster: string) => readFleet(sources, cluster === '' ? undefined : cluster))
  const lives = memo((cluster: string) => readLive(snapshots, cluster))
  const names = once(() => indexBy(items, ({ object }) => nameKey({ ...object, name: object.metadata.name })))
  const members = new Set(items)
  const owners = once(() => indexBy(items, ({ object }) => rendererOf(object)))
  const earlierOwners = once(() => indexBy(earlierOutput, ({ object }) => rendererOf(object)))
  const among = (index: ReadonlyMap<string, readonly Item[]>, wanted: readonly string[], namespace = '') =>
    wanted.flatMap((owner) => index.get(owner) ?? []).filter(({ object }) => namespaceOf(object) === namespace)
  return {
    ...input,
    now: options.now ?? newestTime([...sources, ...snapshots]),
    get findings() {
      return [findings, ...fleets.all().map((one) => one.findings), ...lives.all().map((one) => one.findings)].flat()
    },
    get fleets() {
      return fleets.all().flatMap(({ value }) => value ?? [])
    },
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
      // objects that are still ours stand in the package or apart, released ones wherever somebody keeps them
      const ours = here.some(isOurs) ? here.filter(isOurs) : apart.filter(isOurs)
      const known = new Set([...ours, ...here].map(({ object }) => identityOf(object)))
      const released = [...here, ...apart.filter(({ object }) => !known.has(identityOf(object)))].filter(
        (item) => !isOurs(item),
      )
      return { items: [...ours, ...released], isSeen }
    },
    stops: (all) => all.some(({ severity, code }) => severity === 'error' && !isAllowed(options, code)),
  }
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
 * Applies the options of a run to what it has to say, once and last: what is allowed only warns, other severities are
 * as asked for, off is left out, and failOn raises warnings.
 */
export function judge(findings: readonly Finding[], options: RenderOptions): Finding[] {
  return findings.flatMap((one) => {
    if (isError(one)) return isAllowed(options, one.code) ? [{ ...one, severity: 'warning' as const }] : [one]
    const severity = options.severity.get(one.code) ?? one.severity
    if (severity === 'off') return []
    return [{ ...one, severity: severity === 'warning' && options.failOn === 'warning' ? 'error' : severity }]
  })
}
