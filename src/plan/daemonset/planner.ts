import type { Planner } from '../../core/index.ts'
import { isSizingPolicy, NODEFIT, readSizingPolicy, targetKindOf } from '../../kinds/index.ts'
import { ABSENT_SINCE, CHANGED, NODES } from '../../krm/remembered.ts'
import { SIZING_CODES, USAGE_CODES } from '../sizing/index.ts'
import { DAEMONSET_CODES, ROLLOUT_CODES } from './codes.ts'
import { type Policy, planInTurn } from './in-turn.ts'
import { KUBESCAPE_CODES } from './kubescape/codes.ts'
import { driftOf } from './kubescape/drift.ts'
import { besideOperator } from './kubescape/operator.ts'

/** Sizes DaemonSets: one per node group, from a static DaemonSet or from the template of Kubescape's chart. */
export const daemonSetPlanner = {
  codes: { ...SIZING_CODES, ...USAGE_CODES, ...DAEMONSET_CODES, ...ROLLOUT_CODES, ...KUBESCAPE_CODES },
  schemas: [{ apiVersion: NODEFIT, kind: 'SizingPolicy' }],
  summary: () => 'PolicySummary',
  asksFor: 'SizingPolicy',
  volatile: [NODES, CHANGED, ABSENT_SINCE],
  leaves: () => 'removed',
  claims: ({ object }) => isSizingPolicy(object) && targetKindOf(object) !== 'Order',
  isInput: ({ object }) => isSizingPolicy(object),
  read: (subject) => {
    const { settings, findings } = readSizingPolicy(subject.object)
    return settings === undefined ? { findings } : { value: { subject, settings }, findings }
  },
  plan: (policies, world) => {
    const plans = planInTurn(policies, world)
    const beside = besideOperator(plans, world)
    return plans.map((one, index) => ({
      ...one.planned,
      findings: [...one.planned.findings, ...(beside[index] ?? [])],
      drift: driftOf(one, world),
    }))
  },
} as const satisfies Planner<Policy>
