import { ownValue } from './label-value.ts'
import type { Member } from './membership.ts'

/** Members with the same value of each label. */
export interface Labelled {
  readonly values: readonly string[]
  readonly members: readonly Member[]
}

/** Members by the values of labels, in the order of these; and for each label those that lack it and none before it. */
export function splitByLabels(
  members: readonly Member[],
  labels: readonly string[],
): { labelled: Labelled[]; missing: Member[][] } {
  const labelled = new Map<string, { values: string[]; members: Member[] }>()
  const missing = labels.map((): Member[] => [])
  for (const member of members) {
    const values = labels.map((label) => ownValue(member.shape.labels, label))
    const first = values.indexOf(undefined)
    if (first >= 0) {
      missing[first]?.push(member)
      continue
    }
    const key = JSON.stringify(values)
    const entry = labelled.get(key)
    if (entry === undefined) labelled.set(key, { values: values as string[], members: [member] })
    else entry.members.push(member)
  }
  const sorted = [...labelled].sort(([a], [b]) => (a < b ? -1 : 1))
  return { labelled: sorted.map(([, entry]) => entry), missing }
}
