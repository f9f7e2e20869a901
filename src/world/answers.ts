/** What a planner says about one pod or node. */
export interface Answer {
  /** A word or two for programs: `placed`, `too large`, `staying`. */
  readonly state: string
  /** Why, with the amounts that decide it. */
  readonly sentence: string
}

/** What a planner says about single pods and nodes, by name; undefined for one that it knows nothing of. */
export interface Answers {
  /** `id` is the namespace and name of a pod. */
  readonly pod: (id: string) => Answer | undefined
  readonly node: (name: string) => Answer | undefined
}
