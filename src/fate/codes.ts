import { codesAbout, findingOf } from '../krm/finding.ts'

/** Codes of the summary that every run reports for a subject. */
const SUMMARY_CODES = codesAbout('Summary', {
  PolicySummary: {
    roles: ['summary'],
    severity: 'info',
    meaning: 'The first result of a policy: numbers of groups, nodes and objects.',
    mend: '',
  },
  TotalGrows: {
    severity: 'warning',
    meaning:
      'The pods of a policy request over a quarter more cpu or memory than before, without nodes that joined. The message names the three groups that add most.',
    mend: 'If the nodes have that room and the agent needs it, apply it. Otherwise lower maxResources or the percentages; nodefit init --budget keeps within a growth you choose.',
  },
  GroupSized: {
    roles: ['each'],
    severity: 'info',
    meaning: 'How a group’s sizes are computed: rule, inputs, arithmetic, rounding, bounds.',
    mend: '',
  },
  NodesWithoutAgent: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that run no agent of this policy, one finding a reason.',
    mend: '',
  },
  NoNewPods: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes with a NoSchedule taint that the pods do not tolerate: a running pod may stay, no new one starts. One finding a reason.',
    mend: '',
  },
})

/** Codes about what a run changes, and what it was told to leave alone. */
export const CHANGE_CODES = {
  ...SUMMARY_CODES,
  ...codesAbout('Changes and guards', {
    OutputStale: {
      severity: 'error',
      meaning: 'An object differs from what the run renders: the input has changed, or the output was edited by hand.',
      mend: 'Render again and commit the changes: docs/deliver/vet.md.',
    },
    GroupAdded: {
      roles: ['each'],
      severity: 'info',
      meaning: 'A group has a DaemonSet for the first time.',
      mend: '',
    },
    GroupChanged: {
      severity: 'info',
      meaning:
        'A group’s DaemonSet differs from the earlier one; the first fields are named, old -> new, without values that may be secret.',
      mend: '',
    },
    PodsRestart: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'How many running pods of a policy a run restarts, and why: image, amounts, variables, node selection.',
      mend: '',
    },
    GroupRemoved: {
      severity: 'info',
      meaning: 'A DaemonSet that was rendered before is removed, with the reason.',
      mend: '',
    },
    GroupReleased: {
      severity: 'info',
      meaning: 'An object rendered before is released, with the reason: it stays, and nodefit no longer manages it.',
      mend: '',
    },
    FieldConflict: {
      severity: 'error',
      meaning:
        'A subject cannot write a field of an object: another writes or keeps a different value, the object is rendered, a template or a node, or a list, a scalar or its identity is in the way.',
      mend: 'Let one subject write the field, give all the same value, or remove the field from the subject named.',
    },
    FieldTargetMissing: {
      severity: 'error',
      meaning: 'A subject writes a field of an object that the package lacks.',
      mend: 'Add the object to the package, or correct the name by which the subject refers to it.',
    },
    FileListed: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'A kustomization.yaml now lists under resources the files that this run renders, and none that it empties; every other byte stays.',
      mend: '',
    },
    FileNotListed: {
      severity: 'error',
      allowable: true,
      meaning:
        'A kustomization.yaml does not list a rendered file under resources: kustomize, Flux and Argo CD do not apply it. An error where it lists other files of the policy and every agent would be deleted, else a warning.',
      mend: 'Add the file to resources of that kustomization.yaml, or run kpt fn render.',
    },
    PatternNotRead: {
      severity: 'warning',
      meaning:
        'A query, a policy or a patch names DaemonSets by a regular expression that nodefit does not read, such as one with a look-around, a back-reference or more than 10,000 states: none of them is run by an engine that some text holds for hours.',
      mend: 'Write it with literals, classes, groups, alternatives and repetition; or check by hand that it names what is rendered.',
    },
    PatchLost: {
      severity: 'error',
      allowable: true,
      meaning:
        'A kustomization patches by name the static DaemonSet that is now a template and not applied; what is rendered lacks the change.',
      mend: 'Make the change in a layer below the render; or list the policy under transformers beside the patch; or let target.name match what is rendered, as "NAME-.*" does: docs/deliver/kustomize.md#patches-of-an-overlay.',
    },
    StaticTemplateRetired: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'The target becomes a template, which is not applied any more. The message says on how many nodes its pods are replaced, all at once.',
      mend: '',
    },
    StaticTemplateStays: {
      severity: 'warning',
      meaning:
        'An annotation or label keeps Argo CD, Flux or kpt from deleting the target that became a template: beside the rendered ones every node runs two agents.',
      mend: 'To start the groups first, keep it, and delete the static object by hand when their pods run. Otherwise remove it and apply that before the groups.',
    },
    HostPortHeld: {
      severity: 'warning',
      meaning:
        'Another DaemonSet takes over nodes of an agent with host ports: new pods cannot start beside the old ones, and a tool that waits for them before it deletes never finishes.',
      mend: 'Delete the old DaemonSets first, which leaves a gap: docs/daemonset/moving-over.md#delete-first.',
    },
    AntiAffinityHeld: {
      severity: 'warning',
      meaning: 'As HostPortHeld, where the agent’s required pod anti-affinity selects its own pods.',
      mend: 'Remove that term from the template: a DaemonSet runs one pod per node without it. Or delete the old DaemonSets first, which leaves a gap: docs/daemonset/moving-over.md#delete-first.',
    },
    StatePathShared: {
      severity: 'warning',
      meaning:
        'The agent mounts a directory or file of the node writable, and another DaemonSet takes over its nodes. With most tools an old and a new pod run together for a while: positions, a database, a lock or a socket belong to one, and the other fails or writes over it.',
      mend: 'If it keeps state or a socket there, delete the old DaemonSets first, which leaves a gap: docs/daemonset/moving-over.md#delete-first. If two pods can share it, change nothing.',
    },
    OwnedElsewhere: {
      severity: 'warning',
      meaning:
        'Marks of the target, or nodefit.dev/owned-by, name another tool or controller that applies it: it brings the static object back, and every node runs two agents. Reported until they are removed.',
      mend: 'Disable the object there and keep its manifest as the template; then remove the marks, or nodefit.dev/owned-by, from it: docs/daemonset/moving-over.md#other-owners.',
    },
    NamedElsewhere: {
      severity: 'warning',
      meaning:
        'A scaler, policy, patch of Flux, Role or query of the package names the static DaemonSet, or a selector needs labels that the groups’ pods lack: it finds nothing any more, often without an error.',
      mend: 'Match the labels of the groups, or NAME-* where the field takes patterns; else list their names: docs/daemonset/moving-over.md#references-by-name-must-change.',
    },
    TemplateReleased: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'No policy renders from the template any more: without its marks it is applied again.',
      mend: '',
    },
    ForeignObject: {
      severity: 'error',
      meaning: 'An object that nodefit does not own has the name of one to be rendered, and is not overwritten.',
      mend: 'If that object runs the same agent, remove it; otherwise rename it, or the rendered one in spec.names.',
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
        'Rendered objects belong to a policy or an Order that the package lacks. They are kept until you choose.',
      mend: 'Restore the policy. If you renamed it, list its old name in spec.formerNames. To remove the agent’s groups, restore it with enabled: false and render; delete it then: docs/daemonset/moving-over.md#the-way-back.',
    },
    PolicyMoved: {
      severity: 'error',
      allowable: true,
      meaning:
        'Rendered objects belong to a policy or an Order that renders to another namespace now. They are kept, since what they need may not be there.',
      mend: 'Move the policy and its target back to the namespace of these objects; or allow PolicyMoved in one run, which renders them in the new one. For functions that set namespaces: docs/deliver/kpt.md#other-functions.',
    },
  }),
}

export const finding = findingOf(CHANGE_CODES)
