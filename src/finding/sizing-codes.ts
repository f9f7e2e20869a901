import type { CodeDefinition } from './definition.ts'

/** Codes about policies, groups and sizes. */
export const SIZING_CODES = {
  PolicySummary: {
    severity: 'info',
    meaning: 'The first result of a policy: its groups, nodes and objects, counted.',
    mend: '',
  },
  GroupSized: {
    severity: 'info',
    meaning: 'How a group came to its sizes: rule, inputs, arithmetic, rounding and bounds.',
    mend: '',
  },
  PercentageOutOfRange: {
    severity: 'error',
    meaning: 'A percentage is not above 0 and at most 100.',
    mend: 'Write a number above 0 and at most 100, or null to leave the resource unset.',
  },
  RequestAboveLimit: {
    severity: 'error',
    meaning:
      'A request percentage is above the limit percentage of the same resource; the API server would refuse the pods.',
    mend: 'Raise the limit percentage or lower the request percentage.',
  },
  MinAboveMax: {
    severity: 'error',
    meaning: 'A minimum is above the maximum of the same resource.',
    mend: 'Lower minResources or raise maxResources.',
  },
  BoundInvalid: {
    severity: 'error',
    meaning: 'A bound is not a quantity, or is below zero.',
    mend: 'Write a Kubernetes quantity such as 100m, 2, 180Mi or 4Gi.',
  },
  FractionOutOfRange: {
    severity: 'error',
    meaning: 'The fraction goMemLimitPercentage is not above 0 and at most 1.',
    mend: 'Write a fraction such as 0.8.',
  },
  NoHeadroom: {
    severity: 'warning',
    meaning:
      'GOMEMLIMIT is the whole memory limit. What the Go runtime does not count, such as cgo and mapped files, brings the container to its limit.',
    mend: 'Write a fraction such as 0.8.',
  },
  LabelOnNoNode: {
    severity: 'error',
    allowable: true,
    meaning: 'No node of the policy carries the node group label; a mistyped key would put every node into one group.',
    mend: 'Correct nodeGroupLabel; kubectl get nodes --show-labels lists the labels.',
  },
  NoGroups: {
    severity: 'error',
    allowable: true,
    meaning: 'No node belongs to the policy, so no group would be rendered and every agent removed.',
    mend: 'Correct nodeSelector, affinity and tolerations of the policy or the template; enabled: false takes the agents away on purpose.',
  },
  EmptyGroup: {
    severity: 'warning',
    meaning: 'An explicit group has no nodes and no declared shape; it is not rendered.',
    mend: 'Correct its nodeSelector, or remove the group.',
  },
  TooManyTerms: {
    severity: 'error',
    meaning:
      'The affinity that keeps the nodes of explicit groups out of the later ones would have more than 64 alternatives.',
    mend: 'Use one label for each explicit group, or fewer groups with several.',
  },
  GroupTainted: {
    severity: 'warning',
    meaning:
      'Every node of a group has a NoSchedule taint that the pods do not tolerate. The group is rendered, since running pods may stay, but no new pod starts there.',
    mend: 'Add a toleration, or wait if the taint is transient.',
  },
  GroupSpread: {
    severity: 'info',
    meaning: 'The nodes of a group differ by more than a quarter; all get the size of the smallest.',
    mend: 'Group by a label that tells them apart.',
  },
  NoAllocatable: {
    severity: 'error',
    meaning: 'No node of a group reports allocatable cpu and memory, so the group cannot be sized.',
    mend: 'Write the inventory again when the nodes have registered, or declare a shape with allocatable.',
  },
  NodesNotSized: {
    severity: 'warning',
    meaning: 'Some nodes of a group report no allocatable cpu or memory; the group is sized by the others.',
    mend: 'Write the inventory again when the nodes have registered.',
  },
  NodesWithoutAgent: {
    severity: 'info',
    meaning: 'Nodes that get no agent from this policy, for one reason, with their count and first names.',
    mend: '',
  },
  OverrideUnused: {
    severity: 'warning',
    meaning: 'An override or an explicit name is for a group that does not exist.',
    mend: 'Correct the group, which is a label value or a name part, or remove the entry.',
  },
  LimitRaised: {
    severity: 'info',
    meaning: 'Rounding brought a container’s limit below its request, and it was raised to it.',
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
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size the same target on the same node, or their remainders would on one that may come; it would get two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
} as const satisfies Record<string, CodeDefinition>
