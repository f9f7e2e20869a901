import { readLive, type UsageRow } from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import { isSizingPolicy, isWorkloadSnapshot, readSizingPolicy } from '../policy/index.ts'
import { policyUsage, rowOwner, usedText } from '../sizing/index.ts'
import { memo, type Planned } from '../world/index.ts'
import type { Resource } from './percent.ts'

type Used = Partial<Record<Resource, string>>

/** Looks up what a container of a group was seen to use; undefined where nothing is measured. */
export type UsageOf = (group: string, container: string) => Used | undefined

/**
 * Returns a look-up of the usage of policies in the WorkloadSnapshots of a list: the rows of its cluster that it is
 * sized by, those of its former names too.
 */
export function usageIn(items: readonly Item[]): (planned: Planned) => UsageOf {
  const snapshots = items.map(({ object }) => object).filter(isWorkloadSnapshot)
  const rowsOf = memo((cluster: string): readonly UsageRow[] => readLive(snapshots, cluster).value?.usage ?? [])
  return ({ subject: { object }, cluster = '', objects }) => {
    const { settings } = isSizingPolicy(object) ? readSizingPolicy(object) : {}
    if (settings === undefined) return () => undefined
    const usage = policyUsage(rowsOf(cluster), rowOwner(settings, objects[0]?.object.metadata.namespace))
    return (group, container) => {
      const { cpu, memory } = usage.of(container, group)?.seen?.used ?? {}
      return {
        ...(cpu !== undefined && { cpu: usedText('cpu', cpu) }),
        ...(memory !== undefined && { memory: usedText('memory', memory) }),
      }
    }
  }
}
