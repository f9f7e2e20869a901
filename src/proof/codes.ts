import { codesAbout, findingOf } from '../finding/index.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes about nodes that would get no agent, or two. */
const COVERAGE_CODES = codesAbout('Coverage and doubles', {
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size the same target on the same node, or their remainders would on one that may come; it would get two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
  Uncovered: {
    severity: 'error',
    allowable: true,
    meaning:
      'A node could be there on which a pod of the template may run, and no rendered DaemonSet would serve it: it would be without its agent.',
    mend: 'Please report it with the package: what is rendered should leave no hole that the policy does not ask for.',
  },
  CoveredTwice: {
    severity: 'error',
    allowable: true,
    meaning:
      'A node could be there that two rendered DaemonSets of one policy would both serve: it would have two agents.',
    mend: 'Please report it with the package: the groups of a policy should never meet.',
  },
  RunsElsewhere: {
    severity: 'error',
    allowable: true,
    meaning: 'A rendered DaemonSet would run on a node where template and policy allow no pod.',
    mend: 'Please report it with the package.',
  },
  CoverageNotProved: {
    severity: 'error',
    allowable: true,
    meaning:
      'The affinities of template and policy make so many kinds of nodes that it could not be proved that each is served once.',
    mend: 'Use fewer terms and labels in the required affinity, or allow CoverageNotProved.',
  },
  HoleOnPurpose: {
    severity: 'warning',
    meaning:
      'The template may run on nodes that no enabled policy serves, since a policy says so: such a node has no agent, today or when it comes.',
    mend: 'Widen the policy, add one for these nodes, or set the severity of this code to off if it is meant.',
  },
  AgentTwice: {
    severity: 'warning',
    meaning:
      'A DaemonSet runs the same images on the same nodes as what is rendered, or as a target that is handed back: such a node has two agents.',
    mend: 'Remove it from the package, but last: apply the groups first, wait until their pods are ready, then delete it; with host ports delete it first, and accept a gap (docs/adoption.md). If it is there only to be read, annotate it config.kubernetes.io/local-config: "true".',
  },
  SelectorsMeet: {
    severity: 'error',
    allowable: true,
    meaning:
      'The selectors of two DaemonSets of a namespace select the pods of both. Kubernetes asks for selectors that do not meet: what counts, scales or adopts by them takes one for the other.',
    mend: 'Give each template pod labels and a selector of its own, such as app.kubernetes.io/name, and of policies that render from one template each a spec.labels.nodeGroup of its own.',
  },
  OutputUnreadable: {
    severity: 'error',
    allowable: true,
    meaning:
      'An object that nodefit rendered was edited so that nobody can tell on which nodes its pods run; it may be on those of the policy that is rendered now.',
    mend: 'Undo the edit, or remove the object: the run that rendered it makes it anew.',
  },
})

/** Codes about pods that Kubernetes would refuse, or leave pending. */
const FIT_CODES = codesAbout('Fit', {
  DoesNotFit: {
    severity: 'error',
    allowable: true,
    meaning:
      'The pods of a rendered DaemonSet request more than a node has, so they would stay pending whatever their priority. It is an error where they fit on none of the DaemonSet’s nodes and the template’s own pod would fit; a warning on some of them, where the template’s would not fit either, or where only the room beside the agents of other policies, or beside the pods that a WorkloadSnapshot shows, is too small.',
    mend: 'Lower what the policy gives these groups (resourcePercentages, maxResources, overrides, or hysteresisPercent where they keep the size of larger nodes), what another policy gives its agents there, or what the other containers of the template request.',
  },
  ResourcesRefused: {
    severity: 'error',
    allowable: true,
    meaning:
      'The API server would refuse the pods of a rendered DaemonSet for their resources: hugepages without cpu or memory, hugepages or a device whose request is not its limit, a request above its limit, an overhead that is not its RuntimeClass’s.',
    mend: 'Correct the container in the template, or give it the cpu or memory that it needs in the policy.',
  },
  LimitRangeRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A LimitRange of the package would refuse the pods of a rendered DaemonSet: what is missing in them is filled in as the API server does it, and then a minimum, maximum or ratio does not hold. Kubernetes says it only as FailedCreate events of the DaemonSet.',
    mend: 'Change the sizes in the policy (minResources, maxResources), or the LimitRange.',
  },
  LimitRangeAmbiguous: {
    severity: 'warning',
    meaning:
      'Several LimitRanges of a namespace fill in the same missing request or limit with different amounts, and which of them Kubernetes asks first is not defined. Every order is held against nodes and limits.',
    mend: 'Keep one LimitRange with defaults, or set the request or limit in the template.',
  },
  ResourceQuotaRefuses: {
    severity: 'error',
    allowable: true,
    meaning:
      'A ResourceQuota of the package would let in no pod of a rendered DaemonSet: it limits cpu or memory and a container sets none, or one pod alone takes more than the whole quota.',
    mend: 'Set the request or limit that is missing (resourcePercentages), or change the ResourceQuota.',
  },
  ResourceQuotaExceeded: {
    severity: 'warning',
    meaning:
      'The pods of all rendered DaemonSets of a namespace, one on each of today’s nodes, take more than a ResourceQuota of the package allows, so some nodes would get none. What else the namespace runs is not counted. It is no error, since nodes come and go.',
    mend: 'Raise the ResourceQuota, or give the agents a namespace of their own.',
  },
  FitNotChecked: {
    severity: 'warning',
    meaning: 'A LimitRange, ResourceQuota or RuntimeClass of the package is malformed, so no pod was held against it.',
    mend: 'Correct it; the API server would refuse it as well.',
  },
})

/** Codes about how much a run may take away. */
const ROLLOUT_CODES = codesAbout('Rollouts', {
  NodesMove: {
    severity: 'info',
    meaning:
      'Nodes get another DaemonSet: each is without its agent until the new pod has started, whatever maxUnavailable and maxSurge say, since each DaemonSet counts its own pods alone.',
    mend: 'Each node is without the agent while its new pod starts. Where that does harm, apply when little happens on these nodes.',
  },
  RolloutWidens: {
    severity: 'warning',
    meaning:
      'A change restarts pods in several DaemonSets, and each replaces as many at once as one would: maxUnavailable and maxSurge hold for one DaemonSet.',
    mend: 'Set rollout.maxNodes with every, or with waves where Argo CD applies.',
  },
})

const GUARD_CODES = codesAbout('Changes and guards', {
  GuardTripped: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'A run would take away more of what was rendered before than its guards allow; an inventory may be cut or of another cluster.',
    mend: 'Check the inventory; raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.',
  },
  OutputOfOtherCluster: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'What was rendered before was rendered for the nodes of another cluster than those that are in the package now: an inventory was put into the wrong package.',
    mend: 'Put the inventory of its own cluster back; allow OutputOfOtherCluster for one run where the cluster was renamed or replaced.',
  },
  FluxSubstitutes: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A rendered object holds text that a Flux Kustomization with postBuild replaces: a name in braces behind a dollar becomes its value, or fails without one. A warning where such a Kustomization is in the input.',
    mend: 'Where Flux applies it with postBuild, annotate the template with kustomize.toolkit.fluxcd.io/substitute: disabled, or write two dollars there: docs/flux.md.',
  },
  RemovesServingGroup: {
    severity: 'warning',
    meaning:
      'A DaemonSet goes that still serves nodes, and the cluster has the deletion guard, which refuses that: whatever prunes it fails until it is let go.',
    mend: 'Apply the rest first; once the pods that take over are ready, run the command that is named, and prune again.',
  },
  GuardsNotChecked: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning:
      'The host does not give what was rendered before, or that does not say how many nodes there were, so guards could not be held against it.',
    mend: '',
  },
})

/** Codes about what stands beside the template: what an agent gets otherwise than its author wrote. */
export const BESIDE_CODES = codesAbout('Beside the template', {
  BelowTemplate: {
    severity: 'warning',
    meaning:
      'A container gets less than its template gives it, or a request of the template is gone: what the author of the agent measured no longer holds.',
    mend: 'Raise the percentage, or set minResources to what the template has (limitCPU and limitMemory for its limits), with maxResources no lower; nodefit init writes a policy that starts there.',
  },
  LimitAdded: {
    severity: 'warning',
    meaning:
      'A container gets a limit that its template does not have: above it its cpu is throttled, or it is killed for want of memory.',
    mend: 'Set the percentage to null where the agent is meant to have no limit.',
  },
  LimitRemoved: {
    severity: 'warning',
    meaning: 'A limit that the template has is gone: the container may take all that its node has left.',
    mend: 'Set a percentage where the agent is meant to have the limit.',
  },
  RequestDefaulted: {
    severity: 'warning',
    meaning:
      'A container has a limit and no request, since the policy takes the request away: Kubernetes then requests as much as the limit.',
    mend: 'Set a percentage for the request, or set that of the limit to null, too.',
  },
  QosClassChanged: {
    severity: 'warning',
    meaning:
      'The pods have another quality of service class than those of the template, which decides whom a node evicts and kills first.',
    mend: 'Where the class matters: equal percentages and bounds for requests and limits make Guaranteed, requests below limits Burstable.',
  },
  HeapAboveLimit: {
    severity: 'warning',
    meaning:
      'A variable or flag of the template says how much memory a runtime may take, and that is more than the new limit: it is killed before it collects.',
    mend: 'Raise limitMemory, or derive it: GOMEMLIMIT with goMemLimitPercentage, a flag from a variable in env that the template already sets before it is used.',
  },
  AmountReadBack: {
    severity: 'warning',
    meaning:
      'The template reads a request or limit of its own back with resourceFieldRef, and that amount differs from node group to node group now.',
    mend: 'Check that the agent may be told another amount on each; set the severity of this code to off if it may.',
  },
})

/** Codes about what an autoscaler makes of the rendered DaemonSets; said only where a RenderConfig names it. */
const AUTOSCALER_CODES = codesAbout('Autoscalers', {
  AutoscalerCounts: {
    severity: 'warning',
    meaning:
      'On a new node the autoscaler counts other requests for the rendered DaemonSets than will run there: counted too high it makes larger nodes than it needs, or none; counted too low, pods that it made the node for do not fit.',
    mend: 'Group by what the autoscaler knows of a node before it is there (docs/karpenter.md): instance type, architecture, NodePool, ranges or classes; or a label that each NodePool gives with one value.',
  },
  AutoscalerUnknown: {
    severity: 'warning',
    meaning:
      'The package does not show what the autoscaler knows of a label by which groups go, so nobody can say what it counts.',
    mend: 'Put the NodePools into the package, beside the policy.',
  },
  AutoscalerSlow: {
    severity: 'warning',
    meaning:
      'So many DaemonSets are rendered that counting them takes the autoscaler a second or more, each time it simulates a scheduling.',
    mend: 'Render fewer: group by ranges (nodeGroupRanges) or by classes.',
  },
})

/** Codes about what must hold of everything that was planned. */
export const PROOF_CODES = {
  ...BESIDE_CODES,
  ...FIT_CODES,
  ...COVERAGE_CODES,
  ...AUTOSCALER_CODES,
  ...ROLLOUT_CODES,
  ...GUARD_CODES,
}

export const finding = findingOf(WORLD_CODES, PROOF_CODES)
