/** What the configuration says of evaluations; durations in milliseconds, paths from the repository's root. */
export interface EffectSettings {
  readonly cluster: string
  /** The folder that nodefit sync owns: nothing else may stand in it. */
  readonly folder: string
  /** Folders and files that hold policies, templates and whatever else is rendered; the owned folder is read in any case. */
  readonly packages: readonly string[]
  /** Where the rendered output goes; undefined: only the inventory is kept. */
  readonly output?: string
  /** Label keys that are exported besides the usual ones. */
  readonly labels: readonly string[]
  readonly exact: boolean
  readonly uid: boolean
  readonly counts: boolean
  /** How old the inventory in Git may become; undefined: any age. */
  readonly maxAge?: number
  readonly readyDebounce: number
  readonly retainShapes: number
  /** The message of a commit, with placeholders; undefined: the usual one. */
  readonly template?: string
  /** The version of nodefit that renders. */
  readonly version: string
}
