import type { WorkloadSnapshot } from '../../kinds/index.ts'
import { isMap, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { byName, exactInteger, filledText, present, validTime } from './entry-fields.ts'

/** A NodeSmithPool of a WorkloadSnapshot. */
export type SnapshotPool = NonNullable<WorkloadSnapshot['spec']['pools']>[number]

/** A Machine or MachineDeployment of a WorkloadSnapshot. */
export type SnapshotMachine = NonNullable<WorkloadSnapshot['spec']['machines']>[number]

const OWNER_LABEL = 'cluster.x-k8s.io/deployment-name'
const DELETE_MARK = 'cluster.x-k8s.io/delete-machine'
const LIMITS = ['minNodes', 'maxNodes', 'cpuCores', 'memoryMiB'] as const

/** Converts NodeSmithPools to entries of a WorkloadSnapshot, sorted by name. Malformed fields are left out. */
export function snapshotPools(pools: readonly KubernetesObject[]): SnapshotPool[] {
  return pools
    .map(({ metadata, spec, status }) => {
      const limits = memberOf(spec, 'limits')
      const amounts = LIMITS.map((name) => [name, exactInteger(memberOf(limits, name))] as const)
      return {
        namespace: filledText(metadata.namespace),
        name: metadata.name,
        limits: isMap(limits) ? present(Object.fromEntries(amounts)) : undefined,
        lastScaleActivity: validTime(memberOf(status, 'lastScaleActivity')),
        nextClaimSequence: exactInteger(memberOf(status, 'nextClaimSequence')),
        deleting: typeof metadata.deletionTimestamp === 'string' ? true : undefined,
      }
    })
    .map((entry) => present(entry) as SnapshotPool)
    .sort(byName)
}

/** The label that nodes of a pool have, unless its poolLabelKey names another one. */
const POOL_LABEL = 'topology.kubenodesmith.io/pool'

/** Returns the label keys of the nodes of NodeSmithPools: those of their machine templates, and that of the pool. */
export function poolLabelKeys(pools: readonly KubernetesObject[]): string[] {
  const keys = pools.flatMap(({ spec }) => {
    const labels = memberOf(memberOf(spec, 'machineTemplate'), 'labels')
    return [filledText(memberOf(spec, 'poolLabelKey')) ?? POOL_LABEL, ...(isMap(labels) ? Object.keys(labels) : [])]
  })
  return [...new Set(keys)].sort()
}

/**
 * Converts Machines and MachineDeployments of Cluster API to entries of a WorkloadSnapshot, sorted by name. Malformed
 * fields are left out.
 */
export function snapshotMachines(machines: readonly KubernetesObject[]): SnapshotMachine[] {
  return machines
    .map(({ kind, metadata, spec, status }) => {
      const isMachine = kind === 'Machine'
      const { labels, annotations } = metadata
      return {
        kind: isMachine ? undefined : kind,
        namespace: filledText(metadata.namespace),
        name: metadata.name,
        owner: isMachine ? filledText(labels?.[OWNER_LABEL]) : undefined,
        replicas: isMachine ? undefined : exactInteger(memberOf(spec, 'replicas')),
        nodeName: filledText(memberOf(memberOf(status, 'nodeRef'), 'name')),
        createdAt: validTime(metadata.creationTimestamp),
        failed: isMachine && memberOf(status, 'phase') === 'Failed' ? true : undefined,
        deleting: typeof metadata.deletionTimestamp === 'string' ? true : undefined,
        marked: isMachine && annotations?.[DELETE_MARK] !== undefined ? true : undefined,
      }
    })
    .map((entry) => present(entry) as SnapshotMachine)
    .sort((a, b) => byName(a, b) || ((a.kind ?? '') < (b.kind ?? '') ? -1 : 1))
}
