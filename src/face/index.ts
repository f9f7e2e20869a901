export { totalsOf, totalsText } from '../fate/index.ts'
export { answersTo, isGroupCalled, policyNames, type Question, type SubjectAnswer } from './answers.ts'
export {
  alignedLines,
  beginningOf,
  type Cell,
  displayWidth,
  NONE,
  type Paint,
  plain,
  printable,
  type Role,
  shortened,
} from './columns.ts'
export { COMMENT_MARK, diffLines, diffMarkdown, type ObjectDiff } from './diff.ts'
export { explained, folded, messageOf } from './explain.ts'
export { fleetJson } from './fleet-json.ts'
export type { FleetJson } from './fleet-types.ts'
export { type Amount, type GroupRow, groupRows, resourcesIn } from './group-rows.ts'
export { overviewLines, overviewOfSeveral } from './overview.ts'
export { planJson, untilOf } from './plan-json.ts'
export { toResults, withoutOurs } from './render.ts'
export { briefLines, reportLines } from './report.ts'
export { annotationLines, type PlacedFinding, sarifLog } from './sarif.ts'
