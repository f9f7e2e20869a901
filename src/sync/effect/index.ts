export { type EvaluateInput, evaluate } from './evaluate.ts'
export {
  type Commit,
  type Effect,
  type Evaluation,
  type FileChanges,
  newMemory,
  type SyncMemory,
} from './evaluation.ts'
export type { EffectSettings } from './settings.ts'
