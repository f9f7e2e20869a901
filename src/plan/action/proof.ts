import { indexBy, memoOf, once } from '../../core/index.ts'
import { isNodeAction, NODEFIT } from '../../kinds/index.ts'
import { isMap, listOf, memberOf } from '../../krm/map.ts'
import { PROOF } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Outcomes } from './memory.ts'
import { formFindings } from './parameters.ts'
import { type Action, readAction, readActionItem } from './read-action.ts'
import { canonicalJson } from './signed-bytes.ts'
import { type Verifier, verifiesEnds } from './verify.ts'

/** The types of actions that hold a node by fields of it. */
const HOLDING = ['cordonNode', 'uncordonNode', 'drainNode', 'labelNode']

/**
 * Returns a whole signed action as canonical JSON. It is on what the action renders, so that a later run that ends this
 * verifies it again, wherever the file of the action is by then.
 */
export const proofText = memoOf(({ subject, specText }: Action): string => {
  const form = canonicalJson(memberOf(subject, 'signature'))
  return 'text' in form ? `{"signature":${form.text},"spec":${specText}}` : `{"spec":${specText}}`
})

/** Returns the signed actions of several on one document, as a list. */
export function proofList(actions: readonly Action[]): string {
  return `[${[...new Set(actions.map(proofText))].sort().join(',')}]`
}

/** The signed actions that verify what ends, wherever they are found. */
export interface Proofs {
  /** The one with an id and a digest; undefined where none verifies. */
  action(id: string, digest: string): Action | undefined
  /** Those that hold a node by fields of it. */
  ofNode(name: string): readonly Action[]
}

/** Where signed actions are looked for: anybody may have written each of them. */
export interface ProofSources {
  /** The actions of the package, the expired ones too. */
  readonly items: readonly Item[]
  /** Jobs and partial Nodes of earlier runs. */
  readonly earlier: readonly KubernetesObject[]
  /** By node the annotations that a snapshot shows. */
  readonly marks?: { readonly byNode: ReadonlyMap<string, Readonly<Record<string, string>>> }
  readonly outcomes: Outcomes
}

/**
 * Finds signed actions by what they explain. Nothing is read before the first question. `mayHold` says whether an
 * action can have begun anything on its node.
 */
export function proofsOf(
  { items, earlier, marks, outcomes }: ProofSources,
  verifier: Verifier,
  mayHold: (action: Action) => boolean,
): Proofs {
  const found = once(() => {
    const own = items.filter(({ object }) => isNodeAction(object)).flatMap((item) => readActionItem(item).value ?? [])
    const texts = [
      ...earlier.map(({ metadata }) => memberOf(metadata.annotations, PROOF)),
      ...[...(marks?.byNode.values() ?? [])].map((annotations) => memberOf(annotations, PROOF)),
      ...outcomes.all.map(({ proof }) => proof),
    ].filter((text) => typeof text === 'string')
    return [...own, ...[...new Set(texts)].flatMap(actionsIn)]
  })
  const byIdentity = once(() => indexBy(found(), ({ id, digest }) => `${id} ${digest}`))
  const byNode = once(() => {
    const holding = found().filter(({ type, target }) => HOLDING.includes(type) && target.kind === 'Node')
    return indexBy(holding, ({ target }) => target.name)
  })
  const verifies = memoOf((action: Action) => formFindings(action).length === 0 && verifiesEnds(action, verifier))
  return {
    action: (id, digest) => byIdentity().get(`${id} ${digest}`)?.find(verifies),
    ofNode: (name) =>
      byNode()
        .get(name)
        ?.filter((action) => mayHold(action) && verifies(action)) ?? [],
  }
}

/** Reads the actions of an annotation: one, or a list; what is none is left out, since it explains nothing. */
function actionsIn(text: string): Action[] {
  try {
    const value: unknown = JSON.parse(text)
    return (isMap(value) ? [value] : listOf(value)).flatMap((one) => actionIn(one) ?? [])
  } catch (error) {
    // no JSON, or nested more deeply than the stack
    if (error instanceof SyntaxError || error instanceof RangeError) return []
    throw error
  }
}

function actionIn(value: unknown): Action | undefined {
  const [spec, signature] = [memberOf(value, 'spec'), memberOf(value, 'signature')]
  const name = memberOf(spec, 'id')
  if (typeof name !== 'string') return undefined
  const signed = signature === undefined ? {} : { signature }
  const object = { apiVersion: NODEFIT, kind: 'NodeAction', metadata: { name }, spec, ...signed }
  return readAction(object as unknown as KubernetesObject).value
}
