import { indexBy, memo, type World } from '../../../core/index.ts'
import { isSizingPolicy } from '../../../kinds/index.ts'
import { scalarText } from '../../../krm/map.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'

const policies = new WeakMap<World, ReadonlyMap<string, readonly Item[]>>()

/** Whether an enabled policy of the package sizes the Order, even if that policy has errors. */
export function isTargetOfPolicy({ object }: Item, world: World): boolean {
  const { namespace, name } = object.metadata
  return policiesOf(world, object.kind, name).some(({ object: policy }) => {
    const home = policy.metadata.namespace
    return isEnabled(policy) && (home === undefined || home === namespace)
  })
}

/**
 * Returns a predicate for names of objects rendered from an Order: they begin with the Order's name, and not with a
 * longer name of another Order of the package.
 */
export function nameTells(order: KubernetesObject, { items }: World): (object: KubernetesObject) => boolean {
  const prefix = `${order.metadata.name}-`
  const longerOnes = memo((start: string) =>
    items.flatMap(({ object }) => {
      const longer = `${object.metadata.name}-`
      return object.kind === order.kind && ownerOf(object) === undefined && longer.startsWith(start) && longer !== start
        ? [longer]
        : []
    }),
  )
  return ({ metadata }) => {
    const name = String(metadata.name)
    return name.startsWith(prefix) && !longerOnes(prefix).some((other) => name.startsWith(other))
  }
}

/** Returns the policies that target an Order; they are indexed once for a package. */
function policiesOf(world: World, kind: string, name: string): readonly Item[] {
  const known = policies.get(world) ?? indexBy(world.subjects, ({ object }) => targetOf(object))
  policies.set(world, known)
  return known.get(`${kind} ${name}`) ?? []
}

function targetOf(object: KubernetesObject): string | undefined {
  if (!isSizingPolicy(object) || ownerOf(object) !== undefined) return undefined
  const { targetRef } = (object.spec ?? {}) as { targetRef?: { kind?: unknown; name?: unknown } | null }
  return `${scalarText(targetRef?.kind)} ${scalarText(targetRef?.name)}`
}

function isEnabled({ spec }: KubernetesObject): boolean {
  const { enabled, suspend } = (spec ?? {}) as { enabled?: unknown; suspend?: unknown }
  return enabled !== false || suspend === true
}
