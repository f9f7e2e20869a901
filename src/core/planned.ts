import { type Fleet, type Nodes, namedNodes } from '../facts/inventory/index.ts'
import type { Finding, Read } from '../krm/finding.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import {
  type Affinity,
  type Labels,
  type PodSpec,
  podRequests,
  type Quantity,
  type Region,
  type Toleration,
  unlessMalformed,
  withDefaultRequests,
} from '../kube/index.ts'
import type { GroupKind, Line } from './account.ts'
import { once } from './memo.ts'

/**
 * Why an object is no longer rendered: its enabled subject dropped it, its subject is disabled, or its subject is gone
 * from the package.
 */
export type LeaveReason = 'dropped' | 'disabled' | 'orphaned'

/** What happens to such an object: it is deleted, or it stays as it is and nodefit no longer owns it. */
export type Leaving = 'removed' | 'released'

/**
 * An object that a planner renders, and the nodes that it serves as far as they are known. Owner, group, node, cluster
 * and node count are written onto it from these fields when it has been planned (`change/marks.ts`); a planner writes
 * none of these annotations.
 */
export interface Rendered extends Nodes {
  readonly object: KubernetesObject
  /** The file for a new object, beside its subject. */
  readonly file: string
  /** What the object is for, in words. */
  readonly about: string
  /** The node group that it is for. */
  readonly group?: { readonly id: string; readonly kind: GroupKind }
  /** The one node that it is for. */
  readonly node?: string
  /** Whether it is earlier output that is rendered again as it is, marks included. */
  readonly isKept?: boolean
}

/** Where pods may run: what the pod of the source says, narrowed by the policy, with the tolerations of both. */
export interface Constraints {
  readonly pod: PodSpec
  readonly nodeSelector?: Labels
  readonly affinity?: Affinity
  readonly tolerations: readonly Toleration[]
}

/** Nodes that are excluded on purpose: no rendered object serves them either. */
export interface Hole {
  readonly region: Region
  /** The field of the policy that makes it, as written. */
  readonly why: string
  /** Whether existing nodes may be in it; if not, only nodes that no inventory shows. */
  readonly mayHoldNodes: boolean
}

/**
 * What a subject asks of a node that does not exist yet: one pod, or one Ticket, on each new node that the pod admits.
 */
export interface Demand {
  readonly kind: 'pod' | 'Ticket'
  /** The name of the rendered object that makes the demand. */
  readonly name: string
  /** The pod as it will be placed: nodeSelector, affinity and tolerations of what is rendered. */
  readonly pod: PodSpec
  /** What it requests, per resource; computed when first read. Undefined where an amount is malformed. */
  readonly requests: Readonly<Record<string, Quantity>> | undefined
}

/** The demand of one pod or Ticket on each new node. */
export function demandOf(kind: Demand['kind'], name: string, pod: PodSpec): Demand {
  const requests = once(() => readRequests(pod))
  return {
    kind,
    name,
    pod,
    get requests() {
      return requests()
    },
  }
}

/** Returns what a pod requests; undefined where an amount is malformed, since the API server refuses the pod. */
function readRequests(pod: PodSpec): Record<string, Quantity> | undefined {
  return unlessMalformed(() => podRequests(withDefaultRequests(pod)))
}

/**
 * A field of an object that is not the planner's alone: of a user's object in the package, or of a partial document (a
 * Node) that several subjects write. Shares of one object are merged into one document; two values for one field are an
 * error.
 */
export interface Share {
  readonly target: Pick<KubernetesObject, 'apiVersion' | 'kind'> & {
    readonly name: string
    readonly namespace?: string
  }
  /** The keys that lead to the field, from the object down. */
  readonly path: readonly string[]
  readonly value: unknown
  /** The file of the partial document where the package has no such object; absent: the object must be there. */
  readonly file?: string
  /** Whether it is written into a user's object once and belongs to its user from then on: its owner is not listed. */
  readonly isEdit?: boolean
}

/**
 * A planner's result for one subject. Where its findings stop the run, the objects are incomplete and must not be used.
 * Its nodes are all that it serves, or would at another time; guards compare them with those it served before.
 */
export interface Planned<Code extends string = string> extends Nodes {
  readonly subject: Item
  readonly isEnabled: boolean
  /** The owner on its objects, where that is not the kind and name of the subject. */
  readonly owner?: string
  /** Whether its earlier output is kept as it is; then the source of that output is kept back, too. */
  readonly isSuspended?: boolean
  /** Whether none of its nodes is left in a fleet with others, and its groups stay: no node loses anything by that. */
  readonly isEmptied?: boolean
  /** Whether it serves no node and has reported that as an error of its own: no guard counts that again. */
  readonly servesNone?: boolean
  /** Whether its objects stay in their namespace, though earlier ones are found in another. */
  readonly staysInNamespace?: boolean
  /** Whether the planner limits how many of its pods restart at once. */
  readonly isPaced?: boolean
  /** The item that it is rendered from, where that is not the subject: kept back while an enabled subject needs it. */
  readonly source?: Item
  /** What it was planned from. */
  readonly facts?: Facts
  /** The cluster that it renders for, where that is known. */
  readonly cluster?: string
  /** Where its pods may run, as its source and its policy say; coverage is proved where this is set. */
  readonly constraints?: Constraints
  /** Where it excludes nodes on purpose. */
  readonly holes?: readonly Hole[]
  /** Whether an object looks like what is rendered from the same source; asked of an object whose owner is unknown. */
  readonly looksLikeOutput?: (object: KubernetesObject) => boolean
  /** The name of the rendered object that an object was made for, where that rendered object is never applied. */
  readonly partOf?: (object: KubernetesObject) => string | undefined
  /** What it rendered or released before, in the input or in the earlier output that was given. */
  readonly earlier: readonly Item[]
  readonly objects: readonly Rendered[]
  /** Fields of objects that it writes together with other subjects. */
  readonly shares: readonly Share[]
  /** Its demand on each node that does not exist yet. */
  readonly demand: readonly Demand[]
  readonly account: readonly Line[]
  /** What it says about single pods and nodes, computed when it is asked. */
  readonly answers?: Answers
  /** The signed actions of its package. */
  readonly actions?: readonly PlannedAction[]
  /** The next time at which the same input, with the current output as its earlier output, renders something else. */
  readonly until?: Date
  readonly findings: ReadonlyArray<Finding<Code>>
  /** Compares objects of the cluster with what was planned; undefined where nothing is compared. */
  readonly drift?: (live: readonly KubernetesObject[]) => ReadonlyArray<Finding<Code>>
}

/** Returns a plan with defaults for a subject: enabled, without nodes, objects and findings. */
export function emptyPlanned<Start extends Partial<Planned> & Pick<Planned, 'subject'>>(start: Start): Planned & Start {
  return { ...NOTHING_PLANNED, ...start }
}

const NOTHING_PLANNED = {
  isEnabled: true,
  earlier: [],
  objects: [],
  shares: [],
  demand: [],
  ...namedNodes([]),
  account: [],
  findings: [],
}

/** Returns the earliest of some times; undefined where there is none. */
export function earliest(instants: ReadonlyArray<Date | undefined>): Date | undefined {
  const times = instants.flatMap((instant) => instant?.getTime() ?? [])
  return times.length === 0 ? undefined : new Date(times.reduce((least, time) => Math.min(least, time)))
}

/** What a planner says about one pod or node. */
export interface Answer {
  /** A word or two for programs: `placed`, `too large`, `staying`. */
  readonly state: string
  /** Why, with the amounts that decide it. */
  readonly sentence: string
  /** More of it, one a line. */
  readonly lines?: readonly string[]
}

/** What a planner says about single pods, nodes and actions; undefined for one that it knows nothing of. */
export interface Answers {
  /** `id` is the namespace and name of a pod. */
  readonly pod?: (id: string) => Answer | undefined
  readonly node: (name: string) => Answer | undefined
  /** `id` is that of a signed action. */
  readonly action?: (id: string) => Answer | undefined
}

/** What a run makes of a signed action. */
export type ActionState =
  | 'refused'
  | 'expired'
  | 'not yet valid'
  | 'superseded'
  | 'no target'
  | 'queued'
  | 'suspended'
  | 'in effect'
  | 'done'

/** A signed action of a package, for those who watch what becomes of it in the cluster. */
export interface PlannedAction {
  readonly id: string
  /** The first ten hex digits of the SHA-256 of what is signed; undefined where it cannot be read. */
  readonly digest?: string
  readonly type: string
  readonly target: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly requester?: string
  readonly reason?: string
  readonly state: ActionState
  /** Why, where it is not in effect. */
  readonly why?: string
  readonly sequence: number
  /** The fields of the target that it decides. */
  readonly fields: readonly string[]
  readonly expiresAt?: Date
  /** Until then an action with a lower sequence may be valid that was issued before this one expired. */
  readonly keepUntil?: Date
  /** The whole signed action as JSON, where the cluster may keep something of it. */
  readonly proof?: string
  /** The names of its Jobs, rendered or done; empty where it is a field alone. */
  readonly jobs: readonly string[]
}

/**
 * What a subject was planned from: the nodes of its cluster, and what runs there, each as it was read. Subjects of one
 * cluster share a read, whose findings are reported once.
 */
export interface Facts {
  readonly fleets?: ReadonlyArray<Read<Fleet>>
  readonly lives?: ReadonlyArray<Read<unknown>>
}

/** Returns what several plans were made from: the fleets, and the findings of all that was read, each once. */
export function factsOf(planned: ReadonlyArray<{ readonly facts?: Facts }>): {
  readonly fleets: readonly Fleet[]
  readonly findings: readonly Finding[]
} {
  const fleets = [...new Set(planned.flatMap(({ facts }) => facts?.fleets ?? []))]
  const lives = [...new Set(planned.flatMap(({ facts }) => facts?.lives ?? []))]
  return {
    fleets: fleets.flatMap(({ value }) => value ?? []),
    findings: [...fleets, ...lives].flatMap(({ findings }) => findings),
  }
}

/** The file of partial Nodes, beside their subject. */
const FILE = 'nodes.yaml'

/**
 * Keeps the tools that apply a partial Node from deleting the node once the document is gone, and from taking fields of
 * others: Argo CD, Flux, and kpt with what else is built on cli-utils. Without `compare-options` Argo CD would call an
 * Application out of sync for ever once the document of a node is gone and not pruned.
 */
export const keepingAnnotations: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
  'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
}

const UID = ['metadata', 'uid']
const KEEPING = Object.entries(keepingAnnotations).map(([key, value]) => {
  return { path: ['metadata', 'annotations', key], value }
})

/** Returns what says which Node a share is of. The shares of one Node are best given the same one. */
export function nodeTarget(name: string): Share['target'] {
  return { apiVersion: 'v1', kind: 'Node', name }
}

/** Returns the share of one field of a partial Node. */
export function nodeShare(target: Share['target'], path: readonly string[], value: unknown): Share {
  return { target, path, value, file: FILE }
}

/**
 * Returns what every partial Node has beside its fields: the uid, without which the API server would create a node that
 * is gone and change one that was replaced, and annotations that keep the node from being pruned.
 */
export function nodeShares(target: Share['target'], uid: string | undefined): Share[] {
  const shares = KEEPING.map(({ path, value }) => nodeShare(target, path, value))
  return uid === undefined ? shares : [nodeShare(target, UID, uid), ...shares]
}
