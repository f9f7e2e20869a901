/** Generated from fn-config/ by npm run generate. Do not edit. */

/** The kinds that have a schema. */
export type Kind = 'SyncConfig'

/**
 * What the controller watches, and where it keeps it.
 */
export interface SyncConfig {
  /**
   * The version of this resource.
   */
  apiVersion: 'nodefit.dev/v1alpha1'
  /**
   * The kind of this resource.
   */
  kind: 'SyncConfig'
  /**
   * Kubernetes object metadata; the controller only shows the name.
   */
  metadata?: {}
  /**
   * The settings.
   */
  spec: {
    /**
     * The name of the cluster, as its policies and inventory have it. Needed here, or as CLUSTER_ID in the environment.
     */
    cluster?: string
    /**
     * The nodes always; the others come as a WorkloadSnapshot beside the inventory, and need more rights each.
     */
    collect?: ('nodes' | 'pods' | 'usage' | 'events' | 'tickets' | 'claims')[]
    /**
     * Keys of node labels that are exported beside the usual ones; `*` stands for any characters.
     */
    labels?: string[]
    /**
     * How the inventory is written.
     */
    inventory?: {
      /**
       * Whether nodes that differ by a few Ki are kept apart.
       */
      exact?: boolean
      /**
       * Whether the UIDs of the nodes are written. Not with `counts`.
       */
      uid?: boolean
      /**
       * Whether only the number of nodes is written, and no names. Only where nothing but nodes is collected.
       */
      counts?: boolean
    }
    /**
     * Folders or files of the repository, from its root, that hold the policies. Without any, a commit is made when the set of shapes changes.
     */
    packages?: string[]
    /**
     * Whether only the inventory is kept in Git, or what is rendered from it too.
     */
    mode?: 'inventory' | 'rendered'
    /**
     * Where rendered manifests go, as with `nodefit build --output-dir`; from the root of the repository. Needed with `mode: rendered`.
     */
    output?: string
    /**
     * If present, each change goes to a branch of its own, named by what it holds, for somebody to merge.
     */
    review?: {
      /**
       * What the names of these branches begin with.
       */
      prefix?: string
      /**
       * Options of the push of such a branch; GitLab opens a merge request by them.
       */
      pushOptions?: string[]
    }
    /**
     * Whether changes are only logged: nothing is committed, nothing is pushed.
     */
    dryRun?: boolean
    /**
     * Whether nothing is evaluated and nothing is pushed; the watch goes on.
     */
    suspend?: boolean
    /**
     * The repository.
     */
    git: {
      /**
       * Where it is: https, ssh, or the short form of ssh. Credentials do not stand here.
       */
      url: string
      /**
       * The branch that is followed, and pushed to unless changes go to review.
       */
      branch?: string
      /**
       * The folder that belongs to the controller alone, from the root of the repository.
       */
      folder: string
      /**
       * The folder that the Secret is mounted at, as Flux or Argo CD have it. Read anew for every operation.
       */
      credentials?: string
      /**
       * The folder of the clone. Nothing in it has to survive; two processes need one each.
       */
      cache?: string
      /**
       * Who wrote the commits.
       */
      author?: {
        /**
         * The name in the commit.
         */
        name?: string
        /**
         * The mail address in the commit; a forge shows the account that it belongs to.
         */
        email?: string
      }
      /**
       * Who made the commits; the author unless said.
       */
      committer?: {
        /**
         * The name in the commit.
         */
        name?: string
        /**
         * The mail address in the commit; a forge shows the account that it belongs to.
         */
        email?: string
      }
      /**
       * The commit message, with the placeholders `{{summary}}`, `{{changes}}`, `{{nodes}}`, `{{cluster}}`, `{{effect}}` and `{{version}}`. Trailers are added in any case.
       */
      messageTemplate?: string
      /**
       * Whether commits have a `Signed-off-by` line of the committer.
       */
      signOff?: boolean
      /**
       * If present, every commit is signed; without a signature nothing is pushed.
       */
      signing?: {
        /**
         * The kind of signature.
         */
        format?: 'ssh'
        /**
         * The file of the private key.
         */
        key: string
      }
      /**
       * The git program, or GitHub’s API: the commits of a GitHub App are verified only if they are made through it.
       */
      pushVia?: 'git' | 'github'
      /**
       * Options of every push.
       */
      pushOptions?: string[]
      /**
       * The longest that one fetch or push may take.
       */
      timeout?: string
    }
    /**
     * How long nothing may change before a change is evaluated.
     */
    quietWindow?: string
    /**
     * The longest that changes are gathered, however many come.
     */
    maxWindow?: string
    /**
     * The least time between two pushes; at least 10s.
     */
    minPushInterval?: string
    /**
     * The longest between two evaluations, without any change; at least 10s. COLLECTION_INTERVAL in the environment, in seconds, takes the place of the default.
     */
    reconcileInterval?: string
    /**
     * How old the inventory in Git may become before it is committed anew without a change; at least 1m. Without it, it may become any age.
     */
    maxAge?: string
    /**
     * How long a node has to be Ready, or not Ready, before that counts.
     */
    readyDebounce?: string
    /**
     * How long a shape stays in the inventory after its last node.
     */
    retainShapes?: string
    /**
     * How many objects a page of a list has. BATCH_SIZE in the environment takes the place of the default.
     */
    pageSize?: number
    /**
     * How often a whole list is compared with what the watch has said; at least 1m.
     */
    relistInterval?: string
    /**
     * Which of several replicas pushes.
     */
    leaderElection?: {
      /**
       * Whether a Lease decides. Only where there is never a second replica can it be off.
       */
      enabled?: boolean
      /**
       * The namespace of the Lease, and of the Events; that of the pod unless said.
       */
      namespace?: string
      /**
       * The name of the Lease.
       */
      name?: string
      /**
       * What the holder’s name begins with; the name of the pod follows. AGENT_ID in the environment takes the place of the default, which is nothing.
       */
      identity?: string
    }
    /**
     * The endpoints for probes and metrics.
     */
    health?: {
      /**
       * Where /healthz, /readyz and /metrics are served. Probes and Service, as they are shipped, ask port 8080: another one has to be patched there, too.
       */
      address?: string
      /**
       * How long the leader may not have found or made Git as it should be before /readyz fails; at least 1m.
       */
      readyWithin?: string
    }
  }
}
