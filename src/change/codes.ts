import { codesAbout, findingOf } from '../finding/index.ts'

/** Codes of what every run says of a subject. */
const SUMMARY_CODES = codesAbout('Summary', {
  PolicySummary: {
    roles: ['summary', 'shown'],
    severity: 'info',
    meaning: 'The first result of a policy: its groups, nodes and objects, counted.',
    mend: '',
  },
  GroupSized: {
    severity: 'info',
    meaning: 'How a group came to its sizes: rule, inputs, arithmetic, rounding and bounds.',
    mend: '',
  },
  NodesWithoutAgent: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that get no agent from this policy, for one reason, with their count and first names.',
    mend: '',
  },
  NoNewPods: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes of a group with a NoSchedule taint that the pods do not tolerate: one that runs may stay, no new one starts. For one reason, with their count and first names.',
    mend: '',
  },
})

/** Codes about what a run changes, and what it was asked to leave alone. */
export const CHANGE_CODES = {
  ...SUMMARY_CODES,
  ...codesAbout('Changes and guards', {
    OutputStale: {
      severity: 'error',
      meaning:
        'The run was asked to check, and an object in the package is not what it renders: it would be added, changed or removed. The input has changed since the last render, or somebody changed the output by hand.',
      mend: 'Render again, and commit what changes: docs/vet.md.',
    },
    GroupAdded: {
      severity: 'info',
      meaning: 'A group has a DaemonSet for the first time.',
      mend: '',
    },
    GroupChanged: {
      severity: 'info',
      meaning:
        'A group’s DaemonSet differs from the one rendered before; the first fields that differ are named, old -> new. Values that may be secrets are not shown: variables that nodefit does not compute, arguments, annotations of others.',
      mend: '',
    },
    GroupRemoved: {
      severity: 'info',
      meaning: 'A DaemonSet that was rendered before is removed, with the reason.',
      mend: '',
    },
    GroupReleased: {
      severity: 'info',
      meaning: 'An object that was rendered for a group before stays as it is and is no longer ours, with the reason.',
      mend: '',
    },
    FieldConflict: {
      severity: 'error',
      meaning:
        'Two subjects write different values to one field of an object, or one writes a field of an object that is rendered for another.',
      mend: 'Let one of them write the field, or give both the same value.',
    },
    FieldTargetMissing: {
      severity: 'error',
      meaning: 'A subject writes a field of an object that is not in the package.',
      mend: 'Add the object to the package, or correct the name by which the subject refers to it.',
    },
    StaticTemplateRetired: {
      severity: 'info',
      meaning:
        'The target was taken as a template for the first time: it is now local configuration and no longer applied itself.',
      mend: '',
    },
    StaticTemplateStays: {
      severity: 'warning',
      meaning:
        'The target that has become a template carries an annotation or label by which Argo CD, Flux or kpt do not delete it: it stays in the cluster beside what is rendered from it, and with a static DaemonSet every node has both agents.',
      mend: 'If the groups are to come first, let the annotation be applied before them, and delete the static object by hand when they run. Otherwise take the annotation off and let that be applied before the groups.',
    },
    HostPortHeld: {
      severity: 'warning',
      meaning:
        'The agent holds ports of its node, and its DaemonSets change over: the new pods cannot start beside the old ones. A tool that waits for them before it deletes, as Argo CD with PruneLast=true and kpt live apply do, waits for ever.',
      mend: 'Delete the old DaemonSets first, in the steps for hostPort agents, and accept a gap: docs/adoption.md.',
    },
    AntiAffinityHeld: {
      severity: 'warning',
      meaning:
        'The required pod anti-affinity of the agent selects its own pods, and its DaemonSets change over: the new pods cannot start beside the old ones. A tool that waits for them before it deletes, as Argo CD with PruneLast=true and kpt live apply do, waits for ever.',
      mend: 'Take that term out of the template, since a DaemonSet runs one pod a node without it; or delete the old DaemonSets first, in the steps for hostPort agents, and accept a gap: docs/adoption.md.',
    },
    OwnedElsewhere: {
      severity: 'warning',
      meaning:
        'The target carries marks of another tool or controller that applies it, or nodefit.dev/owned-by names one. It brings the static object back beside what is rendered from it, and every node has both agents. The marks are not copied. Said on every run until they are gone.',
      mend: 'Switch the object off there and keep its manifest as the template; then take the marks, or nodefit.dev/owned-by, off the template: docs/owners.md.',
    },
    TemplateReleased: {
      severity: 'info',
      meaning:
        'No policy renders from the template any more, since its policy is disabled or gone: our marks come off, and it is applied again as it was.',
      mend: '',
    },
    ForeignObject: {
      severity: 'error',
      meaning: 'An object that nodefit does not own has a name that a group needs. It is not overwritten.',
      mend: 'Remove that object if it runs the same agent, which a second name would put on each node twice; else rename one of the two, in its own file or in spec.names.',
    },
    DuplicateOutput: {
      severity: 'error',
      meaning: 'An object that nodefit owns is in the package twice.',
      mend: 'Remove one of the copies.',
    },
    OrphanedOutput: {
      severity: 'error',
      allowable: true,
      meaning:
        'Objects belong to a policy or an Order that is no longer there. They are kept until someone says what is meant.',
      mend: 'Bring the policy back, list its old name in spec.formerNames of one that renders to the same namespace, or allow OrphanedOutput to remove them.',
    },
  }),
}

export const finding = findingOf(CHANGE_CODES)
