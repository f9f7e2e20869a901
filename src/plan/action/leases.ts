import { fieldOwners, memo, nodeShare, nodeShares, nodeTarget, type Share, type World } from '../../core/index.ts'
import { memberOf } from '../../krm/map.ts'
import { ACTIONS, FIELDS, isOrWasFieldsDocument, PROOF, REASON, REQUESTER } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { type Decided, fieldsOf } from './fields.ts'
import { givenBack, type Seen } from './given-back.ts'
import { labelsOf } from './parameters.ts'
import { proofList } from './proof.ts'
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
