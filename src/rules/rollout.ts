import type { Planned } from '../core/index.ts'
import { replacementOf, surgeBlocker } from '../core/object/index.ts'
import { nodeCountOf } from '../facts/inventory/index.ts'
import {
  type Change,
  lossesIn,
  lostAgentsSentence,
  type PlannedChanges,
  type Restart,
  restartsOf,
} from '../fate/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../krm/finding.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Rollouts', {
  LosesAgent: {
    severity: 'warning',
    meaning:
      'A run stops agents where no new pod starts: on nodes with a taint that keeps it away, not ready, between two sync waves, or that no DaemonSet selects any more. Nodes whose pod nothing shows are apart: docs/daemonset/rollouts.md#nodes-that-lose-their-agent.',
    mend: 'Tolerate the taint in the template or in spec.tolerations, or remove it from the nodes, and render again.',
  },
  NodesMove: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes move to another DaemonSet: each runs no agent until its new pod has started, whatever maxUnavailable and maxSurge say. With rollout.waves Argo CD may start the new pod first; the message says for how many.',
    mend: 'Each node runs no agent while its new pod starts. If that is a problem, apply during a maintenance window of these nodes.',
  },
  RolloutWidens: {
    severity: 'warning',
    meaning: 'A change restarts pods in several DaemonSets at once; maxUnavailable and maxSurge limit each by itself.',
    mend: 'Set rollout.maxNodes with rollout.every, or with rollout.waves if Argo CD applies the output.',
  },
  SurgeCannotStart: {
    severity: 'warning',
    allowable: true,
    meaning:
      'By maxSurge a new pod starts beside the old one, and both need the same port of the node or repel each other: the new pod stays Pending, the old one stays, and no roll-out ends. An error where this run brings it about.',
    mend: 'Set maxSurge: 0 and maxUnavailable: 1 in spec.updateStrategy.rollingUpdate of the template, or remove the host port or the anti-affinity.',
  },
})
const finding = findingOf(CODES)

export const rollout = {
  codes: CODES,
  check: ({ planned }) => [...planned.flatMap(rolloutFindings), ...planned.flatMap(surgeFindings)],
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  LosesAgent: { why: 'it takes the output of an earlier run' },
  NodesMove: { why: 'it takes the output of an earlier run' },
  RolloutWidens: { why: 'it takes the output of an earlier run' },
  SurgeCannotStart: `
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1, ports: [{ containerPort: 1, hostPort: 8080 }] }]
  updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
`,
}

/**
 * Reports what a run does to existing pods: nodes that lose their agent, nodes that move to another DaemonSet, and pods
 * that restart in many DaemonSets at once.
 */
export function rolloutFindings(planned: PlannedChanges): Finding[] {
  return [...lostFindings(planned), ...(planned.isEnabled && !planned.isSuspended ? restartFindings(planned) : [])]
}

/** Reports nodes that are without an agent for longer than one pod start. */
function lostFindings({ subject: { object }, stops, isEnabled }: PlannedChanges): Finding[] {
  const sentence = lostAgentsSentence(stops)
  if (sentence === undefined) return []
  const mend = lostMends(lossesIn(stops), isEnabled).join(' ')
  return [finding('LosesAgent', `${object.metadata.name}: ${sentence}`, { subject: object, mend })]
}

/** Returns what to do about each reason for which nodes lose their agent. */
function lostMends(stops: PlannedChanges['stops'], isEnabled: boolean): string[] {
  const has = (is: (stop: PlannedChanges['stops'][number]) => boolean) => stops.some(is)
  const isHeld = has(({ cause, length }) => cause !== 'removal' && length === 'forGood')
  return [
    ...(has(({ isShown }) => !isShown) ? ['A WorkloadSnapshot in the package shows where one runs.'] : []),
    ...(isHeld ? [CODES.LosesAgent.mend] : []),
    ...(has(({ cause }) => cause === 'removal')
      ? [
          isEnabled
            ? has(({ leftOut }) => leftOut !== undefined)
              ? 'Render all policies of the DaemonSet together, before you apply.'
              : 'Widen the policy or add one for nodes that no DaemonSet selects.'
            : 'If nodes shall keep an agent, add the DaemonSet that runs there from now on. What an operator creates in the cluster is not seen.',
        ]
      : []),
    ...(has(({ length }) => length === 'untilReady') ? ['Apply when the nodes are ready.'] : []),
    ...(has(({ length }) => length === 'laterWave') ? ['See WavesWait for the sync waves.'] : []),
  ]
}

function restartFindings(planned: PlannedChanges): Finding[] {
  // objects that reserve room are no agents, and restart nothing
  const changes = planned.changes.filter(({ after, before }) => (after ?? before)?.object.kind === 'DaemonSet')
  const restarts = [...restartsOf({ ...planned, changes })]
  return [...movedFindings(planned, restarts), ...(planned.isPaced ? [] : widenedFindings(planned, restarts))]
}

type Restarts = ReadonlyArray<readonly [Change, Restart]>

/**
 * Reports nodes that move, where a new pod starts: the old and the new pod belong to different DaemonSets, and neither
 * waits for the other, unless sync waves of Argo CD have the new one start first.
 */
function movedFindings({ subject, stops }: PlannedChanges, restarts: Restarts): Finding[] {
  const moved = restarts.filter(([, one]) => one.moved > 0)
  const count = moved.reduce((sum, [, one]) => sum + one.moved, 0)
  if (count === 0) return []
  const where = listNames(moved.map(([change, one]) => `${objectName(change)} (${one.moved})`))
  const sentence = `${subject.object.metadata.name}: ${plural(count, 'node')} ${count === 1 ? 'moves' : 'move'} to another DaemonSet: ${where}`
  const withTwo = nodeCountOf(stops.filter(({ cause, length }) => cause === 'move' && length === 'surge'))
  return [finding('NodesMove', sentence, { subject: subject.object, ...movedMend(withTwo, count) })]
}

/** Returns what to do about nodes that move, of which `withTwo` run the old pod until the new one has started. */
function movedMend(withTwo: number, count: number): { mend?: string } {
  if (withTwo === 0) return {}
  const kept = 'run the old agent until the sync wave of the new one is healthy, and need room for both.'
  if (withTwo >= count) return { mend: `The nodes ${kept}` }
  return { mend: `${withTwo} of the nodes ${kept} Of the others: ${CODES.NodesMove.mend}` }
}

/**
 * Reports restarts on more nodes at once than a single DaemonSet would allow: each DaemonSet counts only its own pods.
 */
function widenedFindings({ subject, nodeCount, objects }: Planned, restarts: Restarts): Finding[] {
  const counts = new Map(objects.map(({ object, nodeCount: own }) => [object.metadata.name, own]))
  const rolling = restarts.filter(([, { pods, isOnDelete }]) => pods > 0 && !isOnDelete)
  const [[first] = []] = rolling
  if (first === undefined || rolling.length < 2) return []
  const many = rolling.reduce((sum, [change, { pods }]) => {
    return sum + Math.min(pods, atOnce(change, counts.get(objectName(change)) ?? 0))
  }, 0)
  const one = atOnce(first, nodeCount)
  if (many <= one) return []
  const sentence = `${subject.object.metadata.name}: pods restart in ${plural(rolling.length, 'DaemonSet')}, on up to ${plural(many, 'node')} at once; a single DaemonSet would restart ${one}`
  return [finding('RolloutWidens', sentence, { subject: subject.object })]
}

/** Returns on how many of its nodes a DaemonSet replaces pods at once. */
function atOnce({ after }: Change, nodeCount: number): number {
  return after === undefined ? 0 : replacementOf(after.object, nodeCount).atOnce
}

function objectName({ after }: Change): string {
  return after?.object.metadata.name ?? ''
}

/** Roll-outs by maxSurge that never end: the new pod waits for what the old one holds, and the old one waits for it. */

/**
 * Reports rendered DaemonSets whose later versions never start beside the present one: an error where the earlier
 * output had none of that kind, so that a change of the template brings it about.
 */
export function surgeFindings({ subject, earlier, objects, isEnabled }: Planned): Finding[] {
  if (!isEnabled) return []
  const stuck = objects.flatMap(({ object }) => {
    const why = object.kind === 'DaemonSet' ? surgeBlocker(object) : undefined
    return why === undefined ? [] : [{ name: object.metadata.name, why }]
  })
  const [first] = stuck
  if (first === undefined) return []
  const before = earlier.filter(({ object }) => object.kind === 'DaemonSet')
  const isNew = before.length > 0 && before.every(({ object }) => surgeBlocker(object) === undefined)
  const names = listNames(stuck.map(({ name }) => name).sort())
  const sentence = `${subject.object.metadata.name}: by maxSurge no new pod of ${names} starts beside the old one, which ${first.why}: later roll-outs never end`
  const found = finding('SurgeCannotStart', sentence, { subject: subject.object })
  return [isNew ? { ...found, severity: 'error' } : found]
}
