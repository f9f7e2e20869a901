import { fieldOwners, memo, nodeShare, nodeShares, nodeTarget, type Share, type World } from '../../core/index.ts'
import { type Fleet, isSameUid } from '../../facts/inventory/index.ts'
import { isWorkloadSnapshot, type WorkloadSnapshot } from '../../kinds/index.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import { ACTIONS, ENDED, FIELDS, isOrWasFieldsDocument, PROOF, REASON, REQUESTER } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isTime, timeText } from '../../kube/index.ts'
import type { Outcomes } from './memory.ts'
import { type Decided, fieldsOf, labelsOf } from './parameters.ts'
import { type Proofs, proofList } from './proof.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import type { NodeFacts, Targets } from './targets.ts'

const UNSCHEDULABLE = ['spec', 'unschedulable']
const annotation = (key: string) => ['metadata', 'annotations', key]
/** What is said on a document of the actions that hold a node, by the annotation that says it. */
const WORDS = [
  { path: annotation(ACTIONS), of: ({ id }: Action) => id },
  { path: annotation(REASON), of: ({ reason }: Action) => reason },
  { path: annotation(REQUESTER), of: ({ requester }: Action) => requester },
] as const

/** The partial documents of nodes that earlier runs held for a policy. */
export function heldBefore(
  { items, earlierOutput }: World,
  { subject }: ActionSettings,
): Map<string, KubernetesObject> {
  const owners = fieldOwners(subject.object)
  const isOurs = ({ object }: Item) =>
    object.kind === 'Node' &&
    isOrWasFieldsDocument(object) &&
    owners.some((owner) => String(object.metadata.annotations?.[FIELDS] ?? '').includes(`"${owner}"`))
  return new Map([...earlierOutput, ...items].filter(isOurs).map(({ object }) => [object.metadata.name, object]))
}

/** Whether a node has the label from somebody else, with a value that an action would replace for good. */
export function isForeignLabel(
  key: string,
  value: string | undefined,
  node: NodeFacts,
  document?: KubernetesObject,
): boolean {
  const live = memberOf(node.labels, key)
  if (live === undefined || live === value) return false
  return memberOf(document?.metadata.labels, key) === undefined
}

/** What leases come to. */
export interface Leases {
  readonly shares: readonly Share[]
  /** The nodes that valid actions cordon or label. */
  readonly held: ReadonlySet<string>
  /** The nodes that valid actions keep uncordoned, and do no more to. */
  readonly uncordoned: ReadonlySet<string>
  /** The nodes whose documents have no field any more. */
  readonly givenBack: ReadonlySet<string>
  /** The nodes that would be given back, if a signed action explained it. */
  readonly unproved: readonly string[]
}

/**
 * Returns the fields of nodes that valid actions hold. A node that was held keeps its document without these fields,
 * since a document that disappears leaves its fields for ever; until a newer snapshot shows the node without the mark
 * of an action.
 */
export function planLeases(
  actions: readonly Action[],
  {
    decided,
    targets,
    before,
    seen,
  }: {
    readonly decided: Decided
    readonly targets: Targets
    readonly before: ReadonlyMap<string, KubernetesObject>
    readonly seen: Seen
  },
): Leases {
  const shares = new Map<string, Share[]>()
  const holders = new Map<string, Action[]>()
  // alike in memory, so that what is made of them once serves thousands of nodes
  const targetOf = memo(nodeTarget)
  const labelPath = memo((key: string) => ['metadata', 'labels', key])
  const add = (action: Action, path: readonly string[], value: unknown) => {
    const { name } = action.target
    const own = shares.get(name) ?? []
    own.push(nodeShare(targetOf(name), path, value))
    shares.set(name, own)
    const holding = holders.get(name) ?? []
    if (!holding.includes(action)) holding.push(action)
    holders.set(name, holding)
  }
  for (const action of actions) {
    const { type, target } = action
    const [field = ''] = type === 'drainNode' ? fieldsOf(action).more : fieldsOf(action).main
    if (type === 'cordonNode' || type === 'uncordonNode' || type === 'drainNode') {
      if (decided.applies(action, field)) add(action, UNSCHEDULABLE, type !== 'uncordonNode')
    }
    if (type !== 'labelNode') continue
    for (const [key, value] of Object.entries(labelsOf(action).set)) {
      const node = targets.nodes.get(target.name)
      const isForeign = node !== undefined && isForeignLabel(key, value, node, before.get(target.name))
      if (!isForeign && decided.applies(action, `Node/${target.name}/labels/${key}`)) add(action, labelPath(key), value)
    }
  }
  const holding = [...shares].flatMap(([name, own]) => {
    const uid = targets.nodes.get(name)?.uid ?? ''
    return [...nodeShares(targetOf(name), uid), ...own, ...words(targetOf(name), holders.get(name) ?? [])]
  })
  const { shares: released, unproved } = givenBack({
    ...{ targets, before, seen, targetOf },
    isHeld: (name) => shares.has(name),
  })
  const names = new Set(released.map(({ target }) => target.name))
  const isFree = (name: string) => shares.get(name)?.every(({ value }) => value === false) === true
  const held = new Set([...shares.keys()].filter((name) => !isFree(name)))
  const uncordoned = new Set([...shares.keys()].filter(isFree))
  return { shares: [...holding, ...released], held, uncordoned, givenBack: names, unproved }
}

/** Says on a document which actions hold the node, why and for whom. */
function words(target: Share['target'], actions: readonly Action[]): Share[] {
  const said = WORDS.flatMap(({ path, of }) => {
    const text = wordsText(actions.map(of))
    return text === '' ? [] : [nodeShare(target, path, text)]
  })
  return actions.length === 0 ? said : [...said, nodeShare(target, annotation(PROOF), proofList(actions))]
}

function wordsText(texts: ReadonlyArray<string | undefined>): string {
  if (texts.length === 1) return texts[0] ?? ''
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))].sort().join(', ')
}

/** The cluster that nodes are of; without a name any snapshot may be of it. */
type ClusterOf = Pick<Fleet, 'cluster' | 'clusterUid'>

/** By node the annotations that a snapshot shows, and when it was taken. */
export interface Marks {
  readonly at: Date
  readonly byNode: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** What a run sees of the cluster beside its nodes. */
interface Seen {
  readonly outcomes: Outcomes
  /** Undefined where no snapshot shows annotations. */
  readonly marks?: Marks
  readonly now: Date
  /** The nodes that other packages of the run write to. */
  readonly elsewhere: ReadonlySet<string>
  /** The signed actions that verify what ends. */
  readonly proofs: Proofs
}

/** How long what ends something stays at least, in milliseconds, so that what applies the output has seen it. */
const SETTLE = 600_000

/** Whether something was seen long enough after it began to end, at the time `since`. */
export function isSettled(since: string, seenAt: Date | undefined): boolean {
  return seenAt !== undefined && isTime(since) && seenAt.getTime() >= Date.parse(since) + SETTLE
}

/** What is given back, and the nodes that would be, if a signed action explained it. */
interface GivenBack {
  readonly shares: readonly Share[]
  readonly unproved: readonly string[]
}

const ENDED_AT = ['metadata', 'annotations', ENDED]
const PROVED_BY = ['metadata', 'annotations', PROOF]
const NO_MARKS: Readonly<Record<string, string>> = {}

/**
 * Returns what is rendered of nodes that no action holds any more: a document without fields, since one that disappears
 * leaves its fields for ever. It goes once a snapshot shows the node without the mark of an action, or tells that its
 * actions have ended. Where earlier documents are not seen, the snapshot says which nodes may be held. A node is given
 * back only by a signed action that held it, which the document goes on to carry.
 */
function givenBack({
  targets,
  before,
  seen,
  isHeld,
  targetOf,
}: {
  readonly targets: Targets
  /** The documents of earlier runs. */
  readonly before: ReadonlyMap<string, KubernetesObject>
  readonly seen: Seen
  isHeld(name: string): boolean
  targetOf(name: string): Share['target']
}): GivenBack {
  const { outcomes, marks, now, elsewhere, proofs } = seen
  const unproved: string[] = []
  const proved = (name: string): Share[] => {
    const actions = proofs.ofNode(name)
    if (actions.length > 0) return [nodeShare(targetOf(name), PROVED_BY, proofList(actions))]
    unproved.push(name)
    return []
  }
  const holds = holdingOutcomes(outcomes)
  const uidOf = (name: string) => (isHeld(name) ? undefined : targets.nodes.get(name)?.uid)
  const ended = [...before].flatMap(([name, document]) => {
    const uid = uidOf(name)
    // a document of a node that is gone is refused by the API server
    if (uid === undefined) return []
    const since = endOf(document, now)
    const isDone = isReleased(name, since, marks) || isSeenEnded(since, outcomes, holds.get(name))
    const proof = isDone ? [] : proved(name)
    if (proof.length === 0) return []
    return [...nodeShares(targetOf(name), uid), nodeShare(targetOf(name), ENDED_AT, since), ...proof]
  })
  const left = [...new Set([...holds.keys(), ...(marks?.byNode.keys() ?? [])])].flatMap((name) => {
    const uid = before.has(name) || elsewhere.has(name) ? undefined : uidOf(name)
    const proof = uid === undefined || !isShownHeld(name, seen, holds.get(name)) ? [] : proved(name)
    return proof.length === 0 ? [] : [...nodeShares(targetOf(name), uid), ...proof]
  })
  return { shares: [...ended, ...left], unproved }
}

/** Returns when what a document or Job holds began to end; now where it says no time, or one that is still to come. */
export function endOf({ metadata }: KubernetesObject, now: Date): string {
  const text = metadata.annotations?.[ENDED]
  return text !== undefined && isTime(text) && Date.parse(text) <= now.getTime() ? text : timeText(now)
}

/** Returns by node that actions held whether the cluster still has something of one. */
function holdingOutcomes({ all }: Outcomes): Map<string, boolean> {
  const holds = new Map<string, boolean>()
  for (const { fields = [], state, held } of all)
    for (const field of fields) {
      const [, name = ''] = /^Node\/([^/]+)\/(?:unschedulable$|labels\/)/.exec(field) ?? []
      if (name !== '') holds.set(name, holds.get(name) === true || state === 'Applied' || held === true)
    }
  return holds
}

/** Whether a snapshot of long enough after tells of the actions of a node, and that none of them holds it. */
function isSeenEnded(since: string, { at }: Outcomes, isHeld: boolean | undefined): boolean {
  return isHeld === false && isSettled(since, at)
}

function isReleased(name: string, since: string, marks: Marks | undefined): boolean {
  const seen = marks?.byNode.get(name)
  return seen !== undefined && !Object.hasOwn(seen, ACTIONS) && isSettled(since, marks?.at)
}

/** Whether a node has something of actions: its mark says so, or where no newer snapshot shows that, an outcome. */
function isShownHeld(name: string, { outcomes, marks }: Seen, isHeld = false): boolean {
  const shown = marks?.byNode.get(name)
  const isNewest = marks !== undefined && marks.at.getTime() >= (outcomes.at?.getTime() ?? 0)
  return isNewest && shown !== undefined ? Object.hasOwn(shown, ACTIONS) : isHeld
}

/**
 * Returns the annotations of nodes in the newest snapshot that has some; undefined where none has. A node with a uid
 * was read from the cluster, its annotations too: it has none that count where none are listed.
 */
export function marksOf(items: readonly Item[], fleet: ClusterOf, clock?: Date): Marks | undefined {
  const shown = items.flatMap((item) => {
    const { at, nodes } = nodesIn(item, fleet) ?? { nodes: [] }
    const byNode = nodes.flatMap((node) => {
      const annotations = memberOf(node, 'annotations') ?? (memberOf(node, 'uid') === undefined ? undefined : NO_MARKS)
      return annotations === undefined ? [] : [[node.name, annotations as Readonly<Record<string, string>>] as const]
    })
    if (at === undefined || byNode.length === 0) return []
    return [{ at: clock !== undefined && at > clock ? clock : at, byNode: new Map(byNode) }]
  })
  return shown.sort((a, b) => b.at.getTime() - a.at.getTime())[0]
}

/** Returns the nodes that an item shows, and when; undefined unless it is a snapshot of the cluster with a time. */
function nodesIn({ object }: Item, { cluster, clusterUid }: ClusterOf) {
  const spec = isWorkloadSnapshot(object) ? (object.spec as WorkloadSnapshot['spec'] | undefined) : undefined
  const { observedAt = '', nodes } = spec ?? {}
  if (!isSameUid(spec?.clusterUid, clusterUid)) return undefined
  if ((cluster !== '' && spec?.cluster !== cluster) || !Array.isArray(nodes) || !isTime(observedAt)) return undefined
  return { at: new Date(observedAt), nodes }
}

/** Whether snapshots will show the marks of nodes once they are held: one that shows nodes now has none of them yet. */
export function showsNodes(items: readonly Item[], fleet: ClusterOf): boolean {
  return items.some((item) => nodesIn(item, fleet) !== undefined)
}

/** Whether a snapshot tells of actions, which may be gone from the package. */
export function tellsOfActions({ object }: Item): boolean {
  if (!isWorkloadSnapshot(object)) return false
  const { outcomes, nodes } = (object.spec ?? {}) as Partial<WorkloadSnapshot['spec']>
  return listOf(outcomes).length > 0 || listOf(nodes).some((node) => memberOf(memberOf(node, 'annotations'), ACTIONS))
}
