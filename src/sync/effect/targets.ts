import { memberOf } from '../../krm/map.ts'
import { isSizingPolicy, targetKindOf } from '../../policy/index.ts'
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
    const { namespace = 'default', name } = object.metadata
    const target = memberOf(memberOf(object.spec, 'targetRef'), 'name')
    targets.set(`${namespace}/${String(target)}`, `${namespace}/${name}`)
  }
  return targets
}
