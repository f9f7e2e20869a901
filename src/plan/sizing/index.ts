export { type Basis, basisOf, hysteresisFindings, reportingMembers } from './basis.ts'
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
export { type Carrier, carriersOf, MACHINE_LABELS } from './day-one/carriers.ts'
export { type DayOne, dayOne, type Proposal } from './day-one/day-one.ts'
export { lookAt, runningContainers } from './day-one/look.ts'
export { isTodays, type Sized } from './day-one/need.ts'
export { type DayAgent, type DayContainer, type Part, podAmount } from './day-one/parts.ts'
export { basisMark } from './earlier-groups.ts'
export { type Group, nameKeyAmong, nameOfGroup, nodesOfGroup } from './group.ts'
export {
  choiceByName,
  keysAt,
  keysOfPolicy,
  notExportedFindings,
  notNamedFindings,
  placementFindings,
} from './group-findings.ts'
export { holesOf } from './group-spread.ts'
export { groupMembers } from './grouping.ts'
export { type Member, membersOf } from './membership.ts'
export {
  assignNames,
  digestOf,
  type FirstNames,
  firstNames,
  type GroupName,
  type Naming,
  namesOf,
  namesText,
  plainName,
  sanitize,
} from './names.ts'
export { type Placement, placementKeys, placementOf } from './placement.ts'
export {
  type GroupContext,
  type GroupToRender,
  groupLines,
  missedLines,
  planGroups,
  planSuspended,
  type RenderedGroups,
} from './plan-groups.ts'
export { budgetOf, type ContainerSize, printMemory, roundMemory, type Share, splitBudget } from './size.ts'
export { type SizedGroup, sizeGroups } from './size-groups.ts'
export { mergeEqualGroups, QUARTER, runningNodes, type Start, sizeTexts, startWithin } from './start-budget.ts'
export { type DerivedEnv, deriveEnv, GO_MEMORY_LIMIT, startHeap } from './start-decimals.ts'
export { type Factors, type StartGroup, startFrom, startGroup, startGroupText } from './start-from.ts'
export { and, requiredTerms, type Terms, withRequired } from './terms.ts'
export { USAGE_CODES } from './usage/findings.ts'
