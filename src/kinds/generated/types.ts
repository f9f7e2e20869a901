/** Generated from fn-config/ by npm run generate. Do not edit. */

/** The kinds that have a schema. */
export type Kind = 'SizingPolicy' | 'NodeInventory' | 'RenderConfig' | 'WorkloadSnapshot' | 'Order' | 'NodeAction' | 'ActionPolicy' | 'ActionKeyring' | 'ActionRecord' | 'ActionTrust' | 'PoolPolicy' | 'NodeSmithPool'

type Percentage = number | string | null
type Quantity = string | number

/**
 * How a DaemonSet is sized per node group.
 */
export interface SizingPolicy {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1' | 'nodefit.dev/v1beta1'
  /**
   * The kind of this resource.
   */
  kind: 'SizingPolicy'
  metadata: Metadata
  /**
   * What to size, by which nodes, and how.
   */
  spec: {
    /**
     * Whether to render. If false, rendered objects are removed and the template is applied again.
     */
    enabled?: boolean
    /**
     * The cluster that this policy is for. Required if the package has inventories of several clusters.
     */
    cluster?: string
    /**
     * The template of the rendered objects, in the policy's namespace and package.
     */
    targetRef: {
      /**
       * Its API version; for an Order `core.korder.dev/v1alpha1`.
       */
      apiVersion?: string
      /**
       * A DaemonSet, the ConfigMap of Kubescape's chart, or a korder Order.
       */
      kind?: 'DaemonSet' | 'ConfigMap' | 'Order'
      /**
       * Its name. Rendered objects are named `<target>-<group>`, for a ConfigMap `node-agent-<group>`.
       */
      name: string
      /**
       * Key within the ConfigMap.
       */
      key?: string
    }
    /**
     * The node label whose values form the groups.
     */
    nodeGroupLabel?: string
    /**
     * Several node labels: each combination of their values is a group. Set this or nodeGroupLabel, not both.
     */
    nodeGroupLabels?: string[]
    /**
     * Groups by ranges of an integer label, without a remainder. Not with nodeGroupLabel, nodeGroupLabels or classes.
     */
    nodeGroupRanges?: {
      /**
       * The node label with integer values.
       */
      label: string
      /**
       * The lower bounds, strictly increasing: [8192, 32768] makes three groups.
       */
      bounds: number[]
    }
    /**
     * Groups by node selector, before the label; the first match wins.
     */
    groups?: {
      /**
       * Name part of the group.
       */
      name: string
      /**
       * Labels that the nodes of this group have.
       */
      nodeSelector: {
        [k: string]: string
      }
      resourcePercentages?: Percentages
      minResources?: Bounds
      maxResources?: Bounds
      usage?: Usage
    }[]
    /**
     * Shares of a node's allocatable, above 0 and at most 100, decimals allowed; none removes the value from the template. A policy for a DaemonSet or an Order sets all four; with usage, one that is left out keeps what the template has.
     */
    resourcePercentages?: {
      /**
       * CPU request in percent of allocatable.
       */
      requestCPU?: number | string | null
      /**
       * Memory request in percent of allocatable.
       */
      requestMemory?: number | string | null
      /**
       * CPU limit in percent of allocatable.
       */
      limitCPU?: number | string | null
      /**
       * Memory limit in percent of allocatable.
       */
      limitMemory?: number | string | null
    }
    /**
     * Lower bounds of a pod's requests and limits. Unset: no bound.
     */
    minResources?: {
      /**
       * Minimum CPU request, and limit unless limitCPU is set.
       */
      cpu?: string | number
      /**
       * Minimum memory request, and limit unless limitMemory is set.
       */
      memory?: string | number
      /**
       * Minimum CPU limit. Default: cpu.
       */
      limitCPU?: string | number
      /**
       * Minimum memory limit. Default: memory.
       */
      limitMemory?: string | number
    }
    /**
     * Upper bounds of a pod's requests and limits. Unset: no bound.
     */
    maxResources?: {
      /**
       * Maximum CPU request, and limit unless limitCPU is set.
       */
      cpu?: string | number
      /**
       * Maximum memory request, and limit unless limitMemory is set.
       */
      memory?: string | number
      /**
       * Maximum CPU limit. Default: cpu.
       */
      limitCPU?: string | number
      /**
       * Maximum memory limit. Default: memory.
       */
      limitMemory?: string | number
    }
    /**
     * Sizes from what the containers use, as nodefit sync settles them in a WorkloadSnapshot. Where nothing is known, percentages size; of a policy without percentages, the template.
     */
    usage?: {
      /**
       * Auto makes sizes of usage. "Off" only says what Auto would change; it needs its quotes, since a bare Off is a YAML boolean.
       */
      updateMode?: 'Off' | 'Auto'
      /**
       * The resources that usage sizes. Default: both.
       */
      controlledResources?: ('cpu' | 'memory')[]
      /**
       * With RequestsOnly limits are what percentages give, and no request exceeds them.
       */
      controlledValues?: 'RequestsAndLimits' | 'RequestsOnly'
      /**
       * What requests get beyond what is used, in percent of it.
       */
      marginPercent?: number
    }
    /**
     * The longest time until nodefit sync evaluates the package again, at least ten seconds; a render ignores it.
     */
    reconcileInterval?: string
    /**
     * Name of the group of nodes without the label. Empty: such nodes get no agent and are reported.
     */
    defaultNodeGroup?: string
    /**
     * Whether to render a DaemonSet for label values that are not in the inventory yet.
     */
    remainder?: boolean
    /**
     * The nodes that this policy covers, merged into what is rendered.
     */
    nodeSelector?: {
      [k: string]: string
    }
    /**
     * The nodes that this policy covers: required node affinity, combined with the template's by AND.
     */
    affinity?: {
      nodeAffinity?: {
        requiredDuringSchedulingIgnoredDuringExecution?: {
          nodeSelectorTerms: NodeTerm[]
        }
        preferredDuringSchedulingIgnoredDuringExecution?: {}[]
      }
      podAffinity?: {}
      podAntiAffinity?: {}
    }
    /**
     * Added to the template's tolerations.
     */
    tolerations?: {
      key?: string
      operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
      value?: string
      effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
      tolerationSeconds?: number
    }[]
    /**
     * The sized containers, with shares that add up to 100 %. Default: the only one, or the one with the target's name.
     */
    containers?: {
      /**
       * A container of the template.
       */
      name: string
      /**
       * Percent of the pod's budget.
       */
      share?: number
    }[]
    /**
     * Environment variables computed from the sizes, such as a heap limit.
     */
    env?: {
      /**
       * The sized container. Default: the only one.
       */
      container?: string
      /**
       * Name of the environment variable.
       */
      name: string
      /**
       * The size from which the value is computed.
       */
      from: 'requests.cpu' | 'requests.memory' | 'limits.cpu' | 'limits.memory'
      /**
       * Fraction of the size, above 0 and at most 1.
       */
      fraction?: number
      /**
       * Unit to which the value is rounded down; cores are at least 1. Default: MiB for memory, m for CPU.
       */
      unit?: 'B' | 'KiB' | 'MiB' | 'GiB' | 'Ki' | 'Mi' | 'Gi' | 'm' | 'cores'
      /**
       * Whether the unit follows the number.
       */
      suffix?: boolean
    }[]
    /**
     * Different percentages or bounds for groups, by label value or name part. A later entry wins.
     */
    overrides?: {
      /**
       * The groups that this entry applies to.
       */
      groups: string[]
      resourcePercentages?: Percentages
      minResources?: Bounds
      maxResources?: Bounds
      usage?: Usage
    }[]
    /**
     * Explicit DaemonSet names by label value or name part.
     */
    names?: {
      [k: string]: string
    }
    /**
     * The two labels of rendered objects.
     */
    labels?: {
      /**
       * Label `key=value` of rendered objects.
       */
      managedBy?: string
      /**
       * Key of the label that carries the group; part of the selector.
       */
      nodeGroup?: string
    }
    /**
     * GOMEMLIMIT of the sized containers as a fraction of the memory limit, above 0 and at most 1. Unset: not changed.
     */
    goMemLimitPercentage?: number
    /**
     * The same as goMemLimitPercentage. Set one of the two.
     */
    gomemlimitPercentage?: number
    /**
     * SELinux type of the sized containers. Unset: not changed.
     */
    seLinuxType?: string
    /**
     * Whether groups with Bottlerocket nodes get the SELinux type super_t. Unset: not changed.
     */
    bottlerocketAutoDetect?: boolean
    /**
     * Of Kubescape's operator, without effect: targetRef names the template.
     */
    templatePath?: string
    /**
     * Of Kubescape's operator, without effect: rendered objects have no owner references.
     */
    operatorDeploymentName?: string
    /**
     * How long the group of a label value stays after its last node, a Go duration; 0: not at all. Only where the earlier output is in the input, or the inventory says since when a shape is empty.
     */
    retainGroups?: string | number
    /**
     * Taints that a node has until something on it is ready, and that do not count for membership; * at the end of a key stands for any characters, without an effect both count.
     */
    startupTaints?: {
      key: string
      effect?: 'NoSchedule' | 'NoExecute'
    }[]
    /**
     * Earlier names of this policy. Objects rendered under them are adopted.
     */
    formerNames?: string[]
    /**
     * The amount that percentages refer to: the smallest or the median allocatable of a group's nodes.
     */
    basis?: 'smallest' | 'median'
    /**
     * Requests are rounded up and limits down to a multiple of this, before bounds apply.
     */
    step?: {
      /**
       * A positive number of whole millicores.
       */
      cpu?: string | number
      /**
       * A positive number of whole bytes.
       */
      memory?: string | number
    }
    /**
     * Keep the basis of the rendered sizes while the nodes' amount differs by at most this much. Above 0 requires the earlier output.
     */
    hysteresisPercent?: number
    /**
     * Label values of similar size share one DaemonSet. Requires a single node group label.
     */
    classes?: {
      /**
       * The ratio between neighbouring classes: 2 gives classes around 1, 2, 4, 8 cores and GiB.
       */
      ratio: number
    }
    /**
     * Whether to keep the rendered objects as they are. Requires the earlier output.
     */
    suspend?: boolean
    /**
     * How many agents a change of the template restarts at once: by time, which requires the earlier output, or by Argo CD's sync waves.
     */
    rollout?: {
      /**
       * A number, or a percentage of the policy's nodes, rounded down. A group changes as a whole; one may always change.
       */
      maxNodes: string | number
      /**
       * The interval in which that many nodes may change: a positive Go duration.
       */
      every?: string
      /**
       * Whether groups change in Argo CD's sync waves, each with at most that many nodes.
       */
      waves?: boolean
    }
  }
}
/**
 * Kubernetes object metadata.
 */
interface Metadata {
  /**
   * Name of the policy, which rendered objects record as their owner.
   */
  name: string
  /**
   * Namespace of the target.
   */
  namespace?: string
  /**
   * Labels of the policy.
   */
  labels?: {} | null
  /**
   * Annotations of the policy.
   */
  annotations?: {} | null
}
/**
 * Percentages for these groups. Unset: the policy's.
 */
interface Percentages {
  requestCPU?: Percentage
  requestMemory?: Percentage
  limitCPU?: Percentage
  limitMemory?: Percentage
}
/**
 * Bounds for these groups. Unset: the policy's.
 */
interface Bounds {
  cpu?: Quantity
  memory?: Quantity
  limitCPU?: Quantity
  limitMemory?: Quantity
}
/**
 * How usage sizes these groups. Unset: the policy's.
 */
interface Usage {
  updateMode?: 'Off' | 'Auto'
  controlledResources?: ('cpu' | 'memory')[]
  controlledValues?: 'RequestsAndLimits' | 'RequestsOnly'
  marginPercent?: number
}
interface NodeTerm {
  matchExpressions?: NodeRequirement[] | null
  matchFields?: NodeRequirement[] | null
}
interface NodeRequirement {
  key: string
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  values?: string[] | null
}

/**
 * status.capacity.
 */
type Resources = {
  [k: string]: string | number
} | null
/**
 * status.allocatable.
 */
type Resources1 = {
  [k: string]: string | number
} | null

/**
 * A snapshot of a cluster's nodes. Nodes that are equal in everything a policy can see form one shape.
 */
export interface NodeInventory {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1' | 'nodefit.dev/v1beta1'
  /**
   * The kind of this resource.
   */
  kind: 'NodeInventory'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the inventory.
     */
    name: string
  }
  /**
   * The nodes.
   */
  spec: {
    /**
     * The cluster of the nodes.
     */
    cluster: string
    /**
     * The uid of the Namespace kube-system, which tells clusters of one name apart.
     */
    clusterUid?: string
    /**
     * When the nodes were read, RFC 3339. The newest one is "now".
     */
    observedAt?: string
    /**
     * The exported label keys; * stands for any characters. Others are unknown.
     */
    labelKeys: string[]
    /**
     * The number of nodes in all shapes; another number means that it was truncated.
     */
    nodeCount: number
    /**
     * The shapes of the nodes.
     */
    shapes: {
      /**
       * The exported labels.
       */
      labels?: {
        [k: string]: string
      } | null
      /**
       * As in v1 Node.
       */
      taints?:
        | {
            key: string
            value?: string
            effect: string
          }[]
        | null
      /**
       * Status of the Ready condition; absent: the node has none.
       */
      ready?: string
      /**
       * Whether the nodes are cordoned.
       */
      unschedulable?: boolean
      /**
       * status.nodeInfo.osImage.
       */
      osImage?: string
      capacity?: Resources
      allocatable?: Resources1
      /**
       * Names of the nodes; set this or count. Empty: a declared node type, whose group is rendered before its first node exists.
       */
      nodes?: string[]
      /**
       * The number of nodes, instead of their names. 0: a declared node type.
       */
      count?: number
      /**
       * UIDs by node name, only with --uid.
       */
      uids?: {
        [k: string]: string
      }
      /**
       * When the shape lost its last node, RFC 3339. Written and read by nodefit sync.
       */
      emptySince?: string
    }[]
  }
}

/**
 * Options of a run.
 */
export interface RenderConfig {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1' | 'nodefit.dev/v1beta1'
  /**
   * The kind of this resource.
   */
  kind: 'RenderConfig'
  /**
   * Kubernetes object metadata.
   */
  metadata: {}
  /**
   * The options.
   */
  spec?: {
    /**
     * The cluster that this run is for; an inventory of another cluster is an error.
     */
    cluster?: string
    /**
     * The time of the run, RFC 3339, instead of the newest observedAt.
     */
    now?: string
    /**
     * Allowable error codes that this run accepts.
     */
    allow?: string[]
    /**
     * Severities of warning and info codes.
     */
    severity?: {
      /**
       * The code.
       */
      code: string
      /**
       * Its severity.
       */
      as: 'error' | 'warning' | 'info' | 'off'
      /**
       * Why, for the next reader.
       */
      reason?: string
    }[]
    /**
     * The lowest severity that fails the run.
     */
    failOn?: 'error' | 'warning'
    /**
     * Change nothing, and fail if the package differs from what this run renders. Only in the functionConfig, as of a validator in a Kptfile.
     */
    check?: boolean
    /**
     * What the package must have; in the functionConfig all packages of the run together.
     */
    expect?: {
      /**
       * How many SizingPolicies there are, disabled and suspended ones included.
       */
      policies?: number
      /**
       * The names of all SizingPolicies.
       */
      policyNames?: string[]
      /**
       * How many korder Orders in DaemonSet mode there are.
       */
      orders?: number
    }
    /**
     * How much of the earlier output a run may remove.
     */
    guards?: {
      /**
       * How many groups of a policy one run may remove, as a number or a percentage; any: no limit.
       */
      maxGroupsRemoved?: string | number | null
      /**
       * How many nodes the groups of a policy may lose in one run; any: no limit.
       */
      maxNodesLost?: string | number | null
      /**
       * By how many percent the nodes with a Ticket of an Order may shrink in one run; any: no limit.
       */
      maxShrinkPercent?: number | string | null
      /**
       * Whether the cluster has the deletion guard (deploy/guard). A run that removes a serving DaemonSet then says how to release it, and what is rendered carries nodefit.dev/allow-delete: "false".
       */
      deletion?: boolean
      /**
       * How many pods of a policy one run may restart; any: no limit.
       */
      maxPodsRestarted?: number | string | null
    }
    /**
     * How Orders become Tickets.
     */
    korder?: {
      /**
       * The dialect of korder's API in which Tickets are written. Default: that of the Orders.
       */
      dialect?: 'duration' | 'window'
      /**
       * How a Ticket is bound to its node; nodeName bypasses the scheduler.
       */
      pin?: 'affinity' | 'nodeName'
      /**
       * With uid a node that is created again under its name is a new one.
       */
      nodeIdentity?: 'name' | 'uid'
      /**
       * Keep a Ticket while its node is not ready or has a new NoSchedule taint; a cordon still removes it.
       */
      keep?: boolean
      /**
       * What happens to a claimed Ticket. renew: it is renewed at its end and replaced when its Order changes, while its pod keeps its room. keep: it stays until a WorkloadSnapshot shows that its pod is gone.
       */
      claimed?: 'renew' | 'keep'
      /**
       * Whether Tickets have the label korder.dev/order, by which older versions of korder claim them, and delete them with a live Order of that name. Default: as the earlier Tickets; new ones only if their user marked the Order as local configuration.
       */
      orderLabel?: boolean
      /**
       * How long after its computed end a Ticket that no WorkloadSnapshot shows is renewed. A Go duration, at least the time from a render to its application. Default: never.
       */
      renewAfter?: string
      /**
       * How many Tickets of an Order, or of a policy for one, a render replaces. Requires the earlier output. Renewal starts before the end, as early as it takes. Nodes without a Ticket get theirs at once. Default: all at once, at their end.
       */
      rollout?: {
        /**
         * A number, or a percentage of the nodes with a Ticket, rounded down; one may always change.
         */
        maxNodes: string | number
        /**
         * The interval in which that many nodes may change: a positive Go duration, at least the time between two renders.
         */
        every: string
      }
    }
    /**
     * Holes that HoleOnPurpose does not report. Every other is, also a later one of the same policy.
     */
    holes?: {
      /**
       * The SizingPolicy that leaves the nodes out; any of the target for nodes that none selects.
       */
      policy: string
      /**
       * A selector as kubectl get nodes -l takes it, with < and > for integers; or a map of labels, null for an absent one.
       */
      labels:
        | string
        | {
            [k: string]: string | null
          }
      /**
       * Keys of labels whose value must not be an integer, which no selector can say.
       */
      notInteger?: string[]
      /**
       * Why, for the next reader.
       */
      reason?: string
    }[]
    /**
     * The node autoscaler: a run warns where it counts the rendered DaemonSets on a new node otherwise than they run.
     */
    autoscaler?: {
      /**
       * The autoscaler.
       */
      kind: 'karpenter'
      /**
       * Its version, in quotes. Default: 1.14.
       */
      version?: string
    }
  }
}

/**
 * Requests of all its pods, and their number.
 */
type Amounts = {
  [k: string]: string | number
} | null
/**
 * The part of used that DaemonSet pods request. Absent: the sum of daemonSets.
 */
type Amounts1 = {
  [k: string]: string | number
} | null
/**
 * The requests of one of its pods. The same DaemonSet may be listed again with other requests.
 */
type Amounts2 = {
  [k: string]: string | number
} | null
/**
 * What one of them requests, as the scheduler sums it.
 */
type Amounts3 = {
  [k: string]: string | number
} | null
/**
 * The smallest allocatable amounts of the group's nodes, pods among them: what groups of which nothing is settled are compared with.
 */
type Amounts4 = {
  [k: string]: string | number
} | null
/**
 * Its requests.
 */
type Amounts5 = {
  [k: string]: string | number
} | null
/**
 * Its limits.
 */
type Amounts6 = {
  [k: string]: string | number
} | null
/**
 * What the nodes have.
 */
type Amounts7 = {
  [k: string]: string | number
} | null
/**
 * What of it pods may request.
 */
type Amounts8 = {
  [k: string]: string | number
} | null
/**
 * What the measured nodes use, rounded up to a scale with steps of 5 %.
 */
type Amounts9 = {
  [k: string]: string | number
} | null

/**
 * The state of a cluster that is not in Git, as far as policies need it. Written by a machine, so unknown fields are only warnings.
 */
export interface WorkloadSnapshot {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1' | 'nodefit.dev/v1beta1'
  /**
   * The kind of this resource.
   */
  kind: 'WorkloadSnapshot'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the snapshot.
     */
    name: string
  }
  /**
   * What was collected.
   */
  spec: {
    /**
     * The cluster of the snapshot.
     */
    cluster: string
    /**
     * The uid of the cluster's Namespace kube-system, as in the NodeInventory.
     */
    clusterUid?: string
    /**
     * When it was read, RFC 3339.
     */
    observedAt?: string
    /**
     * Whether the metrics API answered the last request; absent if none was made. If it did not, usage is from before, or absent.
     */
    metricsAvailable?: boolean
    /**
     * The number of entries of each part, of pending the number of pods. A different number means that the snapshot was truncated.
     */
    collected?: {
      /**
       * Number of entries in nodes.
       */
      nodes?: number
      /**
       * Number of entries in namespaces.
       */
      namespaces?: number
      /**
       * Number of pods in pending.
       */
      pending?: number
      /**
       * Number of claims in claims.
       */
      claims?: number
      /**
       * Number of entries in pools.
       */
      pools?: number
      /**
       * Number of entries in machines.
       */
      machines?: number
      /**
       * Number of entries in tickets.
       */
      tickets?: number
      /**
       * Number of entries in usage.
       */
      usage?: number
      /**
       * Number of entries in events.
       */
      events?: number
      /**
       * Number of entries in workloads.
       */
      workloads?: number
      /**
       * Number of entries in components.
       */
      components?: number
    }
    /**
     * The requests of the pods on each node, as the scheduler sums them, and what pools need of a node beside its inventory.
     */
    nodes?: {
      /**
       * Its name.
       */
      name: string
      /**
       * Its UID.
       */
      uid?: string
      /**
       * The NodeSmithClaim of its machine, where that has another name than the node.
       */
      claim?: string
      /**
       * Its Cluster API Machine.
       */
      machine?: string
      /**
       * Since when it is Ready, RFC 3339; absent of one that is not.
       */
      readySince?: string
      /**
       * The first snapshot, RFC 3339, in which no pod blocked its removal; absent while one does.
       */
      idleSince?: string
      /**
       * How many pods block its removal: all that have not ended, without those of DaemonSets and static pods. Absent: unknown.
       */
      blocking?: number
      /**
       * True while it is being deleted, else absent.
       */
      deleting?: boolean
      /**
       * Its annotations of nodefit, and those that keep a node from removal.
       */
      annotations?: {
        [k: string]: string
      }
      used?: Amounts
      daemons?: Amounts1
    }[]
    /**
     * The requests of each DaemonSet's pods, by node. An agent's old pods are gone before its new ones start, so they are not counted against them.
     */
    daemonSets?: {
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its name.
       */
      name: string
      requests: Amounts2
      /**
       * The nodes with such a pod, one name for each pod.
       */
      nodes?: string[]
      /**
       * Instead of nodes, where fewer are listed by it: each node of the snapshot has one such pod, except these.
       */
      nodesExcept?: string[]
    }[]
    /**
     * How many pods each namespace has without those of DaemonSets, which a ResourceQuota on pods counts beside them. Absent: unknown.
     */
    namespaces?: {
      /**
       * Its name.
       */
      name: string
      /**
       * Its pods that are on a node and have not ended, without those of DaemonSets.
       */
      pods: number
    }[]
    /**
     * The pods that have no node, without those of DaemonSets and static pods. Equal pods are one entry. Absent: unknown; an empty list: there are none.
     */
    pending?: {
      /**
       * What these pods have in common.
       */
      like: {
        requests?: Amounts3
        /**
         * Their node selector.
         */
        nodeSelector?: {
          [k: string]: string
        }
        /**
         * Their required node affinity, as in a pod.
         */
        affinity?: {}
        /**
         * Their tolerations.
         */
        tolerations?: {}[]
        /**
         * Their priority. Absent: 0.
         */
        priority?: number
        /**
         * Their PriorityClass.
         */
        priorityClassName?: string
        /**
         * Their scheduler; absent for default-scheduler.
         */
        schedulerName?: string
        /**
         * The kind of the object that controls them.
         */
        controller?: string
        /**
         * The scheduling gates that hold them.
         */
        gates?: string[]
        /**
         * What limits where they run and is not planned with: volumes (persistent ones), spread (required topology spread), podAffinity (required pod affinity or anti-affinity), hostPorts, resourceClaims; and, planned with, what begins with onePerNode: a host port, or a selector of a required anti-affinity by host name that its own labels match.
         */
        limits?: string[]
      }
      /**
       * The pods.
       */
      pods: {
        /**
         * Its namespace.
         */
        namespace?: string
        /**
         * Its name.
         */
        name: string
        /**
         * Its UID.
         */
        uid?: string
        /**
         * When the scheduler first refused it, or it was created, RFC 3339.
         */
        since?: string
        /**
         * Why it has no node: Unschedulable or SchedulingGated; absent if the scheduler has not looked at it.
         */
        reason?: string
        /**
         * The node that the scheduler makes room on for it.
         */
        nominated?: string
        /**
         * True while it is being deleted, else absent.
         */
        deleting?: boolean
      }[]
    }[]
    /**
     * The NodeSmithClaims in the cluster; what equal ones have in common stands once. Absent: unknown; an empty list: there are none.
     */
    claims?: {
      /**
       * Its name, which is also that of its machine.
       */
      name?: string
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its pool, in the same namespace.
       */
      poolRef?: string
      /**
       * The requirements on its machine.
       */
      requirements?: {
        /**
         * Cores of the machine.
         */
        cpuCores?: number
        /**
         * Memory of the machine in MiB.
         */
        memoryMiB?: number
      }
      /**
       * True while it is being deleted, else absent.
       */
      deleting?: boolean
      /**
       * Its condition Ready; absent if there is none, or if it is Unknown.
       */
      ready?: boolean
      /**
       * Its condition Failed; absent if there is none, or if it is Unknown.
       */
      failed?: boolean
      /**
       * What it was rendered for, its nodefit.dev/owner.
       */
      owner?: string
      /**
       * Its terminationGracePeriod.
       */
      terminationGracePeriod?: string
      /**
       * The node of its machine, where that has another name than the claim.
       */
      nodeName?: string
      /**
       * When it was created, RFC 3339.
       */
      createdAt?: string
      /**
       * Its nodefit.dev/opened-at.
       */
      openedAt?: string
      /**
       * Its idempotencyKey.
       */
      idempotencyKey?: string
      /**
       * The claims that the fields of the entry hold for; absent where it is of one claim, which has its name beside them.
       */
      claims?: {
        /**
         * Its name, which is also that of its machine.
         */
        name: string
        /**
         * The node of its machine, where that has another name than the claim.
         */
        nodeName?: string
        /**
         * When it was created, RFC 3339.
         */
        createdAt?: string
        /**
         * Its nodefit.dev/opened-at.
         */
        openedAt?: string
        /**
         * Its idempotencyKey.
         */
        idempotencyKey?: string
      }[]
    }[]
    /**
     * The NodeSmithPools in the cluster. Absent: unknown; an empty list: there are none.
     */
    pools?: {
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its name.
       */
      name: string
      /**
       * Its guardrails in the cluster. 0: unbounded.
       */
      limits?: {
        /**
         * Least number of nodes.
         */
        minNodes?: number
        /**
         * Largest number of nodes.
         */
        maxNodes?: number
        /**
         * Most cores of all nodes.
         */
        cpuCores?: number
        /**
         * Most memory of all nodes in MiB.
         */
        memoryMiB?: number
      }
      /**
       * When its controller last added or removed a machine, RFC 3339.
       */
      lastScaleActivity?: string
      /**
       * The number of its next claim, as its controller counts.
       */
      nextClaimSequence?: number
      /**
       * True while it is being deleted, else absent.
       */
      deleting?: boolean
    }[]
    /**
     * The Machines and MachineDeployments of Cluster API. Absent: unknown; an empty list: there are none.
     */
    machines?: {
      /**
       * Its kind; absent for a Machine.
       */
      kind?: string
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its name.
       */
      name: string
      /**
       * The MachineDeployment of a Machine.
       */
      owner?: string
      /**
       * How many machines a MachineDeployment asks for.
       */
      replicas?: number
      /**
       * The node of a Machine.
       */
      nodeName?: string
      /**
       * When it was created, RFC 3339.
       */
      createdAt?: string
      /**
       * True for a Machine whose phase is Failed, else absent.
       */
      failed?: boolean
      /**
       * True while it is being deleted, else absent.
       */
      deleting?: boolean
      /**
       * True for a Machine that is marked to be removed first (cluster.x-k8s.io/delete-machine), else absent.
       */
      marked?: boolean
    }[]
    /**
     * The Tickets in the cluster. Absent: unknown; an empty list: there are none.
     */
    tickets?: {
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its name.
       */
      name: string
      /**
       * The Order that it was created from or rendered for; absent if it was written by hand.
       */
      order?: string
      /**
       * The node of its reservation.
       */
      node?: string
      /**
       * Pending, Ready (Reserved in older korder), Claimed or Expired. An Expired one is renewed.
       */
      phase?: string
      /**
       * When a pod claimed it, RFC 3339.
       */
      claimedAt?: string
      /**
       * When it expires, RFC 3339. From then on it counts as Expired, whatever its phase.
       */
      expiresAt?: string
      /**
       * When korder first handled it, or it was created, RFC 3339; of a Ticket whose guardian pod does not run yet.
       */
      since?: string
      /**
       * Why its guardian pod does not run, in korder’s words. Activated: the pod exists and does not run.
       */
      reason?: string
      /**
       * The pod that claimed it, namespace and name.
       */
      pod?: string
      /**
       * Whether that pod has ended or is deleted; absent: unknown.
       */
      podGone?: boolean
    }[]
    /**
     * What the containers of rendered agents use, and the sizes that are settled from it, one row for each policy, container and node group. Absent: not collected; an empty list: collected, and nothing is known.
     */
    usage?: {
      /**
       * Namespace and name of the SizingPolicy.
       */
      policy: string
      /**
       * The container.
       */
      container: string
      /**
       * The node group, as in nodefit.dev/group of its DaemonSet.
       */
      group: string
      node?: Amounts4
      /**
       * Since when the group has no DaemonSet, RFC 3339; absent while it has one. Other groups take sizes from its row meanwhile.
       */
      emptySince?: string
      /**
       * How many of the last fourteen days count.
       */
      days?: number
      /**
       * The newest day that counts, in UTC.
       */
      newest?: string
      /**
       * The most pods that counted within an hour.
       */
      pods?: number
      /**
       * What the days say. Amounts are rounded up to a scale with steps of 5 %, from 10m and 10Mi. Absent: no day counts yet.
       */
      seen?: {
        /**
         * What nine in ten pods used at most, in the third-busiest hour of the second-busiest day; of fewer than five days, of the busiest.
         */
        cpu?: string | number
        /**
         * The same of memory.
         */
        memory?: string | number
        /**
         * The largest memory of any pod.
         */
        peak?: string | number
        /**
         * Its day in UTC.
         */
        peakAt?: string
      }
      /**
       * Containers that the kernel killed for want of memory in the last fourteen days. Absent: none was seen.
       */
      kills?: {
        /**
         * How often.
         */
        count: number
        /**
         * How many pods had such a container.
         */
        pods: number
        /**
         * The limit of memory of the last one; absent where it had none.
         */
        limit?: string | number
        /**
         * When the last one was, RFC 3339.
         */
        last: string
      }
      /**
       * Set where memory stays near its limit all week without a kill, as page cache and some heaps do: a larger limit would be filled too, so memory is not settled.
       */
      follows?: {
        /**
         * The median of its memory in that week.
         */
        median: string | number
        /**
         * The limit in force.
         */
        limit: string | number
      }
      /**
       * What nine in ten pods use of memory at most, by their age, where old pods use half as much again as young ones. Absent: they do not, or that is not known.
       */
      ages?: {
        /**
         * Of pods in their first day.
         */
        firstDay: string | number
        /**
         * Of pods that are seven days old or more.
         */
        weekOld: string | number
      }
      /**
       * The sizes that usage has come to. Requests and limits are made of these alone. Absent: too few days, and no kill that had to be answered.
       */
      settled?: {
        /**
         * What the request of CPU is made of.
         */
        cpu?: string | number
        /**
         * What the request of memory is made of; absent where memory follows its limit.
         */
        memory?: string | number
        /**
         * The limit of CPU that usage asks for; absent where the present one suffices.
         */
        limitCPU?: string | number
        /**
         * The limit of memory that usage asks for; absent where the present one suffices.
         */
        limitMemory?: string | number
        /**
         * When: the regular time, the import, or the kill that raised a limit before anything was settled. RFC 3339.
         */
        at: string
        /**
         * What settled it: the regular time, kills before any regular time, or nodefit inventory.
         */
        why: 'Regular' | 'OOMKilled' | 'Imported'
        /**
         * What an import was made of: one answer of the metrics API, answers over some minutes, one read of the kubelet's counters, or days. Absent: not known.
         */
        evidence?: 'Sample' | 'Watch' | 'Counters' | 'Days'
        /**
         * When kills raised the limit of memory in the last fourteen days, RFC 3339; after three times it is not raised.
         */
        raisedAt?: string[]
      }
    }[]
    /**
     * Warning Events about rendered DaemonSets and their pods, Tickets, Orders, nodes that ran out of memory, and other pods, which are counted by namespace. One entry for each object and reason; at most the latest 100, the first of these kinds first.
     */
    events?: {
      /**
       * The UID of the object, if known.
       */
      uid?: string
      /**
       * The reason of the Event.
       */
      reason: string
      /**
       * Kind, namespace and name of the object. Events of a pod count for its DaemonSet or Ticket, those of other pods for `Pod/NAMESPACE/*`.
       */
      object: string
      /**
       * How often it happened, as far as the cluster still records it.
       */
      count?: number
      /**
       * When it happened last, RFC 3339, to the minute.
       */
      lastSeen?: string
    }[]
    /**
     * The DaemonSets that policies name as their target, and those that are rendered. Absent: unknown.
     */
    workloads?: {
      /**
       * Kind, namespace and name.
       */
      object: string
      /**
       * Namespace and name of the SizingPolicy that names or renders it.
       */
      policy: string
      /**
       * The node group that it is rendered for; absent of a target.
       */
      group?: string
      /**
       * Nodes that should run a pod of it.
       */
      desired?: number
      /**
       * Nodes that run a pod of its newest template.
       */
      updated?: number
      /**
       * Nodes whose pod is ready.
       */
      ready?: number
      /**
       * Restarts of the containers of its present pods.
       */
      restarts?: number
      /**
       * Containers that wait, by reason.
       */
      waiting?: {
        [k: string]: number
      }
      /**
       * Containers that were terminated before they ran as now, by reason.
       */
      terminated?: {
        [k: string]: number
      }
      /**
       * The containers of its template.
       */
      containers?: {
        /**
         * Its name.
         */
        name: string
        requests?: Amounts5
        limits?: Amounts6
        /**
         * What it uses, as in usage.
         */
        seen?: {
          /**
           * What nine in ten pods used at most, in the third-busiest hour of the second-busiest day; of fewer than five days, of the busiest.
           */
          cpu?: string | number
          /**
           * The same of memory.
           */
          memory?: string | number
          /**
           * The largest memory of any pod.
           */
          peak?: string | number
          /**
           * Its day in UTC.
           */
          peakAt?: string
        }
      }[]
    }[]
    /**
     * Sums over all nodes.
     */
    capacity?: {
      /**
       * How many nodes there are.
       */
      nodes?: number
      /**
       * How many of them are Ready.
       */
      ready?: number
      /**
       * How many of them are cordoned.
       */
      unschedulable?: number
      capacity?: Amounts7
      allocatable?: Amounts8
      /**
       * How many nodes the metrics API has measured; absent where it does not work.
       */
      measured?: number
      usage?: Amounts9
    }
    /**
     * The parts of nodefit sync, and whether each works, as in the metric `nodefit_component_up`.
     */
    components?: {
      /**
       * Its name.
       */
      name: string
      /**
       * Whether it works.
       */
      healthy: boolean
      /**
       * How often it failed and was restarted since the start of the process.
       */
      restarts?: number
    }[]
    /**
     * The pods that actions name, as they are.
     */
    targets?: {
      /**
       * The kind.
       */
      kind: string
      /**
       * The namespace.
       */
      namespace?: string
      /**
       * The name.
       */
      name: string
      /**
       * The uid.
       */
      uid?: string
      /**
       * The node that it is on.
       */
      node?: string
      /**
       * The kind of the object that controls it.
       */
      controller?: string
      /**
       * Whether it is a mirror of a static pod.
       */
      mirror?: boolean
    }[]
    /**
     * What became of signed actions, remembered for as long as they or earlier ones may be valid.
     */
    outcomes?: {
      /**
       * The id of the action.
       */
      action: string
      /**
       * The first ten hex digits of the SHA-256 of what was signed.
       */
      digest: string
      /**
       * The sequence of the action.
       */
      sequence?: number
      /**
       * The fields that it decides.
       */
      fields?: string[]
      /**
       * What became of it.
       */
      state: 'Waiting' | 'Applied' | 'Running' | 'Blocked' | 'Succeeded' | 'Failed' | 'Ended' | 'Refused'
      /**
       * Whether the cluster still has something of it in another state than Applied: its mark on a node, or a taint that is being taken away.
       */
      held?: boolean
      /**
       * The whole signed action, as JSON, for as long as the cluster may have something of it: what it began is ended only by what verifies.
       */
      proof?: string
      /**
       * More about the state, for people.
       */
      message?: string
      /**
       * The pods that keep it from going on, and why.
       */
      blocking?: {
        /**
         * Namespace and name of the pod.
         */
        pod?: string
        /**
         * What keeps the pod.
         */
        by?: string
      }[]
      /**
       * When the state was first seen, RFC 3339.
       */
      observedAt?: string
      /**
       * Until when it is remembered, RFC 3339: no action that it keeps away can be valid then.
       */
      keepUntil?: string
    }[]
  }
}

/**
 * A korder Order in DaemonSet mode, in either dialect of its API, or a DaemonOrder.
 */
export interface Order {
  /**
   * The version of this resource.
   */
  apiVersion: 'core.korder.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'Order' | 'DaemonOrder'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the Order; Tickets begin with it.
     */
    name: string
  }
  /**
   * Not read.
   */
  status?: {} | null
  /**
   * What is reserved, where and for how long.
   */
  spec: {
    /**
     * One Ticket on each eligible node. An Order without it passes through untouched.
     */
    daemonSet?: boolean
    /**
     * Keep the rendered Tickets, whatever happens to the nodes.
     */
    paused?: boolean
    /**
     * Of a plain Order; not read in DaemonSet mode.
     */
    replicas?: number
    /**
     * Not read.
     */
    minReadySeconds?: number
    /**
     * Not read.
     */
    selector?: {} | null
    /**
     * When Tickets are renewed; the `duration` dialect.
     */
    strategy?: {
      /**
       * Once, within a window after each fire time, or again at each fire time.
       */
      type: 'OneTime' | 'Scheduled' | 'Recurring'
      /**
       * Cron expression of five fields, as CronJobs read it; not with OneTime.
       */
      schedule?: string
      /**
       * Which Tickets a Recurring Order renews at a fire time: all, the claimed ones, or none.
       */
      refreshPolicy?: 'Always' | 'OnClaim' | 'Never'
    }
    /**
     * As strategy.refreshPolicy; the `window` dialect.
     */
    refreshPolicy?: 'Always' | 'OnClaim' | 'Never'
    /**
     * The template of the Tickets.
     */
    template: {
      /**
       * Labels and annotations of the Tickets; anything else is refused.
       */
      metadata?: {
        /**
         * Labels of the Tickets.
         */
        labels?: {
          [k: string]: string
        } | null
        /**
         * Annotations of the Tickets.
         */
        annotations?: {
          [k: string]: string
        } | null
        /**
         * Not read.
         */
        creationTimestamp?: null
      } | null
      /**
       * The reservation on each node.
       */
      spec: {
        /**
         * What happens to an expired Ticket.
         */
        lifecycle?: {
          /**
           * Delete or Retain an expired Ticket.
           */
          cleanupPolicy?: 'Delete' | 'Retain'
          /**
           * Seconds before korder deletes an expired Ticket; only with Delete. Current versions of korder delete only at 0.
           */
          ttlSecondsAfterFinished?: number
        }
        /**
         * How long a Ticket keeps its reservation; the `duration` dialect.
         */
        duration?: string
        /**
         * RFC 3339; the `duration` dialect. korder does not read it.
         */
        startTime?: string
        /**
         * Time of the reservation; the `window` dialect.
         */
        window?: {
          /**
           * RFC 3339. korder does not read it.
           */
          startTime?: string
          /**
           * IANA name; the schedule is read in it.
           */
          timeZone?: string
          /**
           * How long a Ticket keeps its reservation.
           */
          duration?: string
        }
        /**
         * Scheduler of the guardian pod.
         */
        schedulerName?: string
        /**
         * Priority class of the guardian pod; one below the workload's lets the workload preempt it.
         */
        priorityClassName?: string
        /**
         * Only this node is eligible.
         */
        nodeName?: string
        /**
         * What is reserved on each node.
         */
        resources?: {
          /**
           * Amounts by resource.
           */
          requests?: {
            [k: string]: string | number
          }
          /**
           * Amounts by resource, none below its request.
           */
          limits?: {
            [k: string]: string | number
          }
          /**
           * Refused: a guardian pod has no resource claims to refer to.
           */
          claims?: unknown[]
        }
        /**
         * Labels that eligible nodes have.
         */
        nodeSelector?: {
          [k: string]: string
        } | null
        /**
         * Required node affinity filters the nodes; the rest is copied.
         */
        affinity?: {
          nodeAffinity?: {
            requiredDuringSchedulingIgnoredDuringExecution?: {
              nodeSelectorTerms: NodeTerm[]
            }
            preferredDuringSchedulingIgnoredDuringExecution?: {}[]
          }
          podAffinity?: {}
          podAntiAffinity?: {}
        }
        /**
         * The taints that eligible nodes may have.
         */
        tolerations?:
          | {
              key?: string
              operator?: string
              value?: string
              effect?: string
              tolerationSeconds?: number
            }[]
          | null
        /**
         * Copied to the Tickets.
         */
        topologySpreadConstraints?: {}[]
      }
    }
  }
}
interface NodeTerm {
  matchExpressions?: NodeRequirement[] | null
  matchFields?: NodeRequirement[] | null
}
interface NodeRequirement {
  key: string
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  values?: string[] | null
}

/**
 * One action on a node, pod or Deployment, signed. The signature covers spec, alg and keyId; metadata is not signed.
 */
export interface NodeAction {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'NodeAction'
  /**
   * Kubernetes object metadata.
   */
  metadata: {}
  /**
   * What is signed.
   */
  spec: {
    /**
     * Identifies the action in one cluster for ever.
     */
    id: string
    /**
     * The cluster that it is for.
     */
    cluster: string
    /**
     * The uid of the Namespace kube-system of that cluster: another cluster of its name refuses the action.
     */
    clusterUid?: string
    /**
     * What is done.
     */
    type:
      | 'cordonNode'
      | 'uncordonNode'
      | 'labelNode'
      | 'taintNode'
      | 'untaintNode'
      | 'drainNode'
      | 'evictPod'
      | 'scaleDeployment'
      | 'setImage'
      | 'labelDeployment'
    /**
     * What it is done to.
     */
    target: {
      /**
       * The kind of the target, as its type needs.
       */
      kind: 'Node' | 'Pod' | 'Deployment'
      /**
       * The namespace of a Pod or Deployment.
       */
      namespace?: string
      /**
       * The name of the target.
       */
      name: string
      /**
       * The uid of the target; another object of the same name is left alone. Required of a Pod.
       */
      uid?: string
    }
    /**
     * What the type needs beside its target.
     */
    parameters?: {}
    /**
     * Of the actions on one field of a target the one with the highest number applies.
     */
    sequence: number
    /**
     * When it was signed, RFC 3339.
     */
    issuedAt: string
    /**
     * Before this time it renders nothing, RFC 3339.
     */
    notBefore?: string
    /**
     * From this time on it renders nothing, RFC 3339.
     */
    expiresAt: string
    /**
     * Why, for people; written on what is rendered.
     */
    reason?: string
    /**
     * Who asked for it, for people; written on what is rendered.
     */
    requester?: string
  }
  /**
   * Who signed it. A list where several sign: each signs the spec alone, as nodefit sign --add does, and all must verify.
   */
  signature?:
    | {
        /**
         * HMAC-SHA256 or Ed25519.
         */
        alg?: string
        /**
         * The key that it is signed with.
         */
        keyId?: string
        /**
         * The signature in base64url without padding.
         */
        value?: string
      }
    | {
        /**
         * HMAC-SHA256 or Ed25519.
         */
        alg?: string
        /**
         * The key that it is signed with.
         */
        keyId?: string
        /**
         * The signature in base64url without padding.
         */
        value?: string
      }[]
}

/**
 * Which signed actions are rendered, and how. One for each package.
 */
export interface ActionPolicy {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'ActionPolicy'
  /**
   * Kubernetes object metadata.
   */
  metadata: {}
  /**
   * The limits of actions.
   */
  spec: {
    /**
     * The types of actions that are rendered; an action of another type is an error.
     */
    types: (
      | 'cordonNode'
      | 'uncordonNode'
      | 'labelNode'
      | 'taintNode'
      | 'untaintNode'
      | 'drainNode'
      | 'evictPod'
      | 'scaleDeployment'
      | 'setImage'
      | 'labelDeployment'
    )[]
    /**
     * Whether an action without a verified signature is an error; `false` renders it with a warning.
     */
    requireSignature?: boolean
    /**
     * `true` verifies and reports actions, and renders none.
     */
    suspend?: boolean
    /**
     * The longest time from issuedAt to expiresAt.
     */
    maxLifetime?: string
    /**
     * The most replicas that scaleDeployment may ask for.
     */
    maxReplicas?: number
    /**
     * How many nodes are drained at once.
     */
    maxConcurrent?: number
    /**
     * Whether nodes of the control plane may be drained, cordoned and tainted.
     */
    allowControlPlane?: boolean
    /**
     * Protected label keys that labelNode may set or remove: of Kubernetes, a cloud, an autoscaler, a node pool, and the roles of the control plane.
     */
    allowLabels?: string[]
    /**
     * Whether replicas of a Deployment that the package does not have are rendered as a partial document.
     */
    partialDeployments?: boolean
    /**
     * How nodes are drained.
     */
    drain?: {
      /**
       * `Job` runs kubectl drain.
       */
      as?: 'Job' | 'NodeMaintenance'
      /**
       * What keeps new pods off a node that is drained: `cordon`, or `taint`, which outlives an uncordon by people.
       */
      hold?: 'cordon' | 'taint'
    }
    /**
     * The Jobs of acts.
     */
    job?: {
      /**
       * Where they run; its ServiceAccounts are those of deploy/actions.
       */
      namespace?: string
      /**
       * An image that starts kubectl, by digest: it is given arguments alone.
       */
      image?: string
      /**
       * The image of nodefit, by digest, which evicts pods with a uid precondition.
       */
      evictImage?: string
    }
  }
}

/**
 * The keys that verify actions. In the package only Ed25519 keys; a file given with --keyring replaces it.
 */
export interface ActionKeyring {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'ActionKeyring'
  /**
   * Kubernetes object metadata.
   */
  metadata?: {}
  /**
   * The keys.
   */
  keys: {
    /**
     * The name by which signatures refer to it.
     */
    keyId: string
    /**
     * HMAC-SHA256, whose key can also sign, or Ed25519.
     */
    alg: 'HMAC-SHA256' | 'Ed25519'
    /**
     * The public key of Ed25519: 32 bytes in base64url.
     */
    public?: string
    /**
     * The file with the secret of HMAC-SHA256, at least 32 bytes in base64, beside the keyring.
     */
    secretFile?: string
    /**
     * The secret itself, in base64: only where the keyring is given in the environment.
     */
    secret?: string
    /**
     * Actions issued before this time are refused, RFC 3339.
     */
    notBefore?: string
    /**
     * Actions issued after this time are refused, RFC 3339.
     */
    notAfter?: string
    /**
     * The types of actions that it may sign; all by default.
     */
    types?: (
      | 'cordonNode'
      | 'uncordonNode'
      | 'labelNode'
      | 'taintNode'
      | 'untaintNode'
      | 'drainNode'
      | 'evictPod'
      | 'scaleDeployment'
      | 'setImage'
      | 'labelDeployment'
    )[]
  }[]
}

/**
 * What must never come back, whatever is reverted. Written by nodefit beside the ActionPolicy; never applied.
 */
export interface ActionRecord {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'ActionRecord'
  /**
   * Kubernetes object metadata.
   */
  metadata: {}
  /**
   * What was rendered.
   */
  spec: {
    /**
     * For each field of a target the highest sequence that applied.
     */
    sequences?: {
      [k: string]: number
    }
    /**
     * Actions that are done once, with their digests: edits that were made, and acts that succeeded.
     */
    done?: {
      [k: string]: string
    }
    /**
     * When spentUntil was found to be later than the clock, RFC 3339: acts that are issued after it are begun.
     */
    setBackAt?: string
    /**
     * Acts that expire before this time are never begun, RFC 3339: an earlier run took a later time for the present, and has forgotten which of them were done.
     */
    spentUntil?: string
    /**
     * Until when each sequence and each action that is done is remembered, RFC 3339: none that it keeps away can be valid then.
     */
    keepUntil?: {
      [k: string]: string
    }
    /**
     * Everything that expired before this time stays expired, RFC 3339; an earlier time of a run is refused.
     */
    expiredUntil?: string
  }
}

/**
 * Whom the operator trusts to act on nodes, and how far. A file outside the package, given with --trust, in a SyncConfig, or as /etc/nodefit/trust.yaml; the ActionPolicy of the package may only narrow it.
 */
export interface ActionTrust {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'ActionTrust'
  /**
   * Kubernetes object metadata.
   */
  metadata?: {}
  /**
   * What is trusted.
   */
  spec: {
    /**
     * The cluster whose actions are trusted; the nodes of the package must be of it.
     */
    cluster: string
    /**
     * The uid of its Namespace kube-system. With it each action must carry the same.
     */
    clusterUid?: string
    /**
     * The keys whose signatures count, as in an ActionKeyring. A keyring of the package counts for nothing beside them.
     */
    keys: {
      /**
       * The name by which signatures refer to it.
       */
      keyId: string
      /**
       * HMAC-SHA256, whose key can also sign, or Ed25519.
       */
      alg: 'HMAC-SHA256' | 'Ed25519'
      /**
       * The public key of Ed25519: 32 bytes in base64url.
       */
      public?: string
      /**
       * The file with the secret of HMAC-SHA256, at least 32 bytes in base64, beside the keyring.
       */
      secretFile?: string
      /**
       * The secret itself, in base64: only where the keyring is given in the environment.
       */
      secret?: string
      /**
       * Actions issued before this time are refused, RFC 3339.
       */
      notBefore?: string
      /**
       * Actions issued after this time are refused, RFC 3339.
       */
      notAfter?: string
      /**
       * The types of actions that it may sign; all by default.
       */
      types?: (
        | 'cordonNode'
        | 'uncordonNode'
        | 'labelNode'
        | 'taintNode'
        | 'untaintNode'
        | 'drainNode'
        | 'evictPod'
        | 'scaleDeployment'
        | 'setImage'
        | 'labelDeployment'
      )[]
    }[]
    /**
     * The ids of keys with which nothing begins any more.
     */
    retired?: string[]
    /**
     * The types of actions that may be rendered; all by default. The ActionPolicy of the package may allow fewer.
     */
    types?: (
      | 'cordonNode'
      | 'uncordonNode'
      | 'labelNode'
      | 'taintNode'
      | 'untaintNode'
      | 'drainNode'
      | 'evictPod'
      | 'scaleDeployment'
      | 'setImage'
      | 'labelDeployment'
    )[]
    /**
     * Whether an action without a verified signature is an error.
     */
    requireSignature?: boolean
    /**
     * How many keys must sign an action of a type: its signature is then a list of as many, by different keys. One by default.
     */
    signatures?: {
      /**
       * How many keys must sign an action of this type.
       */
      cordonNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      uncordonNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      labelNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      taintNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      untaintNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      drainNode?: number
      /**
       * How many keys must sign an action of this type.
       */
      evictPod?: number
      /**
       * How many keys must sign an action of this type.
       */
      scaleDeployment?: number
      /**
       * How many keys must sign an action of this type.
       */
      setImage?: number
      /**
       * How many keys must sign an action of this type.
       */
      labelDeployment?: number
    }
    /**
     * The longest time from issuedAt to expiresAt that the package may allow.
     */
    maxLifetime?: string
    /**
     * The most replicas that the package may allow.
     */
    maxReplicas?: number
    /**
     * How many nodes the package may allow to be drained at once.
     */
    maxConcurrent?: number
    /**
     * Whether the package may allow actions on nodes of the control plane.
     */
    allowControlPlane?: boolean
    /**
     * The protected label keys that the package may allow.
     */
    allowLabels?: string[]
    /**
     * Labels that a node must have to be acted on, by its inventory; of a pod its node.
     */
    nodeSelector?: {
      [k: string]: string
    }
    /**
     * How far the clock of a signer may be ahead of that of the host and of the snapshot.
     */
    maxClockSkew?: string
    /**
     * The images that Jobs may run, by digest. Without any no Job is rendered.
     */
    images?: string[]
    /**
     * The Jobs of acts.
     */
    job?: {
      /**
       * Where Jobs run; the package may not name another one.
       */
      namespace?: string
    }
    /**
     * Whether the package may have PoolPolicies, which need no signature.
     */
    pools?: boolean
  }
}

/**
 * What a NodeSmithPool does not say of its machines.
 */
export interface PoolPolicy {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1' | 'nodefit.dev/v1beta1'
  /**
   * The kind of this resource.
   */
  kind: 'PoolPolicy'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the policy, which its claims record as their owner.
     */
    name: string
    /**
     * Its namespace: that of the pool, its claims and its provider.
     */
    namespace?: string
  }
  /**
   * The machines of the pool, and when they come and go.
   */
  spec: {
    /**
     * The NodeSmithPool, in the namespace of the policy.
     */
    poolRef: string
    /**
     * Whether to plan. If false, the claims stay and go back to their user, and marks on nodes are withdrawn.
     */
    enabled?: boolean
    /**
     * The cluster of the pool. Required if the package has inventories of several clusters.
     */
    cluster?: string
    /**
     * Limits instead of those of the pool, where the pool in the cluster is frozen.
     */
    limits?: {
      /**
       * As many machines there are at least.
       */
      minNodes: number
      /**
       * As many machines there are at most; 0: any number.
       */
      maxNodes: number
      /**
       * The cores of all machines together; 0: any number.
       */
      cpuCores: number
      /**
       * The memory of all machines together in MiB, with what the provider adds to each; 0: any amount.
       */
      memoryMiB: number
    }
    /**
     * The sizes that a machine may have, in the order in which they are tried.
     *
     * Items: A size.
     */
    machines: {
      /**
       * Its cores.
       */
      cpuCores: number
      /**
       * Its memory in MiB.
       */
      memoryMiB: number
      /**
       * The most pods of its kubelet.
       */
      pods?: number
      /**
       * What else it can allocate.
       */
      resources?: {
        [k: string]: string | number
      }
    }[]
    /**
     * Which size a machine gets. first: the first that the pod fits and the limits allow. any: the provider decides; pods are packed into the smallest, and the largest is charged.
     */
    choice?: 'first' | 'any'
    /**
     * Fixed: a pod that fits no size is reported. Elastic: the first size is enlarged to the pod.
     */
    sizing?: 'Fixed' | 'Elastic'
    /**
     * The value of kubernetes.io/arch on its nodes.
     */
    architecture?: string
    /**
     * The taints of its nodes.
     */
    taints?: {
      key: string
      value?: string
      effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
    }[]
    /**
     * Taints that a node has only while it joins, so they do not count.
     */
    startupTaints?: {
      key: string
      value?: string
      effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
    }[]
    /**
     * What a machine reserves for its system, and is not allocatable.
     */
    reserved?: {
      /**
       * CPU.
       */
      cpu?: string | number
      /**
       * Memory.
       */
      memory?: string | number
    }
    /**
     * What the DaemonSets request that are not in the package.
     */
    overhead?: {
      /**
       * CPU.
       */
      cpu?: string | number
      /**
       * Memory.
       */
      memory?: string | number
      /**
       * Their pods.
       */
      pods?: number
    }
    /**
     * A pool of a higher priority is tried first.
     */
    priority?: number
    /**
     * Whether only pods count that select a label of the pool.
     */
    requireTargeting?: boolean
    /**
     * How machines come.
     */
    scaleUp?: {
      /**
       * The most machines in flight; 0: any number.
       */
      batchSize?: number
    }
    /**
     * How machines go.
     */
    scaleDown?: {
      /**
       * The most machines that leave at once; 0 is 1.
       */
      maxConcurrent?: number
      /**
       * A cordoned node that still has pods after this time is opened again.
       */
      drainTimeout?: string
    }
    /**
     * When Karpenter replaces a node of a NodePool that has run so long, or Never. Without it, its definition has 720h.
     */
    expireAfter?: string
    /**
     * How long to wait for what.
     */
    times?: {
      /**
       * How long a new node may take until the pods run that it is for.
       */
      settle?: string
      /**
       * From this age of a pod on, the scheduler is right that it has no room on an older node.
       */
      trust?: string
      /**
       * How long a machine may take to join. Later it has no room for pods, and still counts.
       */
      provision?: string
    }
    /**
     * Room that is kept free, as for pods that are not there yet.
     */
    headroom?: {
      /**
       * CPU of such a pod.
       */
      cpu?: string | number
      /**
       * Memory of such a pod.
       */
      memory?: string | number
      /**
       * How many such pods.
       */
      pods: number
    }
    /**
     * What is rendered for machines.
     */
    output?: {
      /**
       * A claim or an object for each machine, the replicas of a MachineDeployment in the package, or a NodePool of Karpenter.
       */
      kind?: 'NodeSmithClaim' | 'MachineDeployment' | 'NodePool' | 'Template'
      /**
       * Names of machines begin with it, default the name of the pool.
       */
      namePrefix?: string
      /**
       * The MachineDeployment or NodePool, default the name of the pool.
       */
      name?: string
      /**
       * The namespace of the MachineDeployment, default that of the policy.
       */
      namespace?: string
      /**
       * Whether Karpenter decides how many nodes there are, or replicas does.
       */
      mode?: 'dynamic' | 'static'
      /**
       * The nodeClassRef of a NodePool.
       */
      nodeClassRef?: {
        group: string
        kind: string
        name: string
      }
      /**
       * Requirements of a NodePool beside architecture and system.
       */
      requirements?: {}[]
      /**
       * The object for a machine. In its values $(name), $(pool), $(cpuCores) and $(memoryMiB) are replaced.
       */
      template?: {}
      /**
       * When Karpenter deletes the pods that a node of a NodePool still has, past their budgets and do-not-disrupt: its terminationGracePeriod. Without, or with none, it waits for them.
       */
      forceDrainAfter?: string
    }
  }
}

/**
 * A pool of KubeNodeSmith.
 */
export interface NodeSmithPool {
  /**
   * The version of this resource.
   */
  apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'NodeSmithPool'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the pool.
     */
    name: string
    /**
     * Its namespace: that of the pool, its claims and its provider.
     */
    namespace?: string
  }
  /**
   * Ignored.
   */
  status?: {}
  /**
   * The pool.
   */
  spec: {
    /**
     * The NodeSmithProvider that makes its machines, in the namespace of the pool.
     */
    providerRef: string
    /**
     * The label of its nodes whose value is the name of the pool.
     */
    poolLabelKey?: string
    /**
     * The limits of the pool.
     */
    limits: {
      /**
       * As many machines there are at least.
       */
      minNodes: number
      /**
       * As many machines there are at most; 0: any number.
       */
      maxNodes: number
      /**
       * The cores of all machines together; 0: any number.
       */
      cpuCores: number
      /**
       * The memory of all machines together in MiB, with what the provider adds to each; 0: any amount.
       */
      memoryMiB: number
    }
    /**
     * What its machines have.
     */
    machineTemplate: {
      /**
       * Labels of its nodes.
       */
      labels?: {
        [k: string]: string
      }
    }
    /**
     * When machines come.
     */
    scaleUp?: {
      /**
       * How long a pod is pending before it opens a machine.
       */
      stabilizationWindow?: string
    }
    /**
     * When machines go. Absent: none does.
     */
    scaleDown?: {
      /**
       * How long a node is idle before it leaves; 10m if absent.
       */
      stabilizationWindow?: string
    }
  }
}
