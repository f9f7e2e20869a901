import type { Planner } from '../../core/index.ts'
import { isActionPolicy, isNodeAction, isNodefitKind, NODEFIT } from '../../kinds/index.ts'
import { describe } from '../../krm/identity.ts'
import { ownerName, ownerOf } from '../../krm/remembered.ts'
import { ACTION_CODES, finding } from './codes.ts'
import { newDocumentFindings } from './packages.ts'
import { planActions } from './plan-actions.ts'
import { type ActionSettings, readActionPolicy } from './settings.ts'
import { packageTrustFindings } from './trust.ts'

const KINDS = ['NodeAction', 'ActionPolicy', 'ActionKeyring', 'ActionRecord', 'ActionTrust']

/** A document that is gone leaves its fields on the node for ever, so it is not simply taken away. */
const ORPHAN_MEND =
  'Restore the ActionPolicy. To stop actions for good, set suspend: true first, wait until the nodes are released, and remove it then with its ActionRecord: docs/actions.md.'

/** Renders signed actions: fields of nodes and Deployments, and Jobs. */
export const actionPlanner = {
  codes: ACTION_CODES,
  schemas: KINDS.map((kind) => ({ apiVersion: NODEFIT, kind })),
  summary: () => 'ActionSummary',
  asksFor: 'ActionPolicy',
  volatile: [],
  sharesFields: true,
  // a partial Node or Deployment whose policy is gone stays as it is, and so does what was edited
  leaves: ({ kind }, why) => (kind === 'Deployment' || (kind === 'Node' && why !== 'dropped') ? 'released' : 'removed'),
  claims: ({ object }) => isActionPolicy(object),
  isInput: ({ object }) => isNodefitKind(object, KINDS),
  read: (subject) => readActionPolicy(subject),
  plan: (all, world, before) => {
    const [first, second] = all
    if (first === undefined) return []
    const planned = planActions(first, world, before)
    if (second === undefined) return [planned]
    const { object: subject } = second.subject
    const sentence = `${describe(subject)} is a second ActionPolicy beside ${describe(first.subject.object)}`
    return [{ ...planned, findings: [...planned.findings, finding('TwoActionPolicies', sentence, { subject })] }]
  },
  check: (planned, world) => {
    const { items, plansAllSubjects, subjects } = world
    const untrusted = packageTrustFindings(world)
    if (untrusted.length > 0) return untrusted
    const isPlanned = planned.some(({ subject }) => isActionPolicy(subject.object))
    const action = items.find(({ object }) => isNodeAction(object))
    if (action === undefined || isPlanned || !plansAllSubjects || subjects.some(({ object }) => isActionPolicy(object)))
      return []
    // where a policy has rendered something, that it is gone is reported with its output
    if (items.some(({ object }) => ownerOf(object)?.startsWith(ownerName('ActionPolicy', '')))) return []
    const { object: subject } = action
    return [finding('NoActionPolicy', `${describe(subject)} is in a package without an ActionPolicy`, { subject })]
  },
  across: (packages) => newDocumentFindings(packages),
  mends: {
    orphan: (ownerKind) => (ownerKind === 'ActionPolicy' ? ORPHAN_MEND : undefined),
  },
} as const satisfies Planner<ActionSettings>
