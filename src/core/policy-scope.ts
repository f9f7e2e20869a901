import type { Fleet } from '../facts/inventory/index.ts'
import type { SizingSettings } from '../kinds/index.ts'
import { ownerName } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { World } from './world.ts'

/**
 * Returns what a policy rendered before: objects that carry its name, or a former one, in the namespace it renders to,
 * its own or its target's.
 */
export function earlierOf(
  { subject, formerNames, enabled, suspended }: SizingSettings,
  target: KubernetesObject | undefined,
  world: World,
): readonly Item[] {
  const { name, namespace } = subject.metadata
  const owners = [name, ...formerNames].map((one) => ownerName('SizingPolicy', one))
  const isLeft = suspended || !enabled
  const home = namespace ?? target?.metadata.namespace ?? (isLeft ? onlyNamespace(owners[0] ?? '', world) : undefined)
  return world.earlier(owners, home).items
}

/**
 * Returns the namespace that a disabled or suspended policy without namespace rendered to, if its target is gone as
 * well; undefined where its output is in several namespaces, or none.
 */
function onlyNamespace(owner: string, world: World): string | undefined {
  const found = new Set(world.ownedBy(owner).map(({ object }) => object.metadata.namespace))
  return found.size === 1 ? [...found][0] : undefined
}

/**
 * Returns the cluster that a policy renders for: as the policy or the run names it, else as its nodes do; Node objects
 * do not name one.
 */
export function clusterOf(
  fleet: Fleet | undefined,
  { cluster }: Pick<SizingSettings, 'cluster'>,
  { options }: World,
): string | undefined {
  return (cluster ?? options.cluster ?? fleet?.cluster) || undefined
}
