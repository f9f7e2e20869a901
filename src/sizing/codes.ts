import { codesAbout, findingOf } from '../finding/index.ts'
import { INVENTORY_CODES } from '../inventory/codes.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** The mend for a label that no node has; `field` is the field that names it. */
export function correctLabelIn(field: string): string {
  return `Correct ${field}; kubectl get nodes --show-labels lists the labels. If no label tells node types apart, group by kubernetes.io/hostname with classes: nodefit init --group-by kubernetes.io/hostname writes such a policy.`
}

/** Codes about node groups, their names and sizes. */
export const SIZING_CODES = codesAbout('Groups, names and sizes', {
  SizesMissing: {
    severity: 'error',
    meaning:
      'A policy for a DaemonSet or an Order does not set all four percentages. There is no default, since no number fits every agent: the message has the lines that start from today’s sizes, as nodefit init does. nodefit build --set, which is a look, takes them at each run (SizesDerived).',
    mend: 'Set each of the four percentages to a number or none.',
  },
  SizesDerived: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A run with --set leaves out percentages, and they start from today’s sizes: nobody gets less than the template has, and the requests of all nodes grow by at most a quarter. The next run derives them from its nodes, so other sizes may come out.',
    mend: 'The next run derives them again unless it is given them.',
  },
  LabelNotExported: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy or template refers to a label key that the inventory did not export, so it is unknown whether nodes have it.',
    mend: 'Write the inventory again with the --label options it had and one for this key.',
  },
  GroupLabelConflict: {
    severity: 'error',
    meaning:
      'A label key has one value in the nodeSelector of the template and another in that of the policy, so no node matches both.',
    mend: 'Remove the key from one of the two nodeSelectors.',
  },
  LabelOnNoNode: {
    severity: 'error',
    allowable: true,
    meaning:
      'No node of the policy has the node group label; a mistyped key would put every node into the default group. For Kubescape’s template it is a warning, since its operator does the same.',
    mend: correctLabelIn('nodeGroupLabel'),
  },
  NoGroups: {
    severity: 'error',
    allowable: true,
    meaning:
      'The policy matches no node, and no earlier output shows which groups to keep for nodes that come, or nodes of today would lose the agent that the earlier output runs there. Where it is allowed, HoleOnPurpose reports the nodes that no group serves.',
    mend: 'Correct nodeSelector, affinity and tolerations of the policy or the template. If their pool is scaled to zero, declare its node type in the inventory (a shape with nodes: []). To remove the agents on purpose, set enabled: false.',
  },
  GroupsKept: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'No node of the inventory belongs to the policy, as when its only pool is scaled to zero, and none runs its agent. nodefit renders the groups of the earlier output again, with their sizes, so that nodes that come back run the agent at once.',
    mend: 'To remove the agents on purpose, set enabled: false.',
  },
  EmptyGroup: {
    severity: 'info',
    meaning:
      'An explicit group has no nodes and no declared shape, as when its pool is scaled to zero. nodefit renders its DaemonSet all the same, sized by the smallest node of the policy.',
    mend: 'If no such nodes will come, correct its nodeSelector or remove the group.',
  },
  GroupImpossible: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Template, policy and group contradict each other, so no node can match the group. nodefit does not render it.',
    mend: '',
  },
  TooManyTerms: {
    severity: 'error',
    meaning:
      'Required node affinities multiply: each term of the template is joined with each term of the policy and with each term that excludes the nodes of explicit groups. Explicit groups that share label keys need few terms, others one for each choice of a label of each. At most 256 excluding terms and 1024 joined terms are allowed.',
    mend: 'Use fewer terms: select explicit groups by one label each or by the same label keys, and write one term with a list of values instead of one term per value.',
  },
  GroupTainted: {
    severity: 'info',
    meaning:
      'Every node of a group has a NoSchedule taint that the pods do not tolerate: no new pod starts there. nodefit renders the group since pods that run there may stay. A warning where a WorkloadSnapshot shows such a pod, or where the earlier output tolerates the taint: nothing replaces a pod there once it stops.',
    mend: 'Add a toleration if the agent is meant to run there. If not, or if the taint is temporary, change nothing.',
  },
  GroupSpread: {
    severity: 'warning',
    meaning:
      'The largest node of a group alone would get more than twice what the smallest would (with classes, more than the ratio), of cpu or of memory, and all get the size that fits one of them: the smallest, or the median with basis: median. Another grouping is proposed only where it leaves no such group, and host names only where nodes do not come and go.',
    mend: 'Label the nodes by their size and group by that label, or give the large ones a group of their own in spec.groups. If the size of the smallest is enough for all, change nothing.',
  },
  RangeNotInteger: {
    severity: 'error',
    meaning:
      'A node has a value of the nodeGroupRanges label that is not a 64-bit integer, so the node is in no range.',
    mend: 'Correct the label of the node, or put such nodes into an explicit group.',
  },
  ClassChanged: {
    severity: 'warning',
    meaning:
      'A label value joined or left a class of the earlier output. The list of values in the affinity changes, which restarts every pod of the class.',
    mend: 'Apply it when the agents may restart. hysteresisPercent keeps values near the edge of a class in the class they have.',
  },
  NoAllocatable: {
    severity: 'error',
    meaning:
      'No node of a group reports allocatable cpu and memory, the earlier output has no basis for the group, and there is no remainder to size it by.',
    mend: 'Write the inventory again when the nodes have registered, or declare a shape with allocatable amounts.',
  },
  NodesNotSized: {
    severity: 'warning',
    meaning:
      'Some nodes of a group report no allocatable cpu or memory, and the others size the group. Where no node reports, the group keeps the size it was rendered with. Without one, the remainder serves a label value, a range is sized like the nearest range, and any other group like the remainder.',
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
      'It is unclear which containers to size: the template has several and none is named like the target, or a named container does not exist, or the shares do not add up to 100.',
    mend: 'Name the containers in spec.containers with shares that add up to 100; as a flat key, containers=NAME or containers=NAME:70,OTHER:30.',
  },
  LimitRaised: {
    severity: 'info',
    meaning:
      'Rounding, a step or a limit’s own bound would make a limit smaller than its request. nodefit raises the limit to the request, even above limitCPU or limitMemory of maxResources.',
    mend: '',
  },
  SizeZero: {
    severity: 'error',
    meaning: 'A percentage of a small node rounds down to 0.',
    mend: 'Raise the percentage, or set minResources.',
  },
  DerivedTooSmall: {
    severity: 'error',
    meaning:
      'GOMEMLIMIT or a derived environment variable would be less than one unit; a runtime would read that as no memory.',
    mend: 'Raise the memory limit, or use a smaller unit.',
  },
  DerivedWithoutSize: {
    severity: 'error',
    meaning: 'GOMEMLIMIT or a derived environment variable is computed from a size that the policy leaves unset.',
    mend: 'Set the percentage of that size, or remove the variable.',
  },
  NameCollision: {
    severity: 'error',
    meaning:
      'Two new groups with nodes would get the same DaemonSet name. nodefit adds no hash, since that could rename a running DaemonSet later.',
    mend: 'Write what the message proposes into the policy; other names do as well.',
  },
  NameInvalid: {
    severity: 'error',
    meaning: 'The name of a group is not a DNS label of at most 63 characters, or two groups have it.',
    mend: 'Set its name in spec.names.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES, SIZING_CODES)
