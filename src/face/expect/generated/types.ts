/** Generated from fn-config/ by npm run generate. Do not edit. */

/** The kinds that have a schema. */
export type Kind = 'NodefitTest'

/**
 * Nodes, and what must come out of a package for them. Only nodefit test reads it.
 */
export interface NodefitTest {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'NodefitTest'
  /**
   * Kubernetes object metadata.
   */
  metadata: {
    /**
     * Name of the test.
     */
    name: string
  }
  /**
   * The nodes, and what must come out.
   */
  spec: {
    /**
     * The policy or Order that sizes, groups and without are about, as NAME or NAMESPACE/NAME. Needed where the package has several.
     */
    policy?: string
    /**
     * Nodes that stand for all that the package knows of nodes: its inventories, Node objects and WorkloadSnapshots are left out.
     */
    nodes?: {
      /**
       * Name of the node; with count the beginning of the names, as in small-1.
       */
      name: string
      /**
       * How many such nodes there are; 0 declares a node type that no node has yet.
       */
      count?: number
      /**
       * The label node.kubernetes.io/instance-type.
       */
      type?: string
      /**
       * Allocatable cpu; absent: the node does not report it.
       */
      cpu?: string | number
      /**
       * Allocatable memory; absent: the node does not report it.
       */
      memory?: string | number
      /**
       * More labels. Each node has kubernetes.io/hostname, kubernetes.io/os: linux and kubernetes.io/arch: amd64; null takes one of these away.
       */
      labels?: {
        [k: string]: string | null
      }
      /**
       * As in v1 Node.
       */
      taints?: {
        /**
         * Key of the taint.
         */
        key: string
        /**
         * Value of the taint.
         */
        value?: string
        /**
         * Effect of the taint.
         */
        effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
      }[]
      /**
       * Whether the node is ready.
       */
      ready?: boolean
      /**
       * Whether the node is cordoned.
       */
      unschedulable?: boolean
    }[]
    /**
     * The NodeInventory of the package that is used alone. Without nodes and inventory the package is taken as it is.
     */
    inventory?: string
    /**
     * The time of the run with nodes, RFC 3339.
     */
    now?: string
    /**
     * Objects that the run has besides those of the package, such as a policy, a template or a RenderConfig. One replaces that of the same kind, namespace and name.
     */
    objects?: {
      apiVersion: string
      kind: string
      metadata: {
        name: string
      }
    }[]
    /**
     * Whether rendered objects of the package are its earlier output; else the run is the first.
     */
    earlier?: boolean
    /**
     * What must come out; at least one of these fields.
     */
    expect: {
      /**
       * Amounts of single nodes or groups.
       */
      sizes?: {
        /**
         * The node whose pod is meant; set this or group.
         */
        node?: string
        /**
         * The group that is meant, as a policy refers to it, by its label value or name part, or by the name of its DaemonSet.
         */
        group?: string
        /**
         * The container; by default the one that is sized.
         */
        container?: string
        /**
         * Expected requests; null for one that must not be set. A resource that is not listed is not compared.
         */
        requests?: {
          /**
           * CPU.
           */
          cpu?: string | number | null
          /**
           * Memory.
           */
          memory?: string | number | null
        }
        /**
         * Expected limits; null for one that must not be set. A resource that is not listed is not compared.
         */
        limits?: {
          /**
           * CPU.
           */
          cpu?: string | number | null
          /**
           * Memory.
           */
          memory?: string | number | null
        }
        /**
         * Expected values of environment variables of the container; null for one that must not be set.
         */
        env?: {
          [k: string]: string | null
        }
      }[]
      /**
       * All groups that have nodes, each with how many. A group without nodes may be listed with 0.
       */
      groups?: {
        [k: string]: number
      }
      /**
       * All nodes on which no agent starts, or that get no Ticket.
       */
      without?: string[]
      /**
       * All warnings and errors of the run, and infos that must be there. Without this field an error fails the test, and a warning does not.
       */
      findings?: {
        /**
         * Its code; one entry stands for all findings that it fits.
         */
        code: string
        /**
         * Its severity.
         */
        severity?: 'error' | 'warning' | 'info'
        /**
         * A part of its message.
         */
        says?: string
      }[]
    }
  }
}
