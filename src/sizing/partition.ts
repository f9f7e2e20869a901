import { type Finding, listNames } from '../finding/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'
import type { Draft } from './draft.ts'
import { type ClassInput, groupsByClass } from './group-by-class.ts'
import { groupsByLabel } from './group-by-label.ts'
import { groupsByRange } from './group-by-range.ts'
import { remainderGroups } from './remainder.ts'
import type { Labelled } from './split-by-labels.ts'

/** The groups of the nodes that carry every label, known and unknown. */
export interface Partition {
  readonly groups: readonly Draft[]
  readonly remainders: readonly Draft[]
  readonly findings: readonly Finding[]
}

/** Cuts the nodes that carry every label into groups, as the policy says: by ranges, by classes, or by values. */
export function partitioned(
  labelled: readonly Labelled[],
  settings: SizingSettings,
  input: Omit<ClassInput, 'ratio'>,
): Partition {
  const { rangeBounds, classRatio, groupLabels } = settings
  const remaindersBeside = (known: readonly Labelled[]) =>
    settings.remainder
      ? remainderGroups(
          groupLabels,
          known.map(({ values }) => values),
        )
      : []
  if (rangeBounds !== undefined) return { ...groupsByRange(labelled, settings, rangeBounds), remainders: [] }
  if (classRatio === undefined) return { ...groupsByLabel(labelled, settings), remainders: remaindersBeside(labelled) }
  const { groups, known, unsized, findings } = groupsByClass(labelled, settings, { ...input, ratio: classRatio })
  const members = unsized.flatMap((one) => one.members)
  return {
    groups,
    remainders: remaindersBeside(known).map((remainder) => ({ ...remainder, members })),
    findings: [...findings, ...unsizedFindings(unsized, settings)],
  }
}

/** Values none of whose nodes reports what it has are in no class until one does; the remainder serves them, if there is one. */
function unsizedFindings(unsized: readonly Labelled[], { remainder, subject }: SizingSettings): Finding[] {
  if (unsized.length === 0) return []
  const values = listNames(unsized.map(({ values: [value = ''] }) => value))
  const sentence = `${subject.metadata.name}: no node of ${values} reports allocatable cpu and memory`
  return remainder
    ? [finding('NodesNotSized', `${sentence}, so the remainder serves them`, { subject })]
    : [finding('NoAllocatable', `${sentence}, so they are in no class`, { subject })]
}
