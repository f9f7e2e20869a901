import { listOf, memberOf } from '../krm/map.ts'
import type { Item } from '../krm/types.ts'
import { isWorkloadSnapshot } from '../policy/index.ts'
import type { Resource } from './percent.ts'

type Used = Partial<Record<Resource, string>>

/** Looks up what a container of a policy's group was seen to use; undefined where nothing is measured. */
export type UsageOf = (policy: string, group: string, container: string) => Used | undefined

/** Returns a look-up in the WorkloadSnapshots of a list; of several rows the last counts. */
export function usageIn(items: readonly Item[]): UsageOf {
  const found = new Map<string, Used>()
  for (const { object } of items) {
    if (!isWorkloadSnapshot(object)) continue
    for (const row of listOf(memberOf(object.spec, 'usage'))) {
      const seen = memberOf(row, 'seen')
      const used = Object.fromEntries(
        (['cpu', 'memory'] as const).flatMap((resource) => {
          const amount = memberOf(seen, resource)
          return typeof amount === 'string' || typeof amount === 'number' ? [[resource, String(amount)]] : []
        }),
      )
      const [policy, group, container] = ['policy', 'group', 'container'].map((key) => String(memberOf(row, key)))
      found.set(keyOf(policy ?? '', group ?? '', container ?? ''), used)
    }
  }
  return (policy, group, container) => found.get(keyOf(policy, group, container))
}

function keyOf(policy: string, group: string, container: string): string {
  return JSON.stringify([policy, group, container])
}
