import {
  type SnapshotMachine,
  type SnapshotPool,
  snapshotMachines,
  snapshotPools,
} from '../../../facts/inventory/index.ts'
import { KUBENODESMITH } from '../../../kinds/index.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { Collector } from './collector.ts'
import { type CollectorOptions, optionalResource, resourceCollector, sortedByKey } from './optional-resource.ts'

const CLUSTER_API = 'cluster.x-k8s.io/v1beta2'

/** Collects the NodeSmithPools of the cluster. A change starts an evaluation. */
export function poolsCollector(options: CollectorOptions): Collector {
  const trim = (object: KubeObject) => snapshotPools([object as unknown as KubernetesObject])[0] as SnapshotPool
  return resourceCollector(options, 'pools', KUBENODESMITH, 'nodesmithpools', trim, (pools) => ({ pools }))
}

/** Collects the Machines and MachineDeployments of Cluster API. A change starts an evaluation. */
export function machinesCollector(options: CollectorOptions): Collector {
  const [machines, deployments] = (
    [
      ['machines', 'Machine'],
      ['machinedeployments', 'MachineDeployment'],
    ] as const
  ).map(([resource, kind]) =>
    optionalResource(options, CLUSTER_API, resource, (object): SnapshotMachine => {
      // items of a list have no kind
      const [entry] = snapshotMachines([{ ...object, kind } as unknown as KubernetesObject])
      return entry as SnapshotMachine
    }),
  ) as [ReturnType<typeof optionalResource<SnapshotMachine>>, ReturnType<typeof optionalResource<SnapshotMachine>>]
  return {
    name: 'machines',
    start: async (signal) => {
      await Promise.all([machines, deployments].map((one) => one.start(AbortSignal.any([signal]))))
    },
    get isSynced() {
      return machines.isSynced && deployments.isSynced
    },
    part() {
      const known = [machines.items, deployments.items]
      const isKnown = known.every((items) => items !== undefined)
      return isKnown ? { machines: known.flatMap((items) => sortedByKey(items ?? new Map())) } : {}
    },
  }
}
