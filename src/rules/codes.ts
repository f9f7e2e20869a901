import { WORLD_CODES } from '../core/codes.ts'
import { codesAbout, findingOf } from '../krm/finding.ts'

/** Codes about nodes that would get no agent, or two of them. */
const COVERAGE_CODES = codesAbout('Coverage and doubles', {
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size one target on the same node, or their remainders would on a node added later: two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
  Uncovered: {
    severity: 'error',
    allowable: true,
    meaning: 'A pod of the template may run on a possible node that no rendered DaemonSet selects.',
    mend: 'Report it as a bug, with the package.',
  },
  CoveredTwice: {
    severity: 'error',
    allowable: true,
    meaning: 'Two rendered DaemonSets of a policy select one possible node: two agents.',
    mend: 'Report it as a bug, with the package.',
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
      'Nodes where the template may run get no agent, because a policy excludes them, renders nothing or is disabled. One for each kind of node.',
    mend: 'Widen the policy or add one for these nodes. If they need no agent, add its entry to spec.holes of a RenderConfig.',
    acceptedBy:
      'Remove this entry: each HoleOnPurpose then gives the entry of spec.holes that accepts the nodes it is about, and no others.',
    roles: ['shown'],
  },
  HoleUnused: {
    severity: 'warning',
    meaning:
      'An entry of spec.holes of the RenderConfig accepts no hole: the policy serves or does not select these nodes, or is not in the package.',
    mend: 'Correct policy and labels, or remove the entry.',
  },
  AgentTwice: {
    severity: 'warning',
    meaning:
      'A DaemonSet, or a target that is applied again, runs the same images on the same nodes as a rendered one: two agents a node.',
    mend: 'Apply the groups, wait until their pods are ready, then remove it from the package; an agent with host ports must be deleted first, which leaves a gap (docs/daemonset/moving-over.md#delete-first). If it is never applied, annotate it config.kubernetes.io/local-config: "true".',
  },
  SizedElsewhere: {
    severity: 'warning',
    meaning:
      'A VerticalPodAutoscaler, not Off, targets the template or a rendered DaemonSet: it changes requests that nodefit renders, and restarts pods for it.',
    mend: 'Set its updatePolicy.updateMode to "Off", or remove it; its recommendations can be imported by nodefit inventory --usage.',
  },
  SelectorsMeet: {
    severity: 'error',
    allowable: true,
    meaning: 'Two DaemonSets in a namespace select each other’s pods, which confuses their controllers.',
    mend: 'Give each template a distinct pod label and selector, such as app.kubernetes.io/name; policies of one template distinct spec.labels.nodeGroup keys.',
  },
  OutputUnreadable: {
    severity: 'error',
    allowable: true,
    meaning:
      'A rendered object’s node selector or affinity was edited and is malformed: it may run on nodes of the present policy.',
    mend: 'Undo the edit, or remove the object and render its policy again.',
  },
})

/** Codes about pods that Kubernetes would refuse, or leave pending. */
const FIT_CODES = codesAbout('Fit', {
  DoesNotFit: {
    severity: 'error',
    allowable: true,
    meaning:
      'A rendered pod requests more than a node’s allocatable: pending at any priority. A warning if it fits on some nodes, if the template’s would not fit either, or if only what other pods leave is too small.',
    mend: 'Lower the sizes of these groups (resourcePercentages, maxResources, overrides; hysteresisPercent if they keep the size of larger nodes), those of another policy’s agents there, or the requests of the template’s other containers.',
  },
  ResourcesRefused: {
    severity: 'error',
    allowable: true,
    meaning:
      'The API server would refuse the pods: hugepages without cpu or memory, a device or hugepages whose request differs from its limit, a request above its limit, an overhead that differs from its RuntimeClass.',
    mend: 'Correct the container in the template, or set the cpu or memory it needs in the policy.',
  },
  LimitRangeRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'After defaulting, rendered pods violate a minimum, maximum or ratio of a LimitRange of the package, which Kubernetes shows only as FailedCreate events.',
    mend: 'Change the sizes in the policy (minResources, maxResources), or the LimitRange.',
  },
  LimitRangeAmbiguous: {
    severity: 'warning',
    meaning:
      'LimitRanges of a namespace give a missing request or limit different defaults; Kubernetes applies them in no defined order. Every order is checked.',
    mend: 'Keep one LimitRange with defaults, or set the request or limit in the template.',
  },
  ResourceQuotaRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A ResourceQuota of the package admits no pod of a rendered DaemonSet: it limits cpu or memory that a container does not set, or one pod exceeds it.',
    mend: 'Set the missing request or limit (resourcePercentages), or change the ResourceQuota.',
  },
  ResourceQuotaExceeded: {
    severity: 'warning',
    meaning:
      'The pods of all rendered DaemonSets of a namespace, one on each present node, exceed a ResourceQuota, or the DaemonSets themselves do, or the revisions that the controller keeps of them: some nodes would run no agent, or no roll-out ends. Other pods are not counted.',
    mend: 'Raise the ResourceQuota, or move the agents to a separate namespace.',
  },
  FitNotChecked: {
    severity: 'warning',
    meaning: 'No pod is checked against a malformed LimitRange, ResourceQuota or RuntimeClass.',
    mend: 'Correct it; the API server would refuse it too.',
  },
})

/** Codes about how much one run may remove or restart. */
const ROLLOUT_CODES = codesAbout('Rollouts', {
  LosesAgent: {
    severity: 'warning',
    meaning:
      'A run stops agents where no new pod starts: on nodes with a taint that keeps it away, not ready, between two sync waves, or that no DaemonSet selects any more. Nodes whose pod nothing shows are apart: docs/daemonset/rollouts.md#nodes-that-lose-their-agent.',
    mend: 'Tolerate the taint in the template or in spec.tolerations, or remove it from the nodes, and render again.',
  },
  NodesMove: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Nodes move to another DaemonSet: each runs no agent until its new pod has started, whatever maxUnavailable and maxSurge say. With rollout.waves Argo CD may start the new pod first; the message says for how many.',
    mend: 'Each node runs no agent while its new pod starts. If that is a problem, apply during a maintenance window of these nodes.',
  },
  SurgeCannotStart: {
    severity: 'warning',
    allowable: true,
    meaning:
      'By maxSurge a new pod starts beside the old one, and both need the same port of the node or repel each other: the new pod stays Pending, the old one stays, and no roll-out ends. An error where this run brings it about.',
    mend: 'Set maxSurge: 0 and maxUnavailable: 1 in spec.updateStrategy.rollingUpdate of the template, or remove the host port or the anti-affinity.',
  },
  RolloutWidens: {
    severity: 'warning',
    meaning: 'A change restarts pods in several DaemonSets at once; maxUnavailable and maxSurge limit each by itself.',
    mend: 'Set rollout.maxNodes with rollout.every, or with rollout.waves if Argo CD applies the output.',
  },
})

const GUARD_CODES = codesAbout('Changes and guards', {
  GuardTripped: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'A run would remove more of the earlier output than its guards allow: an inventory may be truncated or of another cluster.',
    mend: 'Check the inventory. If the change is intended, raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.',
  },
  OutputOfOtherCluster: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'The earlier output was rendered for another cluster than the nodes’, by name or by uid: an inventory is in the wrong package, or a cluster was replaced.',
    mend: 'Restore the inventory of the earlier cluster; if the cluster was renamed or replaced, allow OutputOfOtherCluster for one run (docs/deliver/replace-cluster.md).',
  },
  FluxSubstitutes: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A rendered object contains a name in braces after a dollar sign, which a Flux Kustomization with postBuild replaces, and fails without a value. A warning if such a Kustomization is in the input.',
    mend: 'If Flux applies it with postBuild, annotate the template with kustomize.toolkit.fluxcd.io/substitute: disabled, or escape it with two dollar signs: docs/deliver/flux.md#postbuild-substitution.',
  },
  RemovesServingGroup: {
    severity: 'warning',
    meaning:
      'The cluster’s deletion guard refuses to remove a DaemonSet that still serves nodes: pruning fails until the deletion is allowed.',
    mend: 'Apply the other changes first. When the pods that take over are ready, run the command in the message, then prune again.',
  },
  DependentNotGuarded: {
    severity: 'warning',
    meaning: 'The deletion guard does not protect an object that agents need: a prune of the wrong folder removes it.',
    mend: 'Annotate it nodefit.dev/guarded: "true", which deploy/guard then protects (docs/deliver/guard.md).',
  },
  GuardsNotChecked: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning: 'The input has no earlier output, or it records no node counts.',
    mend: '',
  },
})

/** Codes about differences between what is rendered and the template that its author wrote. */
export const BESIDE_CODES = codesAbout('Beside the template', {
  BelowTemplate: {
    severity: 'warning',
    meaning:
      'A container gets less than its template sets, or loses its request: maybe less than its author tested. Requests that usage makes are left out.',
    mend: 'Raise the percentage, or set minResources to the template’s amounts (limitCPU and limitMemory for its limits) and maxResources no lower, as nodefit init does.',
  },
  BelowEarlier: {
    severity: 'warning',
    meaning:
      'Nodes get a lower request or limit than in the earlier output that serves them, in the same DaemonSet or another. It may still be more than the template’s.',
    mend: 'Compare with what the agent uses there. To keep what these nodes have, raise the percentage, minResources or an override of their group, or keep their grouping.',
  },
  LimitAdded: {
    severity: 'warning',
    meaning:
      'A container gets a limit that its template does not set: above it, it is throttled (cpu) or OOM-killed (memory).',
    mend: 'Set the percentage to none if the agent should have no limit.',
  },
  LimitRemoved: {
    severity: 'warning',
    meaning: 'A limit of the template is removed: the container may use all that is free on its node.',
    mend: 'Set a percentage if the agent should keep the limit.',
  },
  RequestDefaulted: {
    severity: 'warning',
    meaning: 'The policy removes a request but keeps the limit, to which Kubernetes then sets the request.',
    mend: 'Set a percentage for the request, or set the limit’s percentage to none too.',
  },
  QosClassChanged: {
    severity: 'warning',
    meaning: 'The pods’ QoS class, by which a node evicts and OOM-kills, differs from the template’s.',
    mend: 'For Guaranteed set equal percentages and bounds for requests and limits, for Burstable requests below limits.',
  },
  HeapAboveLimit: {
    severity: 'warning',
    meaning:
      'A variable or flag sets a heap above the new memory limit: the container is OOM-killed before it collects garbage.',
    mend: 'Raise limitMemory, or derive the heap size from it: GOMEMLIMIT with goMemLimitPercentage, a flag from an env variable that the template defines before its use.',
  },
  AmountReadBack: {
    severity: 'warning',
    meaning: 'The template reads its request or limit through resourceFieldRef: it now differs between groups.',
    mend: 'If the agent works with different amounts, set this code to off.',
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
      'The autoscaler counts other requests of the rendered DaemonSets on a new node than will run there. Too high: it creates larger nodes than needed, or none; too low: pods do not fit.',
    mend: 'Group by labels that the autoscaler knows before a node exists (docs/daemonset/karpenter.md): instance type, architecture, NodePool, ranges or classes; or a label that each NodePool sets to one value.',
  },
  AutoscalerUnknown: {
    severity: 'warning',
    meaning:
      'The package does not show whether the autoscaler knows a label that selects groups: its count is not checked.',
    mend: 'Add the NodePools to the package of the policy.',
  },
  AutoscalerNotNamed: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning:
      'No RenderConfig names the autoscaler whose labels nodes have: how it counts the rendered DaemonSets is not checked.',
    mend: 'Write the version that runs in the cluster; docs/daemonset/karpenter.md.',
  },
  AutoscalerSlow: {
    severity: 'warning',
    meaning: 'The autoscaler needs a second or more to count so many DaemonSets in a simulation.',
    mend: 'Render fewer DaemonSets: group by ranges (nodeGroupRanges) or by classes.',
  },
})

const SECRET_CODES = codesAbout('Templates', {
  SecretInOutput: {
    severity: 'warning',
    meaning:
      'A rendered object or a ConfigMap of the package holds what looks like credentials: a URL with a user, a token, text under a name such as password. Whoever reads the repository reads them. The value is not printed.',
    mend: 'Refer to a Secret: valueFrom: { secretKeyRef: { name: NAME, key: KEY } } for a variable, $(VARIABLE) in an argument, a mounted Secret for a file. Replace a value that was committed.',
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
