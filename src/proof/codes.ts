import { codesAbout, findingOf } from '../finding/index.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes about nodes that would get no agent, or two of them. */
const COVERAGE_CODES = codesAbout('Coverage and doubles', {
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size the same target on the same node, or their remainders would on a node that is added later: the node would run two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
  Uncovered: {
    severity: 'error',
    allowable: true,
    meaning:
      'A pod of the template may run on a possible node that no rendered DaemonSet selects: the node would run no agent.',
    mend: 'Report it as a bug, with the package: the rendered objects must cover every node that the policy does not exclude.',
  },
  CoveredTwice: {
    severity: 'error',
    allowable: true,
    meaning: 'Two rendered DaemonSets of one policy select the same possible node: the node would run two agents.',
    mend: 'Report it as a bug, with the package: the groups of a policy must not overlap.',
  },
  RunsElsewhere: {
    severity: 'error',
    allowable: true,
    meaning: 'A rendered DaemonSet selects a possible node that the template or the policy excludes.',
    mend: 'Report it as a bug, with the package.',
  },
  CoverageNotProved: {
    severity: 'error',
    allowable: true,
    meaning:
      'The affinities of template and policy distinguish too many kinds of nodes to prove that exactly one DaemonSet serves each.',
    mend: 'Use fewer terms and labels in the required node affinity, or allow CoverageNotProved.',
  },
  HoleOnPurpose: {
    severity: 'warning',
    meaning:
      'The template may run on nodes that no enabled policy serves, because a policy excludes them, renders nothing or is disabled: such nodes run no agent. Reported for each kind of node.',
    mend: 'Widen the policy or add one for these nodes. If they need no agent, add its entry to spec.holes of a RenderConfig.',
    acceptedBy:
      'Remove this entry: each HoleOnPurpose then gives the entry of spec.holes that accepts the nodes it is about, and no others.',
    roles: ['shown'],
  },
  HoleUnused: {
    severity: 'warning',
    meaning:
      'An entry of spec.holes of the RenderConfig accepts no hole: the policy serves these nodes, does not select them, or is not in the package.',
    mend: 'Correct policy and labels, or remove the entry.',
  },
  AgentTwice: {
    severity: 'warning',
    meaning:
      'A DaemonSet runs the same images on the same nodes as a rendered DaemonSet, or as a target that is applied again: such nodes run two agents.',
    mend: 'Apply the groups, wait until their pods are ready, then remove it from the package; an agent with host ports must be deleted first, which leaves a gap (docs/daemonset/moving-over.md#delete-first). If it is never applied, annotate it config.kubernetes.io/local-config: "true".',
  },
  SelectorsMeet: {
    severity: 'error',
    allowable: true,
    meaning:
      'The selectors of two DaemonSets in a namespace select each other’s pods. Kubernetes requires disjoint selectors: controllers that count, scale or adopt pods by selector confuse the two.',
    mend: 'Give each template a distinct pod label and selector, such as app.kubernetes.io/name. Give policies that render from one template distinct spec.labels.nodeGroup keys.',
  },
  OutputUnreadable: {
    severity: 'error',
    allowable: true,
    meaning:
      'A rendered object was edited and its node selector or affinity is malformed, so its nodes are unknown; it may run on nodes of the policy that is rendered now.',
    mend: 'Undo the edit, or remove the object and render its policy again.',
  },
})

/** Codes about pods that Kubernetes would refuse, or leave pending. */
const FIT_CODES = codesAbout('Fit', {
  DoesNotFit: {
    severity: 'error',
    allowable: true,
    meaning:
      'The pods of a rendered DaemonSet request more than a node’s allocatable resources, so they would stay pending at any priority. An error if they fit on none of the DaemonSet’s nodes but the template’s own pod would; a warning if they fit on some nodes, if the template’s pod would not fit either, or if only the resources left by other policies’ agents, or by the pods in a WorkloadSnapshot, are too small.',
    mend: 'Lower the sizes of these groups (resourcePercentages, maxResources, overrides; hysteresisPercent if they keep the size of larger nodes), the sizes that another policy gives its agents there, or the requests of the template’s other containers.',
  },
  ResourcesRefused: {
    severity: 'error',
    allowable: true,
    meaning:
      'The API server would refuse the pods of a rendered DaemonSet because of their resources: hugepages without cpu or memory, hugepages or a device whose request differs from its limit, a request above its limit, an overhead that differs from its RuntimeClass.',
    mend: 'Correct the container in the template, or set the cpu or memory it needs in the policy.',
  },
  LimitRangeRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A LimitRange of the package would refuse the pods of a rendered DaemonSet: after the API server’s defaulting they violate a minimum, maximum or ratio. Kubernetes reports it only as FailedCreate events of the DaemonSet.',
    mend: 'Change the sizes in the policy (minResources, maxResources), or change the LimitRange.',
  },
  LimitRangeAmbiguous: {
    severity: 'warning',
    meaning:
      'Several LimitRanges of a namespace give the same missing request or limit different defaults, and the order in which Kubernetes applies them is undefined. nodefit checks every order against nodes and limits.',
    mend: 'Keep one LimitRange with defaults, or set the request or limit in the template.',
  },
  ResourceQuotaRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A ResourceQuota of the package would admit no pod of a rendered DaemonSet: it limits cpu or memory and a container sets none, or a single pod exceeds the quota.',
    mend: 'Set the missing request or limit (resourcePercentages), or change the ResourceQuota.',
  },
  ResourceQuotaExceeded: {
    severity: 'warning',
    meaning:
      'The pods of all rendered DaemonSets of a namespace, one on each present node, exceed a ResourceQuota of the package, so some nodes would run no agent. Other pods of the namespace are not counted. Not an error, because the number of nodes changes.',
    mend: 'Raise the ResourceQuota, or move the agents to a separate namespace.',
  },
  FitNotChecked: {
    severity: 'warning',
    meaning:
      'A LimitRange, ResourceQuota or RuntimeClass of the package is malformed, so no pod is checked against it.',
    mend: 'Correct it; the API server would refuse it too.',
  },
})

/** Codes about how much one run may remove or restart. */
const ROLLOUT_CODES = codesAbout('Rollouts', {
  LosesAgent: {
    severity: 'warning',
    meaning:
      'A run stops agents on nodes where no new pod starts. A NoSchedule taint that came later lets the running pod stay, but keeps its successor away: adoption, a move to another DaemonSet or a change of the pod template takes the agent away, as long as the taint stays. A node that is not ready is without its agent until it is ready again; a node between two sync waves of Argo CD, until the later one; a node that no DaemonSet selects any more, for good. The message adds up all nodes whose agents stop, for how long, and why; apart, nodes tainted now whose pod nothing shows: it may have stayed since an earlier render.',
    mend: 'Tolerate the taint in the template or in spec.tolerations of the policy, or remove it from the nodes, and render again.',
  },
  NodesMove: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes where a pod may start move to another DaemonSet: each runs no agent until the new pod has started, regardless of maxUnavailable and maxSurge, because a DaemonSet counts only its own pods. With rollout.waves Argo CD starts the new pod first, where it stops the old one in a later sync wave or deletes it last; the message says for how many nodes.',
    mend: 'Each node runs no agent while its new pod starts. If that is a problem, apply during a maintenance window of these nodes.',
  },
  RolloutWidens: {
    severity: 'warning',
    meaning:
      'A change restarts pods in several DaemonSets at once. maxUnavailable and maxSurge limit each DaemonSet separately, so more pods restart together than one DaemonSet would allow.',
    mend: 'Set rollout.maxNodes with rollout.every, or with rollout.waves if Argo CD applies the output.',
  },
})

const GUARD_CODES = codesAbout('Changes and guards', {
  GuardTripped: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'A run would remove more of the earlier output than its guards allow; an inventory may be truncated or of another cluster.',
    mend: 'Check the inventory. If the change is intended, raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.',
  },
  OutputOfOtherCluster: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'The earlier output was rendered for a different cluster than the nodes in the package belong to: an inventory is in the wrong package.',
    mend: 'Restore the inventory of the earlier cluster; if the cluster was renamed or replaced, allow OutputOfOtherCluster for one run.',
  },
  FluxSubstitutes: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A rendered object contains text that a Flux Kustomization with postBuild substitutes: a name in braces after a dollar sign is replaced by its value, and fails without one. A warning if such a Kustomization is in the input.',
    mend: 'If Flux applies it with postBuild, annotate the template with kustomize.toolkit.fluxcd.io/substitute: disabled, or escape it with two dollar signs: docs/deliver/flux.md#postbuild-substitution.',
  },
  RemovesServingGroup: {
    severity: 'warning',
    meaning:
      'A DaemonSet is removed that still serves nodes, and the cluster’s deletion guard refuses its deletion: pruning fails until the deletion is allowed.',
    mend: 'Apply the other changes first. When the pods that take over are ready, run the command in the message, then prune again.',
  },
  DependentNotGuarded: {
    severity: 'warning',
    meaning:
      'Agents cannot start or work without an object that the cluster’s deletion guard does not protect: a prune of the wrong folder removes it while it refuses to delete the agents.',
    mend: 'Annotate it nodefit.dev/guarded: "true", which deploy/guard then protects (docs/deliver/guard.md).',
  },
  GuardsNotChecked: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning:
      'The input has no earlier output, or the earlier output does not record node counts, so guards are not checked.',
    mend: '',
  },
})

/** Codes about differences between what is rendered and the template that its author wrote. */
export const BESIDE_CODES = codesAbout('Beside the template', {
  BelowTemplate: {
    severity: 'warning',
    meaning:
      'A container gets less than its template sets, or loses a request of the template: it may have less than the agent’s author tested it with.',
    mend: 'Raise the percentage, or set minResources to the template’s amounts (limitCPU and limitMemory for its limits) and maxResources no lower; nodefit init writes such a policy.',
  },
  BelowEarlier: {
    severity: 'warning',
    meaning:
      'Nodes get less than they have: a request or limit of a container falls below that of the earlier output that serves the node, whether its DaemonSet changes or the node moves to another. The message gives amounts and nodes. Compared with the template it may still be more.',
    mend: 'Compare with what the agent uses there before you apply it. To keep what these nodes have, raise the percentage, minResources or an override of their group, or keep their grouping.',
  },
  LimitAdded: {
    severity: 'warning',
    meaning:
      'A container gets a limit that its template does not set: above it, its cpu is throttled or it is OOM-killed.',
    mend: 'Set the percentage to none if the agent should have no limit.',
  },
  LimitRemoved: {
    severity: 'warning',
    meaning: 'A limit of the template is removed: the container may use all free resources of its node.',
    mend: 'Set a percentage if the agent should keep the limit.',
  },
  RequestDefaulted: {
    severity: 'warning',
    meaning:
      'A container has a limit and no request, because the policy removes the request: Kubernetes then sets the request to the limit.',
    mend: 'Set a percentage for the request, or set the limit’s percentage to none too.',
  },
  QosClassChanged: {
    severity: 'warning',
    meaning:
      'The pods’ QoS class differs from the template’s. The class decides which pods a node evicts and OOM-kills first.',
    mend: 'If the class matters, set equal percentages and bounds for requests and limits to get Guaranteed, or requests below limits to get Burstable.',
  },
  HeapAboveLimit: {
    severity: 'warning',
    meaning:
      'A variable or flag of the template sets a heap size above the new memory limit: the container is OOM-killed before its runtime collects garbage.',
    mend: 'Raise limitMemory, or derive the heap size from it: GOMEMLIMIT with goMemLimitPercentage, a flag from an env variable that the template defines before its use.',
  },
  AmountReadBack: {
    severity: 'warning',
    meaning:
      'The template reads its request or limit through resourceFieldRef, and that amount now differs between node groups.',
    mend: 'Check that the agent works with a different amount on each group; if it does, set the severity of this code to off.',
  },
})

/**
 * Codes about how an autoscaler counts the rendered DaemonSets; reported only where a RenderConfig names the
 * autoscaler.
 */
const AUTOSCALER_CODES = codesAbout('Autoscalers', {
  AutoscalerCounts: {
    severity: 'warning',
    meaning:
      'The autoscaler counts other requests for the rendered DaemonSets on a new node than the pods that will run there. Too high, and it creates larger nodes than needed, or none; too low, and the pods that it created the node for do not fit.',
    mend: 'Group by labels that the autoscaler knows before a node exists (docs/daemonset/karpenter.md): instance type, architecture, NodePool, ranges or classes; or a label that each NodePool sets to one value.',
  },
  AutoscalerUnknown: {
    severity: 'warning',
    meaning:
      'The package does not show whether the autoscaler knows a label that groups are selected by, or which labels the types of a NodePool without nodes have, so its count cannot be checked.',
    mend: 'Add the NodePools to the package of the policy.',
  },
  AutoscalerNotNamed: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning:
      'Nodes have labels of an autoscaler that no RenderConfig names, so it is not checked whether the autoscaler counts the rendered DaemonSets on a new node as they run.',
    mend: 'Write the version that runs in the cluster; docs/daemonset/karpenter.md.',
  },
  AutoscalerSlow: {
    severity: 'warning',
    meaning: 'The autoscaler needs a second or more to count this many DaemonSets in each scheduling simulation.',
    mend: 'Render fewer DaemonSets: group by ranges (nodeGroupRanges) or by classes.',
  },
})

const SECRET_CODES = codesAbout('Templates', {
  SecretInOutput: {
    severity: 'warning',
    meaning:
      'A rendered object holds what looks like credentials, copied from its template: a URL with a user, a token in a header, or text under a name such as password or token. In Git everybody with access to the repository reads them. The value is not printed.',
    mend: 'Put the value into a Secret and refer to it: valueFrom: { secretKeyRef: { name: NAME, key: KEY } } for a variable, $(VARIABLE) in an argument, a mounted Secret for a file. If it was committed, replace it where it is valid.',
  },
})

/** Codes about what must hold for everything that was planned. */
export const PROOF_CODES = {
  ...BESIDE_CODES,
  ...FIT_CODES,
  ...COVERAGE_CODES,
  ...AUTOSCALER_CODES,
  ...ROLLOUT_CODES,
  ...GUARD_CODES,
  ...SECRET_CODES,
}

export const finding = findingOf(WORLD_CODES, PROOF_CODES)
