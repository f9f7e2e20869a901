export { groupLines, missedLines } from './account.ts'
export type { Basis } from './allocatable.ts'
export { printMemory, roundMemory } from './amount.ts'
export { assignNames, type GroupName } from './assign-names.ts'
export { basisOf, weighed } from './basis.ts'
export { basisMark } from './basis-mark.ts'
export {
  choiceByName,
  keysAt,
  keysOfPolicy,
  notExportedFindings,
  notNamedFindings,
  placementFindings,
} from './checks.ts'
export { chooseLabel, HOSTNAME } from './choose-label.ts'
export { SIZING_CODES } from './codes.ts'
export { type DerivedEnv, deriveEnv, GO_MEMORY_LIMIT } from './derive.ts'
export { type Group, meaningAmong, nameOfGroup, nodesOfGroup } from './group.ts'
export { groupMembers } from './grouping.ts'
export { growingLabels } from './growing-labels.ts'
export { holesOf } from './holes.ts'
export { hysteresisFindings } from './hysteresis.ts'
export { lastingTaint, type Member, membersOf } from './membership.ts'
export { digestOf, type Naming, namesOf, plainName, sanitize } from './name.ts'
export { type Placement, placementKeys, placementOf } from './placement.ts'
export { type ContainerSize, type Share, splitBudget } from './share.ts'
export { budgetOf } from './size.ts'
export { type SizedGroup, sizeGroups } from './size-groups.ts'
export { startFrom } from './start-from.ts'
export { type StartGroup, startGroup } from './start-group.ts'
export { startHeap } from './start-heap.ts'
export { planSuspended } from './suspended.ts'
export { and, requiredTerms, type Terms, withRequired } from './terms.ts'
