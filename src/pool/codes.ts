import { codesAbout, findingOf } from '../finding/index.ts'
import { INVENTORY_CODES } from '../inventory/codes.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { SIZING_CODES } from '../sizing/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes of the summary of a pool. */
const SUMMARY_CODES = codesAbout('Summary', {
  PoolSummary: {
    roles: ['summary', 'shown'],
    severity: 'info',
    meaning:
      'The first result of a PoolPolicy: counts its nodes, the machines in flight, added, kept and leaving, and the pending pods that they serve and do not serve.',
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
      meaning: 'A field of a NodeSmithPool or PoolPolicy has a value with which no machine can be planned.',
      mend: 'Correct the field.',
    },
    DuplicatePool: {
      severity: 'error',
      meaning:
        'Two PoolPolicies plan one pool, or their machines would have the same names, which are also those of nodes.',
      mend: 'Give each pool a policy and a namePrefix of its own.',
    },
    ProviderMissing: {
      severity: 'error',
      allowable: true,
      meaning:
        'The NodeSmithProvider of a pool is not in the package, so what it adds to the memory of each machine is unknown.',
      mend: 'Add the NodeSmithProvider to the package; or allow ProviderMissing, if it adds nothing.',
    },
    ProviderUnsupported: {
      severity: 'warning',
      meaning: 'The provider of a pool has a type that KubeNodeSmith does not make machines with.',
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
      meaning:
        'A pool needs parts of a WorkloadSnapshot that were not collected: what is unknown is never taken for empty.',
      mend: 'Write the snapshot with nodefit inventory --pods and --claims, or with nodefit sync and collect: [pending, pools]. If allowed, every claim stays as it is until then.',
    },
    ClaimsUnknown: {
      severity: 'error',
      meaning:
        'Neither the earlier output nor a WorkloadSnapshot shows which claims exist. Rendering without them would remove running machines.',
      mend: 'Write the snapshot with nodefit inventory --claims, or pass --earlier DIR to nodefit build.',
    },
    SnapshotsApart: {
      severity: 'error',
      allowable: true,
      meaning:
        'A WorkloadSnapshot and the inventory of its cluster were written more than a minute apart, so a machine may be a node in one and not in the other.',
      mend: 'Write both in one command: nodefit inventory with --pods and --claims.',
    },
    SnapshotOlder: {
      severity: 'error',
      meaning:
        'A claim was opened, or a node marked, after the time of this run: the snapshot is older than what was rendered from it.',
      mend: 'Use the newer snapshot.',
    },
    NeedsInventory: {
      severity: 'error',
      meaning:
        'A partial Node must be rendered, and the package has Node objects as its inventory: the two would be one object.',
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
      meaning:
        'The machine of a claim has not become a Ready node within times.provision. It counts, and has no room for pods.',
      mend: 'See the claim in the cluster; delete it from its file if its machine never comes.',
    },
    ClaimsNotInGit: {
      severity: 'warning',
      meaning:
        'The cluster has claims of a pool that the package does not have. They count, and nodefit does not keep or remove them.',
      mend: 'Add them to the package to keep them there, or delete them.',
    },
    PodsTooLarge: {
      severity: 'warning',
      meaning: 'Pending pods request more than a new machine of any pool can give them.',
      mend: 'Add a larger machine to spec.machines, or set sizing: Elastic.',
    },
    PodsHeldBack: {
      severity: 'warning',
      meaning: 'Pending pods get no machine, because a limit of the pool has no room for one.',
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
        'Pending pods are limited by something that is not planned with, such as volumes or required pod affinity. Each opens one machine at most.',
      mend: '',
    },
    MachineDidNotHelp: {
      severity: 'warning',
      meaning:
        'A node with room for a pending pod became Ready, and the pod was not scheduled there within times.settle. The pod opens no other machine.',
      mend: 'See the events of the pod: what it waits for is no machine of this pool.',
    },
    MinNodesNotReached: {
      severity: 'warning',
      meaning: 'A pool has fewer machines than minNodes, because another of its limits has no room.',
      mend: 'Raise that limit, or lower minNodes.',
    },
    DrainTimeout: {
      severity: 'warning',
      meaning: 'A node was cordoned to be removed and still has pods after drainTimeout. It is opened again.',
      mend: 'See which pods stay, or raise spec.scaleDown.drainTimeout.',
    },
  }),
}

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES, SIZING_CODES, POOL_CODES)
