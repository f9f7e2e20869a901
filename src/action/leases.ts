import { memberOf } from '../krm/map.ts'
import { ACTIONS, ENDED, FIELDS, isOrWasFieldsDocument, REASON, REQUESTER } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { timeText } from '../kube/index.ts'
import { memo, nodeShare, nodeShares, nodeTarget, type Share, type World } from '../world/index.ts'
import { type Decided, fieldsOf } from './fields.ts'
import type { Outcomes } from './memory.ts'
import { labelsOf } from './parameters.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import type { NodeFacts, Targets } from './targets.ts'

/** How long a document without fields stays at least, so that what applies the output has seen it. */
const SETTLE = 600_000

const UNSCHEDULABLE = ['spec', 'unschedulable']
const annotation = (key: string) => ['metadata', 'annotations', key]
const ENDED_AT = annotation(ENDED)
/** What is said on a document of the actions that hold a node, by the annotation that says it. */
const WORDS = [
  { path: annotation(ACTIONS), of: ({ id }: Action) => id },
  { path: annotation(REASON), of: ({ reason }: Action) => reason },
  { path: annotation(REQUESTER), of: ({ requester }: Action) => requester },
] as const

/** The partial documents of nodes that earlier runs held for a policy. */
export function heldBefore({ items, earlierOutput }: World, { owners }: ActionSettings): Map<string, KubernetesObject> {
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
  const live = node.labels[key]
  if (live === undefined || live === value) return false
  return memberOf(document?.metadata.labels, key) === undefined
}

/** What leases come to. */
export interface Leases {
  readonly shares: readonly Share[]
  /** The nodes that valid actions hold. */
  readonly held: ReadonlySet<string>
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
    outcomes,
    now,
    marks,
  }: {
    readonly decided: Decided
    readonly targets: Targets
    readonly before: ReadonlyMap<string, KubernetesObject>
    readonly outcomes: Outcomes
    readonly now: Date
    /** By node the annotations that a snapshot shows, and when it was taken; undefined where none does. */
    readonly marks?: { readonly at: Date; readonly byNode: ReadonlyMap<string, Readonly<Record<string, string>>> }
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
  const states = leaseStates(outcomes)
  const ended = [...before].flatMap(([name, document]) => {
    const node = targets.nodes.get(name)
    // a document of a node that is gone is refused by the API server
    if (shares.has(name) || node?.uid === undefined) return []
    const since = document.metadata.annotations?.[ENDED] ?? timeText(now)
    const isDone = isReleased(name, since, marks) || isSeenEnded(since, outcomes, states.get(name))
    return isDone ? [] : [...nodeShares(targetOf(name), node.uid), nodeShare(targetOf(name), ENDED_AT, since)]
  })
  // where earlier documents are not seen, the snapshot says which nodes have a field of an action
  const left = [...states].flatMap(([name, seen]) => {
    const uid = targets.nodes.get(name)?.uid
    const isHeld = shares.has(name) || before.has(name) || uid === undefined || !seen.has('Applied')
    return isHeld ? [] : nodeShares(targetOf(name), uid)
  })
  const holding = [...shares].flatMap(([name, own]) => {
    const uid = targets.nodes.get(name)?.uid ?? ''
    return [...nodeShares(targetOf(name), uid), ...own, ...words(targetOf(name), holders.get(name) ?? [])]
  })
  return { shares: [...holding, ...ended, ...left], held: new Set(shares.keys()) }
}

/** Returns by node the states of the actions that are or were fields of it. */
function leaseStates({ all }: Outcomes): Map<string, Set<string>> {
  const states = new Map<string, Set<string>>()
  for (const { fields = [], state } of all)
    for (const field of fields) {
      const [, name = ''] = /^Node\/([^/]+)\/(?:unschedulable$|labels\/)/.exec(field) ?? []
      if (name !== '') states.set(name, (states.get(name) ?? new Set()).add(state))
    }
  return states
}

/** Whether a snapshot of long enough after shows that all actions on a node have ended. */
function isSeenEnded(since: string, { at }: Outcomes, states: ReadonlySet<string> | undefined): boolean {
  if (at === undefined || states === undefined || Number.isNaN(Date.parse(since))) return false
  return at.getTime() >= Date.parse(since) + SETTLE && states.has('Ended') && !states.has('Applied')
}

function isReleased(
  name: string,
  since: string,
  marks: { readonly at: Date; readonly byNode: ReadonlyMap<string, Readonly<Record<string, string>>> } | undefined,
): boolean {
  const seen = marks?.byNode.get(name)
  if (marks === undefined || seen === undefined || Number.isNaN(Date.parse(since))) return false
  return marks.at.getTime() >= Date.parse(since) + SETTLE && !Object.hasOwn(seen, ACTIONS)
}

/** Says on a document which actions hold the node, why and for whom. */
function words(target: Share['target'], actions: readonly Action[]): Share[] {
  return WORDS.flatMap(({ path, of }) => {
    const text = wordsText(actions.map(of))
    return text === '' ? [] : [nodeShare(target, path, text)]
  })
}

function wordsText(texts: ReadonlyArray<string | undefined>): string {
  if (texts.length === 1) return texts[0] ?? ''
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))].sort().join(', ')
}
