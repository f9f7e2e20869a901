import type { WorkloadSnapshot } from '../../kinds/index.ts'
import type { Finding, Read, Subject } from '../../krm/finding/index.ts'
import { Quantity, type ResourceQuantities } from '../../kube/index.ts'
import { amountFindings, duplicateFindings, invalidEntry, timeFindings } from './live-checks.ts'

/** A row of usage: what one container of a policy uses in one node group, and the sizes that are settled from it. */
export type UsageRow = NonNullable<WorkloadSnapshot['spec']['usage']>[number]

/** Reads the usage of a snapshot; without a value the snapshot does not record it. */
export function readUsage(subject: Subject, { usage }: WorkloadSnapshot['spec']): Read<readonly UsageRow[]> {
  if (usage === undefined) return { findings: [] }
  const findings = [
    ...usage.flatMap((row, index) => rowFindings(subject, row, `spec.usage.${index}`)),
    ...duplicateFindings(subject, 'usage', usage.map(usageKey)),
  ]
  return findings.length > 0 ? { findings } : { value: usage, findings }
}

/** Names a row of usage; no two have one name. */
export function usageKey({ policy, container, group }: Pick<UsageRow, 'policy' | 'container' | 'group'>): string {
  return `${policy}, container ${container}, group ${group}`
}

function rowFindings(subject: Subject, row: UsageRow, path: string): Finding[] {
  const { node, emptySince, seen = {}, newest, kills, follows = {}, ages = {}, settled } = row
  const { peakAt, ...used } = seen
  const { at, why, raisedAt = [], ...sizes } = settled ?? {}
  const limit: ResourceQuantities = kills?.limit === undefined ? {} : { limit: kills.limit }
  const times: Array<readonly [path: string, entry: Record<string, string | undefined>]> = [
    [path, { emptySince }],
    [`${path}.kills`, { last: kills?.last }],
    [`${path}.settled`, { at }],
    [`${path}.settled.raisedAt`, Object.fromEntries(raisedAt.entries())],
  ]
  return [
    ...Object.entries({ node: node ?? {}, seen: used, kills: limit, follows, ages, settled: sizes }).flatMap(
      ([part, amounts]) => usedFindings(subject, amounts as ResourceQuantities, `${path}.${part}`),
    ),
    ...dayFindings(subject, newest, `${path}.newest`),
    ...dayFindings(subject, peakAt, `${path}.seen.peakAt`),
    ...times.flatMap(([at, entry]) => timeFindings(subject, entry, Object.keys(entry), at)),
  ]
}

/** The largest amounts, a million cores and 10^9 MiB: what is larger is a mistake, and no number counts it exactly. */
const [MOST_NANO_CORES, MOST_NANO_BYTES] = [10n ** 15n, 10n ** 18n * 2n ** 20n]

/** Finds amounts of usage that are no quantities, negative, or larger than any machine has; and sizes of nothing. */
function usedFindings(subject: Subject, amounts: ResourceQuantities, path: string): Finding[] {
  const isSize = path.endsWith('.settled')
  const malformed = amountFindings(subject, amounts, path)
  if (malformed.length > 0) return malformed
  return Object.entries(amounts).flatMap(([name, text]) => {
    const nano = Quantity.parse(text).nanoValue()
    const most = /cpu$/i.test(name) ? MOST_NANO_CORES : MOST_NANO_BYTES
    if ((isSize ? nano > 0n : nano >= 0n) && nano <= most) return []
    return [
      invalidEntry(subject, `${path}.${name}`, text, (at) => `${at} is ${text}, which is not what a container can use`),
    ]
  })
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Finds a day that is not written as `2026-11-12`. */
function dayFindings(subject: Subject, day: string | undefined, path: string): Finding[] {
  if (day === undefined || (DAY.test(day) && !Number.isNaN(Date.parse(day)))) return []
  return [invalidEntry(subject, path, day, (at) => `${at} is "${day}", not a day such as 2026-11-12`)]
}
