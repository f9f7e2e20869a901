import { nearest } from '../../kinds/index.ts'
import {
  chooseClasses,
  chooseGrouping,
  classesOf,
  type GroupingChoice,
  HOSTNAME,
  type Member,
  rangeChoices,
} from '../../plan/sizing/index.ts'
import { UserError } from '../files/user-error.ts'

/**
 * The grouping of a first policy: as --group-by asks, else as suits the nodes (`chooseGrouping`). A label is grouped by
 * value, host names by classes, integers that grow with node size by ranges. Throws `UserError` where the nodes have
 * nothing to group by in that way.
 */
export function firstGrouping(members: readonly Member[], asked: string | undefined): GroupingChoice {
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  const have = `the nodes have ${known.join(', ') || 'none'}`
  if (asked === undefined) {
    const chosen = chooseGrouping(members)
    if (chosen !== undefined) return chosen
    throw new UserError(
      `nodefit knows no label of the nodes that tells their types apart: choose one with --group-by KEY; ${have}`,
    )
  }
  if (asked === 'classes') {
    const classes = chooseClasses(members)
    if (classes !== undefined) return classes
    throw new UserError(
      '--group-by classes: no instance type tells node sizes apart, and the names of these nodes come and go with them: group by a label with --group-by KEY',
    )
  }
  if (asked === 'ranges') {
    const [ranges] = rangeChoices(members)
    if (ranges !== undefined) return ranges
    throw new UserError(`--group-by ranges: no label of the nodes is a number that grows with their size; ${have}`)
  }
  if (!known.includes(asked)) {
    const guess = nearest(asked, [...known, 'classes', 'ranges'])
    const hint = guess === undefined ? `; ${have}` : `; did you mean ${guess}?`
    throw new UserError(`--group-by ${asked}: no node that the agent runs on has this label${hint}`)
  }
  if (asked === HOSTNAME) return classesOf(HOSTNAME)
  const labelled = members.filter(({ shape }) => Object.hasOwn(shape.labels, asked))
  const isOfAsked = (choice: GroupingChoice) => 'nodeGroupRanges' in choice && choice.nodeGroupRanges.label === asked
  return rangeChoices(labelled).find(isOfAsked) ?? { nodeGroupLabel: asked }
}
