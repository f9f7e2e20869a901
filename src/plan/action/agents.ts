import type { Planned } from '../../core/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { taintText, untoleratedTaint } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { taintFor } from './jobs.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'

const KEEPING_OUT = ['NoSchedule', 'NoExecute']

/** Names the agents that earlier planners put on nodes, and that do not tolerate the taints of actions. */
export function agentFindings(
  actions: readonly Action[],
  { hold }: Pick<ActionSettings, 'hold'>,
  planned: readonly Planned[],
): Finding[] {
  const agents = planned.filter(({ isEnabled, constraints }) => isEnabled && constraints !== undefined)
  return actions.flatMap((action) => {
    if (action.type !== 'taintNode' && !(action.type === 'drainNode' && hold === 'taint')) return []
    const taint = taintFor(action)
    const out = agents.filter(
      ({ constraints }) => untoleratedTaint([taint], [...(constraints?.tolerations ?? [])], KEEPING_OUT) !== undefined,
    )
    if (out.length === 0) return []
    const names = listNames(out.map(({ subject }) => subject.object.metadata.name))
    const { subject } = action
    const sentence = `${subject.metadata.name}: the taint ${taintText(taint)} keeps agents off Node ${action.target.name}: ${names}`
    return [finding('AgentsKeptOut', sentence, { subject })]
  })
}
