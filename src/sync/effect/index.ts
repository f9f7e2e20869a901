export { type EvaluateInput, evaluate } from './evaluate.ts'
export {
  type Effect,
  type Evaluation,
  newMemory,
  type SyncMemory,
} from './evaluation.ts'
export { templateProblem } from './message.ts'
export { isBelow, repositoryPath } from './paths.ts'
export { type Replay, type ReplayInput, replay } from './replay.ts'
export type { EffectSettings } from './settings.ts'
export { readTrailers, type Trailers } from './trailers.ts'
