/** What a planner says about one pod or node. */
export interface Answer {
  /** A word or two for programs: `placed`, `too large`, `staying`. */
  readonly state: string
  /** Why, with the amounts that decide it. */
  readonly sentence: string
  /** More of it, one a line. */
  readonly lines?: readonly string[]
}

/** What a planner says about single pods, nodes and actions; undefined for one that it knows nothing of. */
export interface Answers {
  /** `id` is the namespace and name of a pod. */
  readonly pod?: (id: string) => Answer | undefined
  readonly node: (name: string) => Answer | undefined
  /** `id` is that of a signed action. */
  readonly action?: (id: string) => Answer | undefined
}

/** What a run makes of a signed action. */
export type ActionState =
  | 'refused'
  | 'expired'
  | 'not yet valid'
  | 'superseded'
  | 'no target'
  | 'queued'
  | 'suspended'
  | 'in effect'
  | 'done'

/** A signed action of a package, for those who watch what becomes of it in the cluster. */
export interface PlannedAction {
  readonly id: string
  /** The first ten hex digits of the SHA-256 of what is signed; undefined where it cannot be read. */
  readonly digest?: string
  readonly type: string
  readonly target: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly requester?: string
  readonly reason?: string
  readonly state: ActionState
  /** Why, where it is not in effect. */
  readonly why?: string
  readonly sequence: number
  /** The fields of the target that it decides. */
  readonly fields: readonly string[]
  readonly expiresAt?: Date
  /** Until then an action with a lower sequence may be valid that was issued before this one expired. */
  readonly keepUntil?: Date
  /** The whole signed action as JSON, where the cluster may keep something of it. */
  readonly proof?: string
  /** The names of its Jobs, rendered or done; empty where it is a field alone. */
  readonly jobs: readonly string[]
}
