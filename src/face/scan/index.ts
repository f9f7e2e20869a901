export { type Judgement, type ScanInput, scanDaemonSets } from './scan.ts'
export { scanJson, scanLines, scanSummary } from './scan-lines.ts'
export type { ScannedDaemonSet, Verdict } from './types.ts'
