import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding/index.ts'
import { meetsRequirement } from '../../kube/requirement.ts'
import { doesReport } from './basis.ts'
import { finding } from './codes.ts'
import { rememberedOf } from './earlier-groups.ts'
import type { Draft } from './explicit-groups.ts'
import { type ClassInput, groupsByClass } from './group-by-class.ts'
import { groupsByLabel, type Labelled } from './group-by-label.ts'
import { groupsByRange } from './group-by-range.ts'
import { remainderGroups } from './remainder.ts'

/** The groups of the nodes that have every group label, and remainders for new values. */
export interface Partition {
  readonly groups: readonly Draft[]
  readonly remainders: readonly Draft[]
  /** Groups that the remainder serves until their nodes report. */
  readonly left: readonly Draft[]
  readonly findings: readonly Finding[]
}

/** Divides the nodes that have every group label into groups: by ranges, classes or values, as the policy sets. */
export function partition(
  labelled: readonly Labelled[],
  settings: SizingSettings,
  input: Omit<ClassInput, 'ratio'>,
): Partition {
  const { rangeBounds, classRatio } = settings
  if (rangeBounds !== undefined) return { ...groupsByRange(labelled, settings, rangeBounds), remainders: [], left: [] }
  if (classRatio === undefined) return byLabel(labelled, settings, input)
  const { groups, known, unsized, findings } = groupsByClass(labelled, settings, { ...input, ratio: classRatio })
  return {
    groups,
    remainders: remaindersFor(known, unsized, settings),
    left: [],
    findings: [...findings, ...unsizedFindings(unsized, settings)],
  }
}

/**
 * Groups by value. A value without nodes that report and without an earlier size is left to the remainder, if there is
 * one.
 */
function byLabel(
  labelled: readonly Labelled[],
  settings: SizingSettings,
  { earlier }: Pick<ClassInput, 'earlier'>,
): Partition {
  const remembered = rememberedOf(earlier)
  const { groups, findings } = groupsByLabel(labelled, settings)
  const isLeft = ({ id, members }: Draft) =>
    settings.remainder && !doesReport(members) && remembered.get(id)?.basis === undefined
  const isUnsized = groups.map(isLeft)
  const unsized = labelled.filter((_, index) => isUnsized[index])
  const known = labelled.filter((_, index) => !isUnsized[index])
  return {
    groups: groups.filter((_, index) => !isUnsized[index]),
    remainders: remaindersFor(known, unsized, settings),
    left: groups.filter((_, index) => isUnsized[index]),
    findings: [...findings, ...unsizedFindings(unsized, settings)],
  }
}

/** The remainders besides known values; each has the unsized nodes that it serves. */
function remaindersFor(
  known: readonly Labelled[],
  unsized: readonly Labelled[],
  { remainder, groupLabels }: SizingSettings,
): Draft[] {
  if (!remainder) return []
  const remainders = remainderGroups(
    groupLabels,
    known.map(({ values }) => values),
  )
  const members = unsized.flatMap((entry) => entry.members)
  return remainders.map((draft) => ({
    ...draft,
    members: members.filter(({ shape }) =>
      draft.requirements.every((requirement) => meetsRequirement(requirement, shape.labels)),
    ),
  }))
}

/** Values without nodes that report: a warning where the remainder serves them, else `NoAllocatable`. */
function unsizedFindings(unsized: readonly Labelled[], { remainder, subject }: SizingSettings): Finding[] {
  if (unsized.length === 0) return []
  const values = listNames(unsized.map((entry) => entry.values.join(',')))
  const sentence = `${subject.metadata.name}: no node of ${values} reports allocatable cpu and memory`
  return remainder
    ? [finding('NodesNotSized', `${sentence}, so the remainder serves them`, { subject })]
    : [finding('NoAllocatable', `${sentence}, so they are in no class`, { subject })]
}
