import type { Fleet } from '../inventory/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { World } from './world.ts'

/** The cluster that a policy renders for: as it or the run names it, else as its nodes say; Node objects do not. */
export function clusterOf(
  fleet: Fleet | undefined,
  { cluster }: Pick<SizingSettings, 'cluster'>,
  { options }: World,
): string | undefined {
  return (cluster ?? options.cluster ?? fleet?.cluster) || undefined
}
