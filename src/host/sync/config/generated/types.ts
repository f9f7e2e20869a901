/** Generated from fn-config/ by npm run generate. Do not edit. */

/** The kinds that have a schema. */
export type Kind = 'SyncConfig'

/**
 * What the controller watches, and where it writes it.
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
     * Required. The name of the cluster, as in its policies and inventory.
     */
    cluster?: string
    /**
     * What is collected: always the nodes. `kubescape` is only compared; everything else goes into a WorkloadSnapshot. Each requires more rights.
     */
    collect?: (
      | 'nodes'
      | 'pods'
      | 'pending'
      | 'usage'
      | 'events'
      | 'tickets'
      | 'claims'
      | 'pools'
      | 'machines'
      | 'workloads'
      | 'capacity'
      | 'components'
      | 'actions'
      | 'kubescape'
    )[]
    /**
     * When sizes are settled from usage, for all policies together. With `collect: [usage]`.
     */
    usage?: {
      /**
       * The regular time, as a CronJob has it: only then requests change, which restarts agents.
       */
      schedule?: string
      /**
       * The time zone of the schedule.
       */
      timeZone?: string
    }
    /**
     * Node label keys to export in addition to the defaults; `*` stands for any characters.
     */
    labels?: string[]
    /**
     * How the inventory is written.
     */
    inventory?: {
      /**
       * Whether nodes that differ by a few Ki get separate shapes.
       */
      exact?: boolean
      /**
       * Whether to write the UIDs of the nodes. Not with `counts`.
       */
      uid?: boolean
      /**
       * Whether to write only the number of nodes, without names. Requires that only nodes are collected.
       */
      counts?: boolean
    }
    /**
     * Folders or files with the policies. If empty, a change of the set of shapes is committed.
     */
    packages?: string[]
    /**
     * Whether to commit only the inventory, or the rendered objects too.
     */
    mode?: 'inventory' | 'rendered'
    /**
     * The folder of rendered manifests. Required with `mode: rendered`.
     */
    output?: string
    /**
     * If set, each change is pushed to its own branch, named after its content, for review.
     */
    review?: {
      /**
       * Prefix of the branch names.
       */
      prefix?: string
      /**
       * Push options for these branches, by which GitLab opens a merge request.
       */
      pushOptions?: string[]
    }
    /**
     * Whether to only log changes, without commit or push.
     */
    dryRun?: boolean
    /**
     * Whether to stop evaluating and pushing; the watch continues.
     */
    suspend?: boolean
    /**
     * The repository.
     */
    git: {
      /**
       * Its URL: https, ssh, or the short form of ssh, without credentials.
       */
      url: string
      /**
       * The branch to follow, and to push to unless review is set.
       */
      branch?: string
      /**
       * The folder that only the controller writes.
       */
      folder: string
      /**
       * The folder where the Secret is mounted, in Flux' or Argo CD's format.
       */
      credentials?: string
      /**
       * The folder of the clone. It need not persist; each process needs its own.
       */
      cache?: string
      /**
       * The author of the commits.
       */
      author?: {
        /**
         * The name in the commit.
         */
        name?: string
        /**
         * The email address in the commit, by which a forge finds the account.
         */
        email?: string
      }
      /**
       * The committer of the commits. Default: the author.
       */
      committer?: {
        /**
         * The name in the commit.
         */
        name?: string
        /**
         * The email address in the commit, by which a forge finds the account.
         */
        email?: string
      }
      /**
       * The commit message, with the placeholders `{{summary}}`, `{{changes}}`, `{{nodes}}`, `{{cluster}}`, `{{effect}}` and `{{version}}`. Trailers are always added.
       */
      messageTemplate?: string
      /**
       * Whether to add a `Signed-off-by` line of the committer.
       */
      signOff?: boolean
      /**
       * If set, every commit is signed; without a signature nothing is pushed.
       */
      signing?: {
        /**
         * The signature format.
         */
        format?: 'ssh'
        /**
         * The file of the private key.
         */
        key: string
      }
      /**
       * `github` uses GitHub's API, for verified commits of a GitHub App.
       */
      pushVia?: 'git' | 'github'
      /**
       * Push options for every push.
       */
      pushOptions?: string[]
      /**
       * The timeout of one fetch or push.
       */
      timeout?: string
    }
    /**
     * How long no change must arrive before changes are evaluated.
     */
    quietWindow?: string
    /**
     * The longest time for which changes are collected before they are evaluated.
     */
    maxWindow?: string
    /**
     * The minimum time between two pushes; at least 10s.
     */
    minPushInterval?: string
    /**
     * The maximum time between two evaluations; at least 10s.
     */
    reconcileInterval?: string
    /**
     * How old the inventory in Git may become before it is committed without a change; at least 1m. Unset: any age.
     */
    maxAge?: string
    /**
     * How long a node must be Ready or not Ready before the change counts.
     */
    readyDebounce?: string
    /**
     * How long a shape stays in the inventory after its last node.
     */
    retainShapes?: string
    /**
     * The number of objects in a page of a list.
     */
    pageSize?: number
    /**
     * How often a full list is compared with the state of the watch; at least 1m.
     */
    relistInterval?: string
    /**
     * When the controller accepts what a guard holds, and what it holds back itself.
     */
    guards?: {
      /**
       * How long nodes must be missing before a loss that trips `maxNodesLost` is accepted; 0s: never.
       */
      settle?: string
      /**
       * How many groups nodes may add in an hour; more are held back.
       */
      maxGroupsAdded?: number
      /**
       * How many of the nodes may be gone with others in their place since the last look, or at the start since Git was written; more are held back. Not with `inventory.counts`.
       */
      maxNodesReplaced?: string
    }
    /**
     * How much of the repository is read for a render; more fails the render, not the inventory.
     */
    limits?: {
      /**
       * The largest file.
       */
      file?: string
      /**
       * All files of packages together.
       */
      packages?: string
    }
    /**
     * Which replica pushes.
     */
    leaderElection?: {
      /**
       * Whether a Lease decides. Turn it off only if there is never a second replica.
       */
      enabled?: boolean
      /**
       * The namespace of the Lease and of Events. Default: that of the pod.
       */
      namespace?: string
      /**
       * The name of the Lease.
       */
      name?: string
      /**
       * Prefix of the holder's name, before the name of the pod and the process ID.
       */
      identity?: string
    }
    /**
     * How signed actions are verified, and where their Jobs are.
     */
    actions?: {
      /**
       * The file of an ActionTrust, in a mounted Secret: whom you trust to act, which the packages may only narrow. Read again for every evaluation; a change is noticed within seconds. If unset, and no keyring is given, the packages decide.
       */
      trust?: string
      /**
       * The file of an ActionKeyring, in a mounted Secret: a trust of defaults with its keys, and cluster and images of the packages. Not beside trust.
       */
      keyring?: string
      /**
       * The namespace of the Jobs, as `job.namespace` of the ActionPolicy.
       */
      namespace?: string
    }
    /**
     * The endpoints for probes and metrics.
     */
    health?: {
      /**
       * The address of /healthz, /readyz and /metrics. Change the shipped probes and Service with it.
       */
      address?: string
      /**
       * How long the leader may fail to bring Git up to date before /readyz fails; at least 1m.
       */
      readyWithin?: string
    }
    /**
     * If set, even to `{}`, webhooks of GitHub, GitLab, Gitea and Forgejo are accepted at /hook.
     */
    hook?: {
      /**
       * The address of /hook. Change the shipped Service and NetworkPolicy with it.
       */
      address?: string
      /**
       * The folder where the Secret is mounted. Webhooks may be signed with each of its keys.
       */
      secret?: string
    }
  }
}
