/** What an object says of those that apply it. */
export interface Marks {
  /** Its labels and annotations as one map, as far as they are text. */
  readonly texts: Readonly<Record<string, string | undefined>>
  /** Who wrote its fields, where that was kept. */
  readonly fieldManagers: readonly string[]
  /** The owner reference whose controller keeps it is, as kind and name. */
  readonly controller?: string
}

/** What applies, prunes or adopts objects, and the marks by which it knows its own. */
export interface OwnerKind {
  /** What it is called; the text of an owner begins with it. */
  readonly called: string
  /** Keys of labels and annotations that are its own; one with a `*` at its end stands for all that begin so. */
  readonly keys?: readonly string[]
  /** Values of the label `app.kubernetes.io/managed-by`. */
  readonly managedBy?: readonly string[]
  /** Its name in `metadata.managedFields`. */
  readonly fieldManager?: string
  /** Which one of its kind the marks name: empty where they name none, undefined where they say that it does not own. */
  readonly which?: (marks: Marks) => string | undefined
  /** Where the object is switched off. */
  readonly off: string
}
