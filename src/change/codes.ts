import { codesAbout, findingOf } from '../finding/index.ts'

/** Codes of the summary that every run reports for a subject. */
const SUMMARY_CODES = codesAbout('Summary', {
  PolicySummary: {
    roles: ['summary', 'shown'],
    severity: 'info',
    meaning: 'The first result of a policy: the numbers of its groups, nodes and objects.',
    mend: '',
  },
  TotalGrows: {
    severity: 'warning',
    meaning:
      'The pods of a policy request more than a quarter more cpu or memory than before, on the nodes where one ran before: of earlier output, else of the template. Nodes that joined are not counted. The message names the three groups that add most.',
    mend: 'If the nodes have that room and the agent needs it, apply it. Otherwise lower maxResources or the percentages; nodefit init --budget writes a policy that keeps within a growth you choose.',
  },
  GroupSized: {
    roles: ['each'],
    severity: 'info',
    meaning: 'How the sizes of a group are computed: rule, inputs, arithmetic, rounding and bounds.',
    mend: '',
  },
  NodesWithoutAgent: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that run no agent of this policy, one finding for each reason, with their number and first names.',
    mend: '',
  },
  NoNewPods: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes of a group with a NoSchedule taint that the pods do not tolerate: a running pod may stay, no new pod starts. One finding for each reason, with their number and first names.',
    mend: '',
  },
})

/** Codes about what a run changes, and what it was told to leave alone. */
export const CHANGE_CODES = {
  ...SUMMARY_CODES,
  ...codesAbout('Changes and guards', {
    OutputStale: {
      severity: 'error',
      meaning:
        'A check found an object in the package that differs from what the run renders: it would be added, changed or removed. The input has changed since the last render, or the output was edited by hand.',
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
        'A group’s DaemonSet differs from the one rendered before; the message names the first fields that differ, old -> new. Values that may be secret are not shown: variables that nodefit does not compute, arguments, other tools’ annotations.',
      mend: '',
    },
    PodsRestart: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'How many running pods a run restarts, and by which parts of the pod template: image, amounts, variables, node selection. Once for each policy.',
      mend: '',
    },
    GroupRemoved: {
      severity: 'info',
      meaning: 'A DaemonSet that was rendered before is removed, with the reason.',
      mend: '',
    },
    GroupReleased: {
      severity: 'info',
      meaning:
        'An object that was rendered for a group before is released: it stays as it is and nodefit no longer manages it; with the reason.',
      mend: '',
    },
    FieldConflict: {
      severity: 'error',
      meaning:
        'A subject cannot write a field of an object: another subject writes or keeps a different value, the object is rendered, rendered from or read as a node, or a list, a scalar or its identity is in the way. The sentence says which.',
      mend: 'Let one subject write the field, or give all of them the same value; otherwise remove the field from the subject that is named.',
    },
    FieldTargetMissing: {
      severity: 'error',
      meaning: 'A subject writes a field of an object that is not in the package.',
      mend: 'Add the object to the package, or correct the name by which the subject refers to it.',
    },
    FileListed: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'A kustomization.yaml of the package lists files that this run renders, or no longer lists those that it empties: its resources are edited, every other byte stays.',
      mend: '',
    },
    FileNotListed: {
      severity: 'error',
      allowable: true,
      meaning:
        'A kustomization.yaml of the package does not list a rendered file under resources: kustomize, Flux and Argo CD do not apply it. An error where it lists the policy, the template or another of its files, and the template is not applied any more: they would delete the agent from every node. A warning otherwise. kpt fn render adds the entry itself where it can.',
      mend: 'Add the file to resources of that kustomization.yaml, which reads files in or below its folder; or run kpt fn render, which adds it.',
    },
    PatchLost: {
      severity: 'error',
      allowable: true,
      meaning:
        'A kustomization changes the static DaemonSet by name after it has become a template: the template is not applied, and what is rendered from it does not have the change.',
      mend: 'Make the change in a layer below the render; or list the policy under transformers of the kustomization with the patch; or let target.name match what is rendered, as "NAME-.*" does: docs/deliver/kustomize.md#patches-of-an-overlay.',
    },
    StaticTemplateRetired: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'The target is used as a template for the first time: it is now local configuration and is no longer applied. Of a DaemonSet the message says on how many nodes its pods are replaced: on all at once, since update strategies hold within a DaemonSet, not between two.',
      mend: '',
    },
    StaticTemplateStays: {
      severity: 'warning',
      meaning:
        'The target that became a template has an annotation or label that tells Argo CD, Flux or kpt not to delete it: it stays in the cluster beside what is rendered from it, and with a static DaemonSet every node runs two agents.',
      mend: 'To start the groups first, keep the annotation, and delete the static object by hand when their pods run. Otherwise remove the annotation and apply that before the groups.',
    },
    HostPortHeld: {
      severity: 'warning',
      meaning:
        'The agent uses host ports, and another DaemonSet takes over its nodes: the new pods cannot start beside the old ones. A tool that waits for the new pods before it deletes the old ones, such as Argo CD with PruneLast=true or kpt live apply, never finishes.',
      mend: 'Delete the old DaemonSets first, which leaves a gap, as described for hostPort agents: docs/daemonset/moving-over.md#delete-first.',
    },
    AntiAffinityHeld: {
      severity: 'warning',
      meaning:
        'The required pod anti-affinity of the agent selects its own pods, and another DaemonSet takes over its nodes: the new pods cannot start beside the old ones. A tool that waits for the new pods before it deletes the old ones, such as Argo CD with PruneLast=true or kpt live apply, never finishes.',
      mend: 'Remove that term from the template, since a DaemonSet runs one pod per node without it; or delete the old DaemonSets first, which leaves a gap, as described for hostPort agents: docs/daemonset/moving-over.md#delete-first.',
    },
    StatePathShared: {
      severity: 'warning',
      meaning:
        'A container of the agent mounts a directory or file of the node writable, and another DaemonSet takes over its nodes. With most tools an old and a new pod run on a node for a while: positions, a database, a lock or a socket in that place belong to one of them, and the other fails, or writes over it. Not reported for what the node itself shares (/var/log, /dev, the container runtime’s sockets), nor with maxSurge, which runs two pods at each update.',
      mend: 'If the agent keeps its state or its socket there, delete the old DaemonSets first, which leaves a gap, as described for hostPort agents: docs/daemonset/moving-over.md#delete-first. If two pods can share it, change nothing.',
    },
    OwnedElsewhere: {
      severity: 'warning',
      meaning:
        'The target has labels or annotations of another tool or controller that applies it, or nodefit.dev/owned-by names one. That owner brings the static object back beside what is rendered from it, and every node runs two agents. nodefit does not copy these marks. Reported on every run until they are removed.',
      mend: 'Disable the object there and keep its manifest as the template; then remove the marks, or nodefit.dev/owned-by, from the template: docs/daemonset/moving-over.md#other-owners.',
    },
    NamedElsewhere: {
      severity: 'warning',
      meaning:
        'An object of the package is about the static DaemonSet that is a template now, and not about what is rendered from it: a scaler, policy, patch of Flux, Role or query has its name, or a selector selects its pods by labels that the groups’ pods do not have. It finds nothing any more, often without an error. An info where a kustomization gives the names a prefix or suffix, at adoption.',
      mend: 'Match the labels of the groups, or NAME-* where the field takes patterns; else list their names: docs/daemonset/moving-over.md#references-by-name-must-change.',
    },
    TemplateReleased: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'No policy renders from the template any more, because its policy is disabled or removed: its marks are removed, and it is applied again as it was.',
      mend: '',
    },
    ForeignObject: {
      severity: 'error',
      meaning: 'An object that nodefit does not own has the name of an object to be rendered. It is not overwritten.',
      mend: 'If that object runs the same agent, remove it; otherwise rename it, or change the rendered name in spec.names.',
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
        'Rendered objects belong to a policy or an Order that is no longer in the package. They are kept until you choose what to do with them.',
      mend: 'Restore the policy. If you renamed it, list its old name in spec.formerNames. To remove the agent’s groups, restore it with enabled: false and render; delete it then: docs/daemonset/moving-over.md#the-way-back.',
    },
    PolicyMoved: {
      severity: 'error',
      allowable: true,
      meaning:
        'Rendered objects belong to a policy or an Order that renders to another namespace now. They are kept, since what they need may not be there. What a function such as set-namespace moved is not reported: it is rendered where it was moved to.',
      mend: 'Move the policy and its target back to the namespace of these objects; or, if you moved them on purpose, allow PolicyMoved in one run, which removes these objects and renders them in the new namespace. For functions that set namespaces: docs/deliver/kpt.md#other-functions.',
    },
  }),
}

export const finding = findingOf(CHANGE_CODES)
