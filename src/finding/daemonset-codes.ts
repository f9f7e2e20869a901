import type { CodeDefinition } from './definition.ts'

/** Codes about templates, rendered objects and who owns them. */
export const DAEMONSET_CODES = {
  TargetMissing: {
    severity: 'error',
    meaning: 'The target of a policy is not in its scope.',
    mend: 'Put the target into the package of the policy, or correct spec.targetRef.',
  },
  TargetNotUnique: {
    severity: 'error',
    meaning: 'Several objects could be the target.',
    mend: 'Set metadata.namespace of the policy, or remove the copies.',
  },
  TemplateInvalid: {
    severity: 'error',
    meaning: 'The target is not a DaemonSet that can serve as a template.',
    mend: 'Take a DaemonSet that the API server accepts, or the template as the chart writes it.',
  },
  UnknownPlaceholder: {
    severity: 'error',
    meaning:
      'The template holds a placeholder that nodefit does not know, or one that has no value where it stands. The agent would get the braces.',
    mend: 'Known are .Name, .NodeGroupLabel, .NodeGroupLabelKey, .Resources.Requests and .Resources.Limits with .CPU and .Memory, .GoMemLimit and .SELinuxType, the amounts in a sized container; remove others from the template.',
  },
  PlaceholderInText: {
    severity: 'warning',
    meaning:
      'A placeholder of the chart stands within a longer text, where it stays as it is: only a text that is wholly a placeholder is filled.',
    mend: 'Make the text the placeholder alone, or ignore this where the braces are meant for another program.',
  },
  GroupLabelDiffers: {
    severity: 'warning',
    meaning:
      'The template was made for another node group label than the policy’s. The policy’s is used, so that groups and names are others than the operator’s.',
    mend: 'Set spec.nodeGroupLabel to the label of the chart’s values.',
  },
  ScannerMissing: {
    severity: 'warning',
    meaning:
      'The template mounts the sockets and databases of ClamAV and has no container of it, as the chart leaves it in autoscaler mode: malware detection finds no scanner.',
    mend: 'Add a ClamAV container to the template, or switch malwareDetection off in the chart.',
  },
  PodLevelResources: {
    severity: 'error',
    meaning: 'The template sets resources for the pod as a whole, which would cap the sizes of its containers.',
    mend: 'Remove spec.template.spec.resources from the template.',
  },
  ContainerNotChosen: {
    severity: 'error',
    meaning:
      'The template has several containers, none is named like the target, or a chosen one does not exist, or shares do not add up to 100.',
    mend: 'Name the containers in spec.containers, with shares that add up to 100.',
  },
  GroupLabelConflict: {
    severity: 'error',
    meaning: 'The template selects nodes in a way that no group can be made of.',
    mend: 'Remove the entry from the template’s nodeSelector.',
  },
  InstanceLabelCopied: {
    severity: 'warning',
    meaning:
      'The label app.kubernetes.io/instance was copied from the template. An Argo CD that tracks by label takes the rendered object for part of that application and may prune it.',
    mend: 'Use annotation tracking in Argo CD, or remove the label from the template.',
  },
  MixedOperatingSystems: {
    severity: 'warning',
    meaning: 'A group mixes Bottlerocket with other nodes, and all of them get the SELinux type of Bottlerocket.',
    mend: 'Group by a label that tells them apart.',
  },
  GroupAdded: {
    severity: 'info',
    meaning: 'A group has a DaemonSet for the first time.',
    mend: '',
  },
  GroupChanged: {
    severity: 'info',
    meaning: 'A group’s DaemonSet differs from the one rendered before; the first fields that differ are named.',
    mend: '',
  },
  GroupRemoved: {
    severity: 'info',
    meaning: 'A DaemonSet that was rendered before is removed, with the reason.',
    mend: '',
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
    mend: 'Delete the old DaemonSets by hand when the new ones are applied, and accept a gap: docs/adoption.md.',
  },
  TemplateReleased: {
    severity: 'info',
    meaning:
      'No policy renders from the template any more, since its policy is disabled or gone: our marks come off, and it is applied again as it was.',
    mend: '',
  },
  OperatorAutoscalerLive: {
    severity: 'error',
    allowable: true,
    meaning:
      'The node agent autoscaler of Kubescape’s operator is on, and what is rendered carries the operator’s label: its loop would overwrite and delete it every few minutes.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap; docs/kubescape.md has a kustomize component and a kpt setter for it.',
  },
  OperatorBeside: {
    severity: 'warning',
    meaning:
      'The node agent autoscaler of Kubescape’s operator is on. It does not touch what carries another label, but it makes DaemonSets of the same names and the same agent beside it.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap.',
  },
  OperatorNotSeen: {
    severity: 'warning',
    meaning:
      'What is rendered carries the label of Kubescape’s operator, and the package does not show whether the operator’s own autoscaler is off.',
    mend: 'Put the operator’s ConfigMap into the package, or make sure with the command and set this code to off in a RenderConfig.',
  },
  OperatorLeftover: {
    severity: 'error',
    allowable: true,
    meaning:
      'The package holds DaemonSets that Kubescape’s operator made. They would be applied beside the rendered ones and maintained by nobody.',
    mend: 'Remove them from the package, and with that command from the cluster once the operator’s autoscaler is off.',
  },
  AgentTwice: {
    severity: 'error',
    allowable: true,
    meaning:
      'A DaemonSet that nodefit did not render runs the agent of the template: each node would get two privileged agents, and its selector also matches the rendered pods.',
    mend: 'Remove it from the package: autoscaler mode of the chart renders none. To keep both, on different nodes and under different labels, allow AgentTwice.',
  },
  ForeignObject: {
    severity: 'error',
    meaning: 'An object that nodefit does not own has a name that a group needs. It is not overwritten.',
    mend: 'Rename or remove that object, or choose another name in spec.names.',
  },
  DuplicateOutput: {
    severity: 'error',
    meaning: 'An object that nodefit owns is in the package twice.',
    mend: 'Remove one of the copies.',
  },
  OrphanedOutput: {
    severity: 'error',
    allowable: true,
    meaning: 'Objects belong to a policy that is no longer there. They are kept until someone says what is meant.',
    mend: 'Bring the policy back, list its old name in spec.formerNames of the new one, or allow OrphanedOutput to remove them.',
  },
  SelectorChanged: {
    severity: 'error',
    meaning:
      'The selector of a rendered DaemonSet would change, which Kubernetes does not allow: it would have to be deleted and made anew.',
    mend: 'Keep the template’s pod labels, or choose a new name in spec.names, so that the old DaemonSet is replaced by one with the new selector.',
  },
} as const satisfies Record<string, CodeDefinition>
