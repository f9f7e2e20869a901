export { groupLines, missedLines } from './account.ts'
export { assignNames, type FirstNames, firstNames, type GroupName, namesText } from './assign-names.ts'
export type { Basis } from './basis.ts'
export { basisOf, reportingMembers } from './basis.ts'
export {
  choiceByName,
  keysAt,
  keysOfPolicy,
  notExportedFindings,
  notNamedFindings,
  placementFindings,
} from './checks.ts'
export { hysteresisFindings } from './choose-basis.ts'
export {
  chooseClasses,
  chooseGrouping,
  chooseLabel,
  classesOf,
  type GroupingChoice,
  growingLabels,
  HOSTNAME,
  INSTANCE_TYPE,
  rangeChoices,
} from './choose-label.ts'
export { SIZING_CODES } from './codes.ts'
export { type DerivedEnv, deriveEnv, GO_MEMORY_LIMIT } from './derive.ts'
export { basisMark } from './earlier-groups.ts'
export { type Group, nameKeyAmong, nameOfGroup, nodesOfGroup } from './group.ts'
export { holesOf } from './group-regions.ts'
export { groupMembers } from './grouping.ts'
export { type Member, membersOf } from './membership.ts'
export { digestOf, type Naming, namesOf, plainName, sanitize } from './name.ts'
export { type Placement, placementKeys, placementOf } from './placement.ts'
export { type GroupContext, type GroupToRender, planGroups, type RenderedGroups } from './plan-groups.ts'
export { type ContainerSize, type Share, splitBudget } from './share.ts'
export { budgetOf, printMemory, roundMemory } from './size.ts'
export { type SizedGroup, sizeGroups } from './size-groups.ts'
export { mergeEqualGroups, QUARTER, runningNodes, type Start, sizeTexts, startWithin } from './start-budget.ts'
export { startHeap } from './start-decimals.ts'
export { type Factors, type StartGroup, startFrom, startGroup, startGroupText } from './start-from.ts'
export { planSuspended } from './suspended.ts'
export { and, requiredTerms, type Terms, withRequired } from './terms.ts'
export { USAGE_CODES } from './usage/codes.ts'
