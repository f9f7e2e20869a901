import { classify, type FailureKind, REASONS, type Reason } from './rejections.ts'
import type { Rejected } from './types.ts'

/** An operation that failed, classified. Its text holds no secrets. */
export class GitFailure extends Error {
  readonly kind: FailureKind
  readonly reason: Reason
  readonly mend: string
  readonly retryAfter: number | undefined

  constructor(reason: Reason, text: string, retryAfter?: number) {
    super(text)
    this.name = 'GitFailure'
    this.reason = reason
    this.kind = REASONS[reason].kind
    this.mend = REASONS[reason].mend
    this.retryAfter = retryAfter
  }

  /** What a program or server has said, classified by the table of rejections. */
  static of(text: string): GitFailure {
    return new GitFailure(classify(text), text)
  }

  /** The same as a result of a push. */
  asRejected(): Rejected {
    const { kind, reason, message: text, mend, retryAfter } = this
    return { kind, reason, text, mend, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
}
