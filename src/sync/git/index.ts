export { GitFailure } from './failure.ts'
export { PathRefused } from './paths.ts'
export { type PushingOptions, pushing } from './pushing.ts'
export { type FailureKind, REASONS, type Reason } from './rejections.ts'
export { openRepository } from './repository.ts'
export type {
  Pushed,
  PushResult,
  Rejected,
  Repository,
  RepositoryOptions,
} from './types.ts'
