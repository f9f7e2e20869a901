import { codesAbout, findingOf } from '../finding/index.ts'
import { INVENTORY_CODES } from '../inventory/codes.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** What to do about a label that no node has, by the field that names it. */
export function correctLabelIn(field: string): string {
  return `Correct ${field}; kubectl get nodes --show-labels lists the labels. Where none tells node types apart, take kubernetes.io/hostname with classes in a policy, as nodefit init --label kubernetes.io/hostname writes it.`
}

/** Codes about node groups, their names and sizes. */
export const SIZING_CODES = codesAbout('Groups, names and sizes', {
  LabelNotExported: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy or template refers to a label key that the inventory did not export, so that absent and unknown cannot be told apart.',
    mend: 'Write the inventory anew with that --label beside those that it had.',
  },
  GroupLabelConflict: {
    severity: 'error',
    meaning: 'The template selects nodes in a way that no group can be made of.',
    mend: 'Remove the entry from the template’s nodeSelector.',
  },
  LabelOnNoNode: {
    severity: 'error',
    allowable: true,
    meaning:
      'No node of the policy carries the node group label; a mistyped key would put every node into one group. Only a warning for Kubescape’s template, whose operator does just that.',
    mend: correctLabelIn('nodeGroupLabel'),
  },
  NoGroups: {
    severity: 'error',
    allowable: true,
    meaning: 'No node belongs to the policy, so no group would be rendered and every agent removed.',
    mend: 'Correct nodeSelector, affinity and tolerations of the policy or the template; enabled: false takes the agents away on purpose.',
  },
  EmptyGroup: {
    severity: 'info',
    meaning:
      'An explicit group has no nodes and no declared shape: its pool may be scaled to zero. A DaemonSet is rendered for it, sized by the smallest node of the policy.',
    mend: 'Correct its nodeSelector, or remove the group, where no such nodes will come.',
  },
  GroupImpossible: {
    severity: 'info',
    meaning:
      'Template, policy and group contradict each other, so that no node could ever match the group: it is not rendered.',
    mend: '',
  },
  TooManyTerms: {
    severity: 'error',
    meaning:
      'Required node affinities multiply: every term of the template is joined with every one of the policy, and with those that keep the nodes of explicit groups out of the later ones. The latter would be more than 64, or all together more than 1024.',
    mend: 'Say the same in fewer terms: one label for each explicit group, or fewer groups with several; and one term with a list of values instead of a term for each value.',
  },
  GroupTainted: {
    severity: 'warning',
    meaning:
      'Every node of a group has a NoSchedule taint that the pods do not tolerate. The group is rendered, since running pods may stay, but no new pod starts there.',
    mend: 'Add a toleration where the agent is meant to run; leave it where it is not, or where the taint is transient.',
  },
  GroupSpread: {
    severity: 'warning',
    meaning:
      'The largest node of a group is more than twice the smallest (with classes, more than their ratio): what makes the group says nothing about the size of its nodes, and all get the size of one, the smallest unless the policy says otherwise.',
    mend: 'Group by what tells them apart, in a policy: nodefit init --label KEY writes one for another label, for ranges of a label that grows with them, and for kubernetes.io/hostname with classes.',
  },
  RangeNotInteger: {
    severity: 'error',
    meaning:
      'The label of nodeGroupRanges has a value on a node that is no 64-bit integer, so the node is in no range.',
    mend: 'Correct the node’s label, or take such nodes into an explicit group.',
  },
  ClassChanged: {
    severity: 'warning',
    meaning:
      'A label value joined or left a class that was rendered before. The list of values in its affinity changes, which restarts every pod of the class.',
    mend: 'Apply it when the agents may restart; hysteresisPercent keeps values at the edge of a class where they are.',
  },
  NoAllocatable: {
    severity: 'error',
    meaning:
      'No node of a group reports allocatable cpu and memory, none did before, and no remainder can serve them or be sized by, so the group cannot be sized.',
    mend: 'Write the inventory again when the nodes have registered, or declare a shape with allocatable.',
  },
  NodesNotSized: {
    severity: 'warning',
    meaning:
      'Some nodes of a group report no allocatable cpu or memory; the group is sized by the others. Where none reports it keeps the size it has; a label value that has none is left to the remainder, any other group is sized like that, and a range like the nearest one.',
    mend: 'Write the inventory again when the nodes have registered.',
  },
  OverrideUnused: {
    severity: 'warning',
    meaning: 'An override or an explicit name is for a group that does not exist.',
    mend: 'Correct the group, which is a label value or a name part, or remove the entry.',
  },
  ContainerNotChosen: {
    severity: 'error',
    meaning:
      'The template has several containers, none is named like the target, or a chosen one does not exist, or shares do not add up to 100.',
    mend: 'Name the containers in spec.containers, with shares that add up to 100; as a flat key containers=NAME, or containers=NAME:70,OTHER:30.',
  },
  LimitRaised: {
    severity: 'info',
    meaning:
      'Rounding, a step or a bound of limits alone brought a limit below its request, and it was raised to it, beyond a maximum of its own, too.',
    mend: '',
  },
  SizeZero: {
    severity: 'error',
    meaning: 'A percentage of a small node comes to nothing.',
    mend: 'Raise the percentage, or set minResources.',
  },
  DerivedTooSmall: {
    severity: 'error',
    meaning:
      'GOMEMLIMIT or a derived environment variable would come to less than one unit, which a runtime takes for no memory at all.',
    mend: 'Raise the memory limit, or use a smaller unit.',
  },
  DerivedWithoutSize: {
    severity: 'error',
    meaning: 'GOMEMLIMIT or a derived environment variable is computed from a size that the policy leaves unset.',
    mend: 'Set the percentage it is computed from, or remove it.',
  },
  NameCollision: {
    severity: 'error',
    meaning:
      'Two groups come to the same DaemonSet name and neither was rendered before. A hash for both would rename a running DaemonSet later.',
    mend: 'Choose their names in spec.names.',
  },
  NameInvalid: {
    severity: 'error',
    meaning: 'A group cannot be named: its name is not a DNS label of at most 63 characters, or taken twice.',
    mend: 'Choose its name in spec.names.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES, SIZING_CODES)
