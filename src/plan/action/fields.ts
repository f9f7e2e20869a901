import { memoOf } from '../../core/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { taintText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { Memory } from './memory.ts'
import { labelsOf, taintOf } from './parameters.ts'
import type { Action } from './read-action.ts'

/** The fields of its target that an action decides. */
export interface DecidedFields {
  /** Without one of these the action has nothing to do. */
  readonly main: readonly string[]
  /** What it decides besides: an uncordon also ends earlier drains of the node. */
  readonly more: readonly string[]
}

/** Returns the fields that an action decides, by names that records keep: `Node/small-000002/unschedulable`. */
export const fieldsOf = memoOf((action: Action): DecidedFields => {
  const { type, target, parameters } = action
  const at = (field: string) =>
    [target.kind, ...(target.namespace === undefined ? [] : [target.namespace]), target.name, field].join('/')
  const labels = () => {
    const { set, remove } = labelsOf(action)
    return [...Object.keys(set), ...remove].map((key) => at(`labels/${key}`)).sort()
  }
  switch (type) {
    case 'cordonNode':
      return { main: [at('unschedulable')], more: [] }
    case 'uncordonNode':
      return { main: [at('unschedulable')], more: [at('drain')] }
    case 'drainNode':
      return { main: [at('drain')], more: [at('unschedulable')] }
    case 'labelNode':
    case 'labelDeployment':
      return { main: labels(), more: [] }
    case 'taintNode':
    case 'untaintNode': {
      const { key, effect } = taintOf(action)
      return { main: [at(`taints/${taintText({ key, effect })}`)], more: [] }
    }
    case 'evictPod':
      return { main: [at('evict')], more: [] }
    case 'scaleDeployment':
      return { main: [at('replicas')], more: [] }
    case 'setImage':
      return { main: [at(`image/${String(parameters.container)}`)], more: [] }
  }
})

/** Which actions apply to which fields: of several on one field the one with the highest sequence. */
export interface Decided {
  /** The fields on which an action is the latest. */
  applies(action: Action, field: string): boolean
  /** Whether none of an action's main fields is left to it. */
  isSuperseded(action: Action): boolean
  /** By field the highest sequence, earlier runs included. */
  readonly sequences: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

/**
 * Decides between valid actions, and those of earlier runs; reports two actions of one sequence on one field. A drain
 * that is waiting leaves the node as the actions before it say.
 */
export function decide(
  actions: readonly Action[],
  { sequences: earlier }: Pick<Memory, 'sequences'>,
  waiting: ReadonlySet<Action> = new Set(),
): Decided {
  const sequences = new Map(earlier)
  const holders = new Map<string, Action>()
  const findings: Finding[] = []
  for (const action of actions) {
    const { main, more } = fieldsOf(action)
    for (const field of waiting.has(action) ? main : [...main, ...more]) {
      const other = holders.get(field)
      if (other?.sequence === action.sequence) {
        const { subject } = action
        const sentence = `${subject.metadata.name} and ${other.subject.metadata.name} decide ${field} with the same sequence ${action.sequence}`
        findings.push(finding('DuplicateSequence', sentence, { subject, field: { path: 'spec.sequence' } }))
      }
      if (other === undefined || other.sequence < action.sequence) holders.set(field, action)
      sequences.set(field, Math.max(action.sequence, sequences.get(field) ?? 0))
    }
  }
  const applies = ({ sequence }: Action, field: string) => sequence >= (sequences.get(field) ?? 0)
  const isSuperseded = (action: Action) => fieldsOf(action).main.every((field) => !applies(action, field))
  return { applies, isSuperseded, sequences, findings }
}
