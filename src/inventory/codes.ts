import { codesAbout, findingOf } from '../finding/index.ts'
import { POLICY_CODES } from '../policy/codes.ts'

/** Codes about nodes, inventories and snapshots. */
export const INVENTORY_CODES = codesAbout('Nodes and inventory', {
  NoNodes: {
    severity: 'error',
    allowable: true,
    meaning: 'The scope of a policy holds no nodes at all. Rendering nothing would remove every agent.',
    mend: 'Put a NodeInventory or Node objects beside the policy, in the same package.',
  },
  TwoSources: {
    severity: 'error',
    meaning: 'A scope holds Node objects beside a NodeInventory, which would count nodes twice.',
    mend: 'Keep one of the two.',
  },
  SeveralClusters: {
    severity: 'error',
    meaning: 'A scope holds inventories of several clusters and the policy does not say which is meant.',
    mend: 'Set spec.cluster of the policy, or give each cluster a package of its own.',
  },
  WrongCluster: {
    severity: 'error',
    allowable: true,
    meaning:
      'The policy or RenderConfig names a cluster of which there is no inventory, or a WorkloadSnapshot is not known to be of the cluster of the nodes.',
    mend: 'Correct spec.cluster, or add what was exported of that cluster.',
  },
  InventoryCut: {
    severity: 'error',
    allowable: true,
    meaning: 'An inventory has another number of nodes than its nodeCount says: it was cut, merged or edited.',
    mend: 'Write the inventory anew with nodefit inventory.',
  },
  InventoryInvalid: {
    severity: 'error',
    meaning: 'An inventory or node cannot be read.',
    mend: 'Write the inventory anew with nodefit inventory.',
  },
  DuplicateNode: {
    severity: 'error',
    meaning: 'A node is named twice in the inventories of one cluster.',
    mend: 'Name each node once.',
  },
  SnapshotCut: {
    severity: 'error',
    allowable: true,
    meaning: 'A WorkloadSnapshot has another number of entries than its collected says: it was cut, merged or edited.',
    mend: 'Write the snapshot anew.',
  },
  NodesNotNamed: {
    severity: 'error',
    meaning: 'Something goes by the names of nodes, and an inventory only counts them.',
    mend: 'Write the inventory without --counts.',
  },
  PartialList: {
    severity: 'error',
    allowable: true,
    meaning: 'A list of nodes is one page of several (metadata.continue or remainingItemCount), so nodes are missing.',
    mend: 'List without a limit: kubectl get nodes -o json --chunk-size=0.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES)
