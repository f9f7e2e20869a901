import { WORLD_CODES } from '../../core/codes.ts'
import { INVENTORY_CODES } from '../../facts/inventory/codes.ts'
import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'

/** The mend for a label that no node has; `field` is the field that names it. */
export function correctLabelIn(field: string): string {
  return `Correct ${field}; kubectl get nodes --show-labels lists the labels. If no label tells node types apart, group by kubernetes.io/hostname with classes: nodefit init --group-by kubernetes.io/hostname writes such a policy.`
}

/** Codes about node groups, their names and sizes. */
export const SIZING_CODES = codesAbout('Groups, names and sizes', {
  SizesMissing: {
    severity: 'error',
    meaning:
      'A policy for a DaemonSet or an Order does not set all four percentages and has no usage; no default fits every agent. The message has lines that start from today’s sizes.',
    mend: 'Set each of the four percentages to a number or none.',
  },
  SizesDerived: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A run with --set lacks percentages: they start from today’s sizes, and all requests grow by at most a quarter. Other nodes may give other sizes in the next run.',
    mend: 'The next run derives them again unless it is given them.',
  },
  LabelNotExported: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy or template uses a label key that the inventory did not export: whether nodes have it is unknown.',
    mend: 'Write the inventory again with the --label options it had and one for this key.',
  },
  GroupLabelConflict: {
    severity: 'error',
    meaning: 'Template and policy give a label key different values in nodeSelector, so no node matches both.',
    mend: 'Remove the key from one of the two nodeSelectors.',
  },
  LabelOnNoNode: {
    severity: 'error',
    allowable: true,
    meaning:
      'No node of the policy has the node group label; a mistyped key would put every node into the default group. A warning for Kubescape’s template and a well-known label, as its operator does the same.',
    mend: correctLabelIn('nodeGroupLabel'),
  },
  NoGroups: {
    severity: 'error',
    allowable: true,
    meaning:
      'The policy matches no node, and the earlier output has no groups to keep, or nodes of today would lose its agent.',
    mend: 'Correct nodeSelector, affinity and tolerations of policy or template. For a pool scaled to zero declare its node type in the inventory (a shape with nodes: []). To remove the agents, set enabled: false.',
  },
  GroupsKept: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'No node belongs to the policy, as when its only pool is scaled to zero: the earlier groups are rendered again, for nodes that come back.',
    mend: 'To remove the agents on purpose, set enabled: false.',
  },
  EmptyGroup: {
    severity: 'info',
    meaning:
      'An explicit group has no nodes and no declared shape, as when its pool is scaled to zero. It is rendered, sized by the smallest node of the policy.',
    mend: 'If no such nodes will come, correct its nodeSelector or remove the group.',
  },
  GroupAbsent: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'No node has the label value of an earlier group any more: a pool at zero, a label that comes back, a pool that is replaced. The group stays for retainGroups, with its sizes.',
    mend: 'To remove it sooner, lower spec.retainGroups of the policy; 0s removes such groups at once.',
  },
  GroupImpossible: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Template, policy and group contradict each other: no node can match, the group is not rendered.',
    mend: '',
  },
  TooManyTerms: {
    severity: 'error',
    meaning:
      'Required node affinities multiply: terms of the template, of the policy, and those that exclude explicit groups. At most 256 excluding and 1024 joined terms are allowed.',
    mend: 'Select explicit groups by one label each or by the same label keys; write one term with a list of values.',
  },
  GroupTainted: {
    severity: 'info',
    meaning:
      'Every node of a group has a NoSchedule taint that the pods do not tolerate: none starts; running ones may stay. A warning where a pod is known to run there: nothing replaces it once it stops.',
    mend: 'Add a toleration if the agent is meant to run there. If not, or if the taint is temporary, change nothing.',
  },
  GroupSpread: {
    severity: 'warning',
    meaning:
      'The largest node of a group alone would get over twice the cpu or memory of the smallest (with classes, over the ratio), and all get the size of one. Another grouping is proposed only where it leaves no such group.',
    mend: 'Group by a label of size, or give the large ones a group in spec.groups. If the smallest size is enough for all, change nothing.',
  },
  RangeNotInteger: {
    severity: 'error',
    meaning: 'A node’s value of the nodeGroupRanges label is no 64-bit integer, so in no range.',
    mend: 'Correct the label of the node, or put such nodes into an explicit group.',
  },
  ClassChanged: {
    severity: 'warning',
    meaning: 'A label value joined or left a class: its affinity changes, which restarts all its pods.',
    mend: 'Apply it when the agents may restart. hysteresisPercent keeps values near the edge of a class where they are.',
  },
  NoAllocatable: {
    severity: 'error',
    meaning:
      'No node of a group reports allocatable cpu and memory, the earlier output has no basis for it, and there is no remainder to size it by.',
    mend: 'Write the inventory again when the nodes have registered, or declare a shape with allocatable amounts.',
  },
  NodesNotSized: {
    severity: 'warning',
    meaning:
      'Some nodes of a group report no allocatable cpu or memory; the others size it. Where none reports, the group keeps its size; a new one is sized like the nearest range or the remainder.',
    mend: 'Write the inventory again when the nodes have registered.',
  },
  OverrideUnused: {
    severity: 'warning',
    meaning: 'An entry of overrides or names names a group that does not exist.',
    mend: 'Write a label value or a name part of a group, or remove the entry.',
  },
  ContainerNotChosen: {
    severity: 'error',
    meaning:
      'Which containers to size is unclear: none of several is named like the target, a named one does not exist, or the shares do not add up to 100.',
    mend: 'Name the containers in spec.containers with shares that add up to 100; as a flat key, containers=NAME or containers=NAME:70,OTHER:30.',
  },
  LimitRaised: {
    severity: 'info',
    meaning:
      'Rounding, a step or a limit’s own bound would make a limit smaller than its request: it is raised to it, even above limitCPU or limitMemory of maxResources.',
    mend: '',
  },
  SizeZero: {
    severity: 'error',
    meaning: 'A percentage of a small node rounds down to 0.',
    mend: 'Raise the percentage, or set minResources.',
  },
  DerivedTooSmall: {
    severity: 'error',
    meaning: 'GOMEMLIMIT or a derived variable would be below one unit, which a runtime reads as no memory.',
    mend: 'Raise the memory limit, or use a smaller unit.',
  },
  DerivedWithoutSize: {
    severity: 'error',
    meaning: 'GOMEMLIMIT or a derived variable needs a size that the policy leaves unset.',
    mend: 'Set the percentage of that size, or remove the variable.',
  },
  NameCollision: {
    severity: 'error',
    meaning:
      'Two new groups with nodes would get one name. Neither is added, since a hash could rename a running DaemonSet later.',
    mend: 'Write the names that the message proposes, or others, into the policy.',
  },
  NameInvalid: {
    severity: 'error',
    meaning: 'A group’s name is no DNS label of at most 63 characters, or two groups have it.',
    mend: 'Set its name in spec.names.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES, SIZING_CODES)
