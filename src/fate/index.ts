export type { AgentStop, Change, ChangeKind, PlannedChanges, PodChange } from './change.ts'
export { differenceText, placementKeys, staleFindings } from './change-findings.ts'
export { CHANGE_CODES } from './codes.ts'
export { releaseTemplate, withOutputMarks } from './hand-over.ts'
export { listFolder } from './listed-files.ts'
export { itemsAfter, type Outcome, outcomeOf } from './outcome.ts'
export {
  lossesIn,
  lostAgentsSentence,
  type Requests,
  type Restart,
  requestsReader,
  restartOfTemplate,
  restartsOf,
} from './restarts.ts'
export {
  candidateTexts,
  mayStayText,
  summaries,
  type Total,
  type Totals,
  totalsOf,
  totalsText,
  usedText,
} from './summary.ts'
