import type { World } from '../../core/index.ts'
import { KUBENODESMITH, type NodeSmithPool } from '../../kinds/index.ts'
import { plural, type Read } from '../../krm/finding/index.ts'
import { memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'

/** What makes the machines of a pool, as far as a plan depends on it. */
export interface Provider {
  /** What it adds to the memory of each machine, in MiB. */
  readonly memoryOverheadMiB: number
}

/** Reads the NodeSmithProvider of a pool, in its namespace; the value is always given. */
export function readProvider(
  pool: KubernetesObject,
  { providerRef, limits }: NodeSmithPool['spec'],
  world: World,
): Required<Read<Provider>> {
  const wanted = { apiVersion: KUBENODESMITH, kind: 'NodeSmithProvider', name: providerRef }
  const found = world
    .named(wanted)
    .find(({ object }) => (object.metadata.namespace ?? '') === (pool.metadata.namespace ?? ''))
  if (found === undefined) {
    const sentence = `NodeSmithPool ${pool.metadata.name}: there is no NodeSmithProvider ${providerRef || '""'} in the package`
    const field = { path: 'spec.providerRef', currentValue: providerRef }
    return {
      value: { memoryOverheadMiB: 0 },
      findings: [finding('ProviderMissing', sentence, { subject: pool, field })],
    }
  }
  const { object: subject } = found
  const type = memberOf(subject.spec, 'type')
  const proxmox = memberOf(subject.spec, 'proxmox')
  const overhead = memberOf(proxmox, 'vmMemOverheadMiB') ?? 0
  const isNumber = Number.isSafeInteger(overhead) && (overhead as number) >= 0
  const range = memberOf(proxmox, 'vmIDRange')
  const [lower, upper] = [memberOf(range, 'lower'), memberOf(range, 'upper')].map(Number)
  const ids = (upper ?? Number.NaN) - (lower ?? Number.NaN) + 1
  const name = `NodeSmithProvider ${providerRef}`
  return {
    value: { memoryOverheadMiB: isNumber ? (overhead as number) : 0 },
    findings: [
      ...(isNumber
        ? []
        : [finding('PoolInvalid', `${name}: spec.proxmox.vmMemOverheadMiB is not a number of MiB`, { subject })]),
      ...(type === 'proxmox' || type === undefined
        ? []
        : [
            finding('ProviderUnsupported', `${name}: KubeNodeSmith has no machines of type ${String(type)}`, {
              subject,
            }),
          ]),
      ...(ids < limits.maxNodes
        ? [
            finding(
              'ProviderRangeShort',
              `${name} has ${plural(ids, 'machine id')}, but the pool may have ${plural(limits.maxNodes, 'node')}`,
              {
                subject,
                field: { path: 'spec.proxmox.vmIDRange', currentValue: range },
              },
            ),
          ]
        : []),
    ],
  }
}
