/** Who a commit is by. */
export interface Person {
  readonly name: string
  readonly email: string
}

/** What a commit does to files; paths are from the repository's root, with `/` between folders. */
export interface FileChanges {
  readonly write: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** A commit that is to be made on top of a checkout. */
export interface Commit {
  readonly changes: FileChanges
  readonly message: string
  /** By what the change is known while it waits for somebody, on top of what it was made for; undefined: by all that it does to files. */
  readonly digest?: string
}

/** A commit of the branch, and the folder with its files, which is good until the next fetch. */
export interface Checkout {
  /** Empty where the branch does not exist yet. */
  readonly commit: string
  readonly path: string
}
