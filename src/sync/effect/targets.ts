import { memberOf } from '../../krm/map.ts'
import { isSizingPolicy, targetKindOf } from '../../policy/index.ts'
import type { NamedTargets } from '../collect/collector.ts'
import type { Rendered } from './rendered.ts'

/** The DaemonSets that SizingPolicies name as their target, enabled or not; undefined where the render failed. */
export function targetsIn(rendered: Rendered): NamedTargets | undefined {
  if (rendered.kind === 'failed') return undefined
  const targets = new Map<string, string>()
  const packages = rendered.kind === 'nothing' ? [] : rendered.plan.packages
  for (const { subject } of packages.flatMap(({ planned }) => planned)) {
    const { metadata, spec } = subject.object
    if (!isSizingPolicy(subject.object) || targetKindOf(subject.object) !== 'DaemonSet') continue
    const namespace = metadata.namespace ?? 'default'
    targets.set(
      `${namespace}/${String(memberOf(memberOf(spec, 'targetRef'), 'name'))}`,
      `${namespace}/${metadata.name}`,
    )
  }
  return targets
}
