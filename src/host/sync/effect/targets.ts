import { isSizingPolicy, targetKindOf } from '../../../kinds/index.ts'
import { memberOf } from '../../../krm/map.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { NamedTargets } from '../collect/collector.ts'
import type { Rendered } from './rendered.ts'

/**
 * The DaemonSets that SizingPolicies of the cluster name as their target, enabled or not, whether or not they render;
 * undefined where the files cannot be read.
 */
export function targetsIn(rendered: Rendered, cluster: string): NamedTargets | undefined {
  if (rendered.kind === 'failed' && rendered.items.length === 0) return undefined
  const targets = new Map<string, string>()
  for (const { object } of rendered.items) {
    if (!isSizingPolicy(object) || targetKindOf(object) !== 'DaemonSet') continue
    if (![undefined, cluster].includes(memberOf(object.spec, 'cluster') as string | undefined)) continue
    const namespace = namespaceOf(object, rendered)
    targets.set(`${namespace}/${String(targetNameOf(object))}`, `${namespace}/${object.metadata.name}`)
  }
  return targets
}

const targetNameOf = ({ spec }: KubernetesObject): unknown => memberOf(memberOf(spec, 'targetRef'), 'name')

/** The namespace of what a policy renders: its own, where it says none that of its target. */
export function namespaceOf(policy: KubernetesObject, { items }: Pick<Rendered, 'items'>): string {
  const isTarget = ({ kind, metadata }: KubernetesObject) =>
    kind === targetKindOf(policy) && metadata.name === targetNameOf(policy)
  const target = items.find(({ object }) => isTarget(object))
  return policy.metadata.namespace ?? target?.object.metadata.namespace ?? 'default'
}
