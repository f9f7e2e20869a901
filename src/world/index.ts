export {
  type ContainersLine,
  type CountLine,
  countNodes,
  type GroupKind,
  type GroupLine,
  type Line,
  type NodesLine,
  nodesLine,
  type Step,
} from './account.ts'
export { clusterOf } from './cluster.ts'
export { finding, WORLD_CODES } from './codes.ts'
export { formerNames } from './duplicates.ts'
export { earlierOf } from './earlier.ts'
export { earliest } from './earliest.ts'
export { plannedInTurn } from './in-turn.ts'
export { groupText, kindOfGroup } from './kind-of-group.ts'
export { indexBy, memo, memoOf, once } from './memo.ts'
export { isAllowed } from './options.ts'
export {
  type AnyPlanner,
  type Constraints,
  type Hole,
  leavingOf,
  type Planned,
  type Planner,
  type Rendered,
} from './planner.ts'
export { readRequest } from './request.ts'
export type { World } from './world.ts'
export { worldsOf } from './worlds.ts'
