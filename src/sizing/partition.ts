import { type Finding, listNames } from '../finding/index.ts'
import { meetsRequirement } from '../kube/requirement.ts'
import type { SizingSettings } from '../policy/index.ts'
import { doesReport } from './basis.ts'
import { finding } from './codes.ts'
import { rememberedOf } from './earlier-groups.ts'
import type { Draft } from './explicit-groups.ts'
import { type ClassInput, groupsByClass } from './group-by-class.ts'
import { groupsByLabel, type Labelled } from './group-by-label.ts'
import { groupsByRange } from './group-by-range.ts'
import { remainderGroups } from './remainder.ts'

/** The groups of the nodes that carry every label, known and unknown. */
export interface Partition {
  readonly groups: readonly Draft[]
  readonly remainders: readonly Draft[]
  /** Groups that there are none of until their nodes report. */
  readonly left: readonly Draft[]
  readonly findings: readonly Finding[]
}

/** Cuts the nodes that carry every label into groups, as the policy says: by ranges, by classes, or by values. */
export function partitioned(
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

/** A value none of whose nodes reports, and that was not sized before, is not known yet where there is a remainder. */
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

/** The remainders beside known values; each has those nodes of the others that it would serve. */
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
  const members = unsized.flatMap((one) => one.members)
  return remainders.map((draft) => ({
    ...draft,
    members: members.filter(({ shape }) => draft.requirements.every((one) => meetsRequirement(one, shape.labels))),
  }))
}

/** Values none of whose nodes reports what it has are in no class until one does; the remainder serves them, if there is one. */
function unsizedFindings(unsized: readonly Labelled[], { remainder, subject }: SizingSettings): Finding[] {
  if (unsized.length === 0) return []
  const values = listNames(unsized.map(({ values: own }) => own.join(',')))
  const sentence = `${subject.metadata.name}: no node of ${values} reports allocatable cpu and memory`
  return remainder
    ? [finding('NodesNotSized', `${sentence}, so the remainder serves them`, { subject })]
    : [finding('NoAllocatable', `${sentence}, so they are in no class`, { subject })]
}
