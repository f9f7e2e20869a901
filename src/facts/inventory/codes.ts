import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'

/** Codes about nodes, inventories and snapshots. */
export const INVENTORY_CODES = codesAbout('Nodes and inventory', {
  NoNodes: {
    severity: 'error',
    allowable: true,
    meaning: 'The scope of a policy has no nodes: every agent would be removed.',
    mend: 'Add a NodeInventory or Node objects to its package.',
  },
  TwoSources: {
    roles: ['attention'],
    severity: 'error',
    meaning: 'A scope has Node objects and a NodeInventory: nodes would count twice.',
    mend: 'Keep one of the two.',
  },
  SeveralClusters: {
    roles: ['attention'],
    severity: 'error',
    meaning:
      'A scope has inventories of several clusters, and the policy names none, or two of one name with different clusterUids.',
    mend: 'Set spec.cluster of the policy, or give each cluster its own package.',
  },
  WrongCluster: {
    roles: ['attention'],
    severity: 'error',
    allowable: true,
    meaning:
      'A policy or RenderConfig names a cluster without an inventory, or a WorkloadSnapshot may be of another than the nodes, by name or clusterUid.',
    mend: 'Correct spec.cluster, or add the inventory or snapshot of that cluster.',
  },
  InventoryCut: {
    severity: 'error',
    allowable: true,
    meaning: 'An inventory has another number of nodes than its nodeCount: it was truncated, merged or edited.',
    mend: 'Write the inventory again with nodefit inventory.',
  },
  InventoryInvalid: {
    severity: 'error',
    meaning: 'An inventory or node cannot be read.',
    mend: 'Write the inventory again with nodefit inventory.',
  },
  DuplicateNode: {
    severity: 'error',
    meaning: 'The inventories of one cluster name a node twice.',
    mend: 'Name each node once.',
  },
  SnapshotCut: {
    severity: 'error',
    allowable: true,
    meaning: 'A WorkloadSnapshot has another number of entries than its collected: it was truncated, merged or edited.',
    mend: 'Write the snapshot again.',
  },
  SnapshotDuplicate: {
    severity: 'error',
    meaning: 'A WorkloadSnapshot lists a node, pod, claim, pool, machine or row of usage twice.',
    mend: 'Write the snapshot again.',
  },
  SnapshotStale: {
    severity: 'warning',
    meaning:
      'A WorkloadSnapshot is over an hour older than the inventory: Tickets may not be renewed, and free room may be wrong.',
    mend: 'Write both in one command: nodefit inventory with --tickets or --pods.',
  },
  NodesNotNamed: {
    severity: 'error',
    meaning: 'A setting or object needs node names, and an inventory only counts nodes.',
    mend: 'Write the inventory without --counts.',
  },
  PartialList: {
    severity: 'error',
    allowable: true,
    meaning: 'A list of nodes is one page of several (metadata.continue or remainingItemCount).',
    mend: 'List without a limit, such as kubectl get nodes -o json --chunk-size=0.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES)
