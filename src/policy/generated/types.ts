/** Generated from fn-config/ by npm run generate. Do not edit. */

/** The kinds that have a schema. */
export type Kind = 'SizingPolicy' | 'NodeInventory' | 'RenderConfig' | 'WorkloadSnapshot' | 'Order'

type Percentage = number | null
type Quantity = string | number

/**
 * How a DaemonSet is sized per node group.
 */
export interface SizingPolicy {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
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
     * Whether to render. When false, what was rendered is removed and the template is handed back.
     */
    enabled?: boolean
    /**
     * The cluster this policy is for. Needed where the scope holds inventories of several clusters.
     */
    cluster?: string
    /**
     * The object that is the template of what is rendered, in the policy's namespace and package.
     */
    targetRef: {
      /**
       * API version of the target. Default: that of the kind, `apps/v1`, `v1` or `core.korder.dev/v1alpha1`.
       */
      apiVersion?: string
      /**
       * Kind of the target: a DaemonSet, the ConfigMap in which Kubescape's chart keeps its template, or a korder Order.
       */
      kind?: 'DaemonSet' | 'ConfigMap' | 'Order'
      /**
       * Name of the target; what is rendered is called `<target>-<group>`, for a ConfigMap `node-agent-<group>`.
       */
      name: string
      /**
       * Key within the ConfigMap.
       */
      key?: string
    }
    /**
     * The node label whose values make the groups.
     */
    nodeGroupLabel?: string
    /**
     * Several node labels: each combination of their values is a group. Instead of nodeGroupLabel; only one of the two may be given.
     */
    nodeGroupLabels?: string[]
    /**
     * Groups by ranges of a label whose values are integers, instead of nodeGroupLabel. They cover every integer, so there is no remainder; nodes without the label are the default group. Not beside nodeGroupLabel, nodeGroupLabels or classes.
     */
    nodeGroupRanges?: {
      /**
       * The node label whose integers are told apart.
       */
      label: string
      /**
       * Where a new range begins, strictly increasing. [8192, 32768] are three groups: below 8192, 8192 to 32767, and 32768 or more.
       */
      bounds: number[]
    }
    /**
     * Groups chosen by selector before the label is looked at. The first match wins; every later group excludes the earlier ones.
     */
    groups?: {
      /**
       * Name part of the group.
       */
      name: string
      /**
       * Labels a node of this group carries.
       */
      nodeSelector: {
        [k: string]: string
      }
      resourcePercentages?: Percentages
      minResources?: Bounds
      maxResources?: Bounds
    }[]
    /**
     * Shares of a node's allocatable resources, above 0 and at most 100, decimals allowed. null: not set, and removed from the template.
     */
    resourcePercentages?: {
      /**
       * CPU request in percent of allocatable.
       */
      requestCPU?: number | null
      /**
       * Memory request in percent of allocatable.
       */
      requestMemory?: number | null
      /**
       * CPU limit in percent of allocatable.
       */
      limitCPU?: number | null
      /**
       * Memory limit in percent of allocatable.
       */
      limitMemory?: number | null
    }
    /**
     * No request and no limit of a pod is below this; shares divide it. limitCPU and limitMemory are for limits alone.
     */
    minResources?: {
      /**
       * Least CPU request, and least limit where no other is given.
       */
      cpu?: string | number
      /**
       * Least memory request, and least limit where no other is given.
       */
      memory?: string | number
      /**
       * Least CPU limit, apart from that of requests. Default: cpu.
       */
      limitCPU?: string | number
      /**
       * Least memory limit, apart from that of requests. Default: memory.
       */
      limitMemory?: string | number
    }
    /**
     * No request and no limit of a pod is above this; shares divide it. limitCPU and limitMemory are for limits alone. A limit is never below its request, though.
     */
    maxResources?: {
      /**
       * Greatest CPU request, and greatest limit where no other is given.
       */
      cpu?: string | number
      /**
       * Greatest memory request, and greatest limit where no other is given.
       */
      memory?: string | number
      /**
       * Greatest CPU limit, apart from that of requests. Default: cpu.
       */
      limitCPU?: string | number
      /**
       * Greatest memory limit, apart from that of requests. Default: memory.
       */
      limitMemory?: string | number
    }
    /**
     * A key of Kubescape's chart: the longest that nodefit sync waits before it looks again whether something else is rendered, ten seconds or more. A duration above zero. Without nodefit sync it is not used: a render has no clock.
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
     * Which nodes this policy is about; merged into the nodeSelector of what is rendered.
     */
    nodeSelector?: {
      [k: string]: string
    }
    /**
     * Which nodes this policy is about; its required node affinity is joined by AND with the template's.
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
     * Which containers are sized, and their share of the pod's budget in percent; shares add up to 100. Default: the only container, or the one named like the target.
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
       * Which sized container. Default: the only sized one.
       */
      container?: string
      /**
       * Name of the environment variable.
       */
      name: string
      /**
       * The size it is computed from, before printing.
       */
      from: 'requests.cpu' | 'requests.memory' | 'limits.cpu' | 'limits.memory'
      /**
       * Part of the size, above 0 and at most 1.
       */
      fraction?: number
      /**
       * Unit the value is rounded down to, and printed with. B and cores are plain numbers; cores are at least 1. Default: MiB for memory, m for CPU.
       */
      unit?: 'B' | 'KiB' | 'MiB' | 'GiB' | 'Ki' | 'Mi' | 'Gi' | 'm' | 'cores'
      /**
       * Whether the unit stands behind the number.
       */
      suffix?: boolean
    }[]
    /**
     * Other percentages or bounds for some groups, named by label value or name part. A later entry wins.
     */
    overrides?: {
      /**
       * The groups this entry is for.
       */
      groups: string[]
      resourcePercentages?: Percentages
      minResources?: Bounds
      maxResources?: Bounds
    }[]
    /**
     * Explicit DaemonSet names by label value or name part.
     */
    names?: {
      [k: string]: string
    }
    /**
     * The two labels on what is rendered.
     */
    labels?: {
      /**
       * Label `key=value` that marks what is rendered.
       */
      managedBy?: string
      /**
       * Key of the label that carries the group; part of the selector.
       */
      nodeGroup?: string
    }
    /**
     * GOMEMLIMIT of the sized containers as a fraction of the memory limit, above 0 and at most 1. Unset: GOMEMLIMIT is not touched.
     */
    goMemLimitPercentage?: number
    /**
     * The same as goMemLimitPercentage; only one of the two may be given.
     */
    gomemlimitPercentage?: number
    /**
     * SELinux type of the sized containers. Unset: not touched.
     */
    seLinuxType?: string
    /**
     * Whether groups with Bottlerocket nodes get the SELinux type super_t. Unset: not touched.
     */
    bottlerocketAutoDetect?: boolean
    /**
     * A key of Kubescape's operator, accepted so that its configuration can be pasted in. It has no effect: targetRef names the template.
     */
    templatePath?: string
    /**
     * A key of Kubescape's operator, accepted so that its configuration can be pasted in. It has no effect: what is rendered has no owner references.
     */
    operatorDeploymentName?: string
    /**
     * Names this policy had before; what was rendered under them is taken over.
     */
    formerNames?: string[]
    /**
     * What the percentages are taken of, for each resource by itself: the smallest allocatable amount of a group's nodes, or the median (of two in the middle the lower).
     */
    basis?: 'smallest' | 'median'
    /**
     * What the pod's budget is rounded to before bounds: requests up, limits down to a multiple. Unset: memory is rounded down to whole Mi.
     */
    step?: {
      /**
       * Whole millicores above zero.
       */
      cpu?: string | number
      /**
       * Whole bytes above zero.
       */
      memory?: string | number
    }
    /**
     * Keep the amount that the rendered sizes are a percentage of, while what the nodes have now is within this percentage of it. Above 0 it needs the earlier output.
     */
    hysteresisPercent?: number
    /**
     * Label values of similar size share one DaemonSet, by their smallest allocatable cpu and memory. With one node group label only.
     */
    classes?: {
      /**
       * How much larger than the last each class is. With 2 there are classes around 1, 2, 4, 8 cores and 1, 2, 4, 8 GiB.
       */
      ratio: number
    }
    /**
     * Whether to leave what was rendered before as it is, whatever else changes. It needs the earlier output.
     */
    suspend?: boolean
    /**
     * How many nodes' agents a change of the template restarts at once. With every, what is more keeps its earlier pod template until a later render; it needs the earlier output. With waves, Argo CD's sync waves.
     */
    rollout?: {
      /**
       * A number, or a percentage of the policy's nodes, rounded down. A group is never divided, and one may always change.
       */
      maxNodes: string | number
      /**
       * Within which time so many nodes change: a Go duration above zero.
       */
      every?: string
      /**
       * Whether groups change one behind another in Argo CD's sync waves, so many nodes in each.
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
   * Name of the policy; it is the owner of what is rendered.
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
 * Percentages for these groups. One that is not given here is as the policy has it otherwise; null: not set, and removed from the template.
 */
interface Percentages {
  requestCPU?: Percentage
  requestMemory?: Percentage
  limitCPU?: Percentage
  limitMemory?: Percentage
}
/**
 * Bounds for these groups. One that is not given here is as the policy has it otherwise.
 */
interface Bounds {
  cpu?: Quantity
  memory?: Quantity
  limitCPU?: Quantity
  limitMemory?: Quantity
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
 * A snapshot of a cluster's nodes. Nodes alike in all that a policy can see are one shape.
 */
export interface NodeInventory {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
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
     * The cluster the nodes belong to.
     */
    cluster: string
    /**
     * When the nodes were read, RFC 3339. The newest one is "now".
     */
    observedAt?: string
    /**
     * Which label keys were exported; * stands for any characters. Whether a node has a key that none of them covers is not known.
     */
    labelKeys: string[]
    /**
     * How many nodes the shapes name or count; another number means that the inventory was cut.
     */
    nodeCount: number
    /**
     * The kinds of node there are.
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
       * Names of the nodes; either these or count. Empty: a declared node type, whose group is rendered before its first node comes.
       */
      nodes?: string[]
      /**
       * How many nodes there are, instead of their names. 0: a declared node type.
       */
      count?: number
      /**
       * UIDs by node name, only with --uid.
       */
      uids?: {
        [k: string]: string
      }
      /**
       * Since when a shape that nodefit sync keeps has no nodes, RFC 3339; only nodefit sync reads it.
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
  apiVersion: 'nodefit.dev/v1alpha1'
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
     * The cluster this run is for; an inventory of another one fails.
     */
    cluster?: string
    /**
     * The time of the run, RFC 3339, instead of the newest observedAt.
     */
    now?: string
    /**
     * Codes that fail closed and are accepted in this run.
     */
    allow?: string[]
    /**
     * Other severities for codes that do not fail.
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
     * The least severity that fails the run.
     */
    failOn?: 'error' | 'warning'
    /**
     * Change nothing, and fail if the package is not what this run renders. It holds where this RenderConfig is the functionConfig, as of a validator in a Kptfile; a function without one still renders.
     */
    check?: boolean
    /**
     * How much a render may take away from what was rendered before.
     */
    guards?: {
      /**
       * How many of a policy's groups may go in one run, as a number or a percentage. null: any.
       */
      maxGroupsRemoved?: string | number | null
      /**
       * How many of the nodes that a policy's groups had may be gone in one run, as a number or a percentage. null: any.
       */
      maxNodesLost?: string | number | null
      /**
       * By how many percent the nodes with a Ticket of an Order may decrease in one run. null: any.
       */
      maxShrinkPercent?: number | null
      /**
       * Whether the cluster has the deletion guard (deploy/guard): it refuses to delete a DaemonSet of ours that serves nodes, and a run that removes one then says how to let it go.
       */
      deletion?: boolean
      /**
       * How many pods may be restarted by a changed pod template in one run of a policy. null: any.
       */
      maxPodsRestarted?: number | null
    }
    /**
     * How Orders become Tickets.
     */
    korder?: {
      /**
       * Which of korder's API versions Tickets are written for: with `duration`, or with `window`. Default: that of the Orders.
       */
      dialect?: 'duration' | 'window'
      /**
       * How a Ticket is bound to its node: by required node affinity, or by nodeName, which bypasses the scheduler.
       */
      pin?: 'affinity' | 'nodeName'
      /**
       * Whether a node that was deleted and made anew under its name is another one.
       */
      nodeIdentity?: 'name' | 'uid'
      /**
       * Keep a Ticket while its node is not ready or has a new NoSchedule taint; a cordon still removes it.
       */
      keep?: boolean
      /**
       * Whether Tickets carry the label korder.dev/order, by which older korder claims. Off while an Order of that name lives in the cluster: it would delete them.
       */
      orderLabel?: boolean
      /**
       * How long after its computed end a Ticket that no WorkloadSnapshot shows counts as ended, and is made anew. A Go duration, at least as long as it takes until what is rendered is applied. Default: never.
       */
      renewAfter?: string
    }
    /**
     * Which node autoscaler the cluster runs: where it counts the rendered DaemonSets on a new node otherwise than they run, that is said.
     */
    autoscaler?: {
      /**
       * The autoscaler.
       */
      kind: 'karpenter'
      /**
       * Its version, as text in quotes: before 1.14 each instance type is counted with every DaemonSet that its NodePool allows. Default: as 1.14 and 1.15 count.
       */
      version?: string
    }
  }
}

/**
 * Requests of all its pods, and how many they are.
 */
type Amounts = {
  [k: string]: string | number
} | null
/**
 * The part of used that is of pods of DaemonSets.
 */
type Amounts1 = {
  [k: string]: string | number
} | null
/**
 * What one of its pods requests; the same DaemonSet may be listed again with other requests.
 */
type Amounts2 = {
  [k: string]: string | number
} | null
/**
 * What half of the samples stay within.
 */
type Amounts3 = {
  [k: string]: string | number
} | null
/**
 * What 95 of 100 samples stay within.
 */
type Amounts4 = {
  [k: string]: string | number
} | null
/**
 * The largest sample.
 */
type Amounts5 = {
  [k: string]: string | number
} | null

/**
 * What lives in a cluster and is not in Git, as far as policies need it. Written by a machine: unknown fields only warn.
 */
export interface WorkloadSnapshot {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
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
   * What was seen.
   */
  spec: {
    /**
     * The cluster it was seen in.
     */
    cluster: string
    /**
     * When it was read, RFC 3339.
     */
    observedAt?: string
    /**
     * Whether the metrics API answered when it was asked last; absent where nobody asked. Where it does not, usage is what was seen before, or absent.
     */
    metricsAvailable?: boolean
    /**
     * How many there were of each part when it was read; another number means that the snapshot was cut.
     */
    collected?: {
      /**
       * How many entries nodes has.
       */
      nodes?: number
      /**
       * How many entries claims has.
       */
      claims?: number
      /**
       * How many entries tickets has.
       */
      tickets?: number
      /**
       * How many entries usage has.
       */
      usage?: number
      /**
       * How many entries events has.
       */
      events?: number
    }
    /**
     * What the pods on each node request, as the scheduler adds it up.
     */
    nodes?: {
      /**
       * Its name.
       */
      name: string
      used?: Amounts
      daemons?: Amounts1
    }[]
    /**
     * What the pods of each DaemonSet request, by the nodes they are on. An agent’s own pods leave before its new ones come, and are not counted against them.
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
      nodes: string[]
    }[]
    /**
     * The NodeSmithClaims in the cluster. Without this field nobody knows which there are; an empty list says that there are none.
     */
    claims?: {
      /**
       * Its namespace.
       */
      namespace?: string
      /**
       * Its name, which is that of its machine.
       */
      name: string
      /**
       * The pool it was made for, in the same namespace.
       */
      poolRef?: string
      /**
       * What its machine must have.
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
       * When it was made, RFC 3339.
       */
      createdAt?: string
      /**
       * True while it is being deleted, else absent.
       */
      deleting?: boolean
      /**
       * Its condition Ready; absent where it has none, or where that is Unknown.
       */
      ready?: boolean
      /**
       * Its condition Failed; absent where it has none, or where that is Unknown.
       */
      failed?: boolean
      /**
       * The node that its machine became.
       */
      nodeName?: string
    }[]
    /**
     * The Tickets in the cluster. Without this field nobody knows what is claimed or has ended; an empty list says that there are none.
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
       * The Order it was made from, or rendered for; absent for one written by hand.
       */
      order?: string
      /**
       * The node it reserves on.
       */
      node?: string
      /**
       * Pending, Ready (Reserved in older korder), Claimed or Expired. An Expired one is renewed.
       */
      phase?: string
      /**
       * When a pod took it, RFC 3339.
       */
      claimedAt?: string
      /**
       * When it expires or has expired, RFC 3339. From then on it counts as Expired, whatever its phase.
       */
      expiresAt?: string
    }[]
    /**
     * What the containers of rendered agents used, over all pods of a group and the last day, or since the controller started if that is later. An amount is rounded up to a scale whose steps are 5 % apart, and begin at 10m and 10Mi. Without this field nobody has looked for long enough.
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
       * The node group, as nodefit.dev/group of its DaemonSet names it.
       */
      group: string
      p50?: Amounts3
      p95?: Amounts4
      max?: Amounts5
    }[]
    /**
     * Warnings of the cluster about rendered DaemonSets and their pods, Tickets, Orders, and nodes that ran out of memory. Those of one object and reason are one entry; at most 100, the latest.
     */
    events?: {
      /**
       * The UID of the object, where it is known.
       */
      uid?: string
      /**
       * Why it happened.
       */
      reason: string
      /**
       * Kind, namespace and name of the object; a pod’s count as those of its DaemonSet or Ticket.
       */
      object: string
      /**
       * How often, as far as the cluster still knows.
       */
      count?: number
      /**
       * When it happened last, RFC 3339, to the minute.
       */
      lastSeen?: string
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
     * Keep the Tickets that were rendered before, whatever the nodes do.
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
     * When Tickets are made anew; the `duration` dialect.
     */
    strategy?: {
      /**
       * Once, within a window after each fire time, or anew at each fire time.
       */
      type: 'OneTime' | 'Scheduled' | 'Recurring'
      /**
       * Cron expression of five fields, as CronJobs read it; not with OneTime.
       */
      schedule?: string
      /**
       * What a Recurring Order makes anew at a fire time: every Ticket, those that were claimed, or none.
       */
      refreshPolicy?: 'Always' | 'OnClaim' | 'Never'
    }
    /**
     * As strategy.refreshPolicy; the `window` dialect.
     */
    refreshPolicy?: 'Always' | 'OnClaim' | 'Never'
    /**
     * What each Ticket is.
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
         * What becomes of an expired Ticket.
         */
        lifecycle?: {
          /**
           * Delete or Retain an expired Ticket.
           */
          cleanupPolicy?: 'Delete' | 'Retain'
          /**
           * Seconds an expired Ticket is kept before korder deletes it; only with Delete. korder's versions so far delete only at 0.
           */
          ttlSecondsAfterFinished?: number
        }
        /**
         * How long a Ticket holds its reservation; the `duration` dialect.
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
           * How long a Ticket holds its reservation.
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
           * Refused: a guardian pod has no resource claims they could refer to.
           */
          claims?: unknown[]
        }
        /**
         * Labels an eligible node carries.
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
         * Which taints do not make a node ineligible.
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
