import { WORLD_CODES } from '../../core/codes.ts'
import { INVENTORY_CODES } from '../../facts/inventory/codes.ts'
import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'
import { SIZING_CODES } from '../sizing/codes.ts'

/** Codes of the summary of a pool. */
const SUMMARY_CODES = codesAbout('Summary', {
  PoolSummary: {
    roles: ['summary'],
    severity: 'info',
    meaning:
      'The first result of a PoolPolicy: counts nodes, machines in flight, added, kept and leaving, and pending pods that they serve and do not serve.',
    mend: '',
  },
})

/** Codes about node pools, their claims and the pods that they are for. */
export const POOL_CODES = {
  ...SUMMARY_CODES,
  ...codesAbout('Node pools', {
    PoolMissing: {
      severity: 'error',
      meaning: 'The NodeSmithPool of a PoolPolicy is not in the package.',
      mend: 'Add the NodeSmithPool in the namespace of the policy, or correct spec.poolRef.',
    },
    PoolInvalid: {
      severity: 'error',
      meaning: 'With a value of a NodeSmithPool or PoolPolicy no machine can be planned.',
      mend: 'Correct the field.',
    },
    OutputInvalid: {
      severity: 'error',
      meaning: 'What spec.output of a PoolPolicy names is missing, or cannot be rendered as it is written.',
      mend: 'Correct spec.output, or add the object.',
    },
    ReplicasOwnedElsewhere: {
      severity: 'error',
      meaning: 'The MachineDeployment of a pool is scaled by cluster-autoscaler, which would undo the replicas of Git.',
      mend: 'Remove its autoscaler annotations, or the PoolPolicy.',
    },
    NodePoolForcesDrain: {
      severity: 'warning',
      meaning:
        'A NodePool has a terminationGracePeriod that its policy does not ask for. At its end Karpenter deletes the pods of a node that expires, drifts or leaves, past PodDisruptionBudgets and karpenter.sh/do-not-disrupt.',
      mend: 'Set spec.output.forceDrainAfter of the PoolPolicy: none takes it away, which replaces the nodes once, as docs/deliver/pool-outputs.md says; the same value keeps it.',
    },
    NodePoolExpires: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'A NodePool names no expireAfter: Karpenter’s definition replaces each node 30 days after it was made.',
      mend: 'Set spec.expireAfter of the PoolPolicy: 720h keeps what is, and another time, or Never, replaces the nodes of a NodePool that is there once.',
    },
    NodePoolDrifts: {
      severity: 'warning',
      meaning:
        'The template of a NodePool that is there changes: Karpenter drifts every node of it, and replaces them within the budgets of the NodePool.',
      mend: 'Bring the change in when the nodes may be replaced; docs/deliver/pool-outputs.md has the order of steps.',
    },
    ReplicasDiffer: {
      severity: 'error',
      meaning:
        'The replicas of a MachineDeployment in Git, which no run has written, are not those of the cluster: applied, they would remove Machines with their pods, or open some.',
      mend: 'Write the number of the cluster, or leave the field out: then nodefit takes that of the cluster.',
    },
    StaticCapacityOff: {
      severity: 'warning',
      meaning:
        'A NodePool with replicas does nothing unless the feature gate StaticCapacity of Karpenter is on, and it is off by default.',
      mend: 'Set featureGates.staticCapacity in the values of Karpenter, then severity StaticCapacityOff: off.',
    },
    KarpenterTooOld: {
      severity: 'warning',
      meaning:
        'The NodePool has what the version in spec.autoscaler of the RenderConfig refuses or does not enforce: a label below kubernetes.io (1.10), limits.nodes of a NodePool that it scales (1.11).',
      mend: 'Upgrade Karpenter; until then use limits.cpuCores and memoryMiB of the pool, and labels of your own.',
    },
    WeightDropped: {
      severity: 'warning',
      meaning: 'Karpenter allows no weight on a NodePool with replicas, so the priority of the pool is not rendered.',
      mend: 'Remove spec.priority.',
    },
    NotInNodePool: {
      severity: 'warning',
      meaning:
        'A field of a pool or its policy has no effect, since a NodePool that Karpenter scales has nothing like it.',
      mend: 'Remove the field, or set spec.output.mode: static.',
    },
    DuplicatePool: {
      severity: 'error',
      meaning: 'Two PoolPolicies plan one pool, or their machines, and so nodes, would have the same names.',
      mend: 'Give each pool a policy and a namePrefix of its own.',
    },
    ProviderMissing: {
      severity: 'error',
      allowable: true,
      meaning:
        'The NodeSmithProvider of a pool is not in the package: what it adds to the memory of each machine is unknown.',
      mend: 'Add the NodeSmithProvider to the package; or allow ProviderMissing, if it adds nothing.',
    },
    ProviderUnsupported: {
      severity: 'warning',
      meaning: 'KubeNodeSmith does not make machines with the type of a pool’s provider.',
      mend: 'Use type proxmox.',
    },
    ProviderRangeShort: {
      severity: 'warning',
      meaning: 'The provider of a pool has fewer machine ids than the pool may have machines.',
      mend: 'Widen spec.proxmox.vmIDRange, or lower maxNodes.',
    },
    PoolInputUnknown: {
      severity: 'error',
      allowable: true,
      meaning: 'A pool needs parts of a WorkloadSnapshot that were not collected: unknown is never taken for empty.',
      mend: 'Write the snapshot with nodefit inventory --pods and --claims, or with nodefit sync and collect: [pending, pools]. If allowed, every claim stays until then.',
    },
    ClaimsUnknown: {
      severity: 'error',
      meaning:
        'Neither the earlier output nor a WorkloadSnapshot shows which claims exist: running machines would be removed.',
      mend: 'Write the snapshot with nodefit inventory --claims, or pass --earlier DIR to nodefit build.',
    },
    SnapshotsApart: {
      severity: 'error',
      allowable: true,
      meaning:
        'A WorkloadSnapshot and the inventory of its cluster were written over a minute apart: a machine may be a node in one and not in the other.',
      mend: 'Write both in one command: nodefit inventory with --pods and --claims.',
    },
    SnapshotOlder: {
      severity: 'error',
      meaning:
        'A claim was opened, or a node marked, after the time of this run: the snapshot is older than what was rendered from it.',
      mend: 'Use a snapshot that was written after the last render: export it again. If a clock was ahead then, render with nodefit build or nodefit sync, whose clock sets the time of the claim back.',
    },
    NeedsInventory: {
      severity: 'error',
      meaning:
        'A partial Node must be rendered, and Node objects are the package’s inventory: the two would be one object.',
      mend: 'Replace the Node objects by a NodeInventory: nodefit inventory.',
    },
    UnknownPool: {
      severity: 'warning',
      meaning: 'A claim is of a pool that is not in the package. It is kept.',
      mend: 'Restore the pool; or delete the claim, and with it its machine.',
    },
    ClaimFailed: {
      severity: 'warning',
      meaning: 'A claim has failed and no node joined, so it is dropped.',
      mend: 'See the conditions of the claim in the cluster, and the log of KubeNodeSmith.',
    },
    ClaimStale: {
      severity: 'warning',
      meaning: 'The machine of a claim was no Ready node within times.provision. It counts, and has no room for pods.',
      mend: 'See the claim in the cluster; delete it from its file if its machine never comes.',
    },
    ClaimsNotInGit: {
      severity: 'warning',
      meaning:
        'The cluster has claims of a pool that the package lacks. They count; nodefit neither keeps nor removes them.',
      mend: 'Add them to the package to keep them there, or delete them.',
    },
    PoolControllerLive: {
      severity: 'warning',
      meaning:
        'Nothing in the package keeps KubeNodeSmith from opening and removing claims of a pool itself: neither a ClusterRole of its manager without create and delete on nodesmithclaims, nor a frozen pool. It would open machines for the same pods, and claims that it removes come back from Git under their old names.',
      mend: 'Use deploy/kubenodesmith/rights or deploy/kubenodesmith/frozen. If the rights are taken elsewhere: severity: [{ code: PoolControllerLive, as: "off" }] in the RenderConfig.',
    },
    PoolNotProtected: {
      severity: 'warning',
      meaning:
        'Nothing keeps a GitOps tool from pruning a NodeSmithPool that is gone from Git. With it KubeNodeSmith removes all its machines.',
      mend: 'Set its annotation argocd.argoproj.io/sync-options: Prune=confirm, kustomize.toolkit.fluxcd.io/prune: disabled, or client.lifecycle.config.k8s.io/deletion: detach.',
    },
    PoolsInTwoPackages: {
      severity: 'warning',
      meaning:
        'Two packages have pools of one cluster. Each places all its pending pods, so a pod that both could serve opens two machines.',
      mend: 'Move the pools of a cluster to one package.',
    },
    NewNodesInRemainder: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'New nodes of a pool would be in no node group that is known, so a remainder serves them, sized for the smallest node, until the first one is in the inventory. Then its agent is replaced.',
      mend: 'Add the shape to spec.shapes of a NodeInventory of your own with this cluster, observedAt, labelKeys and nodeCount: 0.',
    },
    PodsTooLarge: {
      severity: 'warning',
      meaning: 'Pending pods request more than a new machine of any pool gives.',
      mend: 'Add a larger machine to spec.machines, or set sizing: Elastic.',
    },
    PodsHeldBack: {
      severity: 'warning',
      meaning: 'Pending pods get no machine, because a limit of the pool is reached.',
      mend: 'Raise the limit, or wait where it is batchSize.',
    },
    PodsUnserved: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'Pending pods that no pool makes a machine for, by the reason.',
      mend: '',
    },
    PodsPlaced: {
      severity: 'info',
      meaning: 'Pending pods that fit on a node or a machine of the pool, by the machine.',
      mend: '',
    },
    PodsNotModelled: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Pending pods are limited by what is not planned with, such as volumes or required pod affinity. Each opens one machine at most.',
      mend: '',
    },
    MachineDidNotHelp: {
      severity: 'warning',
      meaning:
        'A machine came for a pending pod, and the pod was not scheduled within times.settle: a node with room for it became Ready, or that of the claim opened for it. It opens no other machine, unless other pods took its place on its own and PodsNotModelled does not report it.',
      mend: 'See the events of the pod: what it waits for is no machine of this pool. Create it again to have a machine opened all the same.',
    },
    MinNodesNotReached: {
      severity: 'warning',
      meaning: 'A pool has fewer machines than minNodes, because another of its limits is reached.',
      mend: 'Raise that limit, or lower minNodes.',
    },
    DrainTimeout: {
      severity: 'warning',
      meaning: 'A node cordoned to be removed still has pods after drainTimeout. It is opened again.',
      mend: 'See which pods stay, or raise spec.scaleDown.drainTimeout.',
    },
  }),
}

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES, SIZING_CODES, POOL_CODES)
