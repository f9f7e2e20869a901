export {
  type ContainerStep,
  type ContainersLine,
  type CountLine,
  countNodes,
  type DecidedBy,
  type GroupKind,
  type GroupLine,
  groupText,
  kindOfGroup,
  type LargestStep,
  type Line,
  type NodesLine,
  nodesLine,
  type PercentageStep,
  type RowLine,
  type Step,
  type UsageLine,
  type UsedStep,
  type UsedTexts,
  type VariableStep,
} from './account.ts'
export { finding, WORLD_CODES } from './codes.ts'
export { jobText } from './job-text.ts'
export {
  type Kustomization,
  type Kustomizations,
  kustomizationsOf,
  type Patch,
  runsFunction,
} from './kustomizations.ts'
export { indexBy, memo, memoLast, memoOf, once } from './memo.ts'
export {
  type ActionState,
  type Answer,
  type Answers,
  type Constraints,
  type Demand,
  demandOf,
  earliest,
  emptyPlanned,
  type Facts,
  factsOf,
  type Hole,
  keepingAnnotations,
  type LeaveReason,
  type Leaving,
  nodeShare,
  nodeShares,
  nodeTarget,
  type Planned,
  type PlannedAction,
  type Rendered,
  type Share,
} from './planned.ts'
export { type AnyPlanner, acrossOf, checksOf, type PlannedPackage, type Planner, plannedInTurn } from './planner.ts'
export { clusterOf, earlierOf } from './policy-scope.ts'
export { readRequest } from './request.ts'
export { type Key, type Keyring, type Trust, trustOfKeyring } from './trust.ts'
export { aheadFinding, type FlatKeys, isAllowed, judge, type World } from './world.ts'
export { fieldOwners, formerNames, worldsOf } from './worlds.ts'
