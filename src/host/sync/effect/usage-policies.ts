import { isSizingPolicy, readSizingPolicy } from '../../../kinds/index.ts'
import type { UsagePolicies, UsagePolicy } from '../collect/collector.ts'
import type { Rendered } from './rendered.ts'
import { namespaceOf } from './targets.ts'

/**
 * What the collector of usage needs to know of SizingPolicies, by namespace and name; undefined where the files cannot
 * be read.
 */
export function usagePoliciesIn(rendered: Rendered): UsagePolicies | undefined {
  if (rendered.kind === 'failed' && rendered.items.length === 0) return undefined
  const policies = new Map<string, UsagePolicy>()
  for (const { object } of rendered.items) {
    const { settings } = isSizingPolicy(object) ? readSizingPolicy(object) : {}
    if (settings === undefined) continue
    const [namespace, name] = [namespaceOf(object, rendered), object.metadata.name]
    const { formerNames, nodeGroupKey, containers = [], baseName, env } = settings
    const chosen = containers.map((container) => container.name)
    policies.set(`${namespace}/${name}`, {
      formerNames: formerNames.map((former) => `${namespace}/${former}`),
      groupLabel: nodeGroupKey,
      ...(chosen.length > 0 && { containers: chosen }),
      mainContainer: baseName,
      heaps: env.flatMap(({ container, from }) => (from === 'limits.memory' ? [container ?? ''] : [])),
    })
  }
  return policies
}
