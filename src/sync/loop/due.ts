/** How long the loop waits, in milliseconds. */
export interface Windows {
  /** A change waits until nothing else has changed for so long. */
  readonly quietWindow: number
  /** It waits no longer than this, however much else changes. */
  readonly maxWindow: number
  /** Between two pushes. */
  readonly minPushInterval: number
  /** Without any change, between two evaluations. */
  readonly reconcileInterval: number
}

/** What the loop knows of its past; times in milliseconds since 1970. */
export interface Past {
  /** The first and the newest change that no evaluation has seen. */
  readonly waiting?: { readonly first: number; readonly newest: number }
  readonly evaluatedAt?: number
  readonly pushedAt?: number
  /** The next instant at which the same input renders something else. */
  readonly until?: number
  /** Before this nothing is tried again, since something failed. */
  readonly notBefore?: number
}

/**
 * When to evaluate next, in milliseconds since 1970; at once where nothing was evaluated yet. A change waits for its windows; an
 * instant at which something happens by itself waits for none; nothing comes sooner after a push than the interval allows.
 */
export function dueAt({ waiting, evaluatedAt, pushedAt, until, notBefore }: Past, windows: Windows): number {
  if (evaluatedAt === undefined) return notBefore ?? 0
  const { quietWindow, maxWindow, minPushInterval, reconcileInterval } = windows
  const reasons = [evaluatedAt + reconcileInterval]
  // an instant that the evaluation has seen is over
  if (until !== undefined && until > evaluatedAt) reasons.push(until)
  if (waiting !== undefined) reasons.push(Math.min(waiting.newest + quietWindow, waiting.first + maxWindow))
  const earliest = pushedAt === undefined ? 0 : pushedAt + minPushInterval
  return Math.max(Math.min(...reasons), earliest, notBefore ?? 0)
}
